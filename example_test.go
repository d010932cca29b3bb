package gfncp_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/gfncp/gfncp"
	_ "github.com/gfncp/gfncp/pretrained" // the models that Open knows by name
)

// circles returns 45 points on three circles of radius 1, row by row, and the circle of each.
func circles() (points []float32, labels []int32) {
	for i := range 45 {
		sin, cos := math.Sincos(float64(i))
		points = append(points, float32([]int{-9, 0, 9}[i%3])+float32(cos), float32(sin))
		labels = append(labels, int32(i%3))
	}
	return points, labels
}

func ExampleOpen() {
	model, err := gfncp.Open("mog-ncp", gfncp.On("go"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	known := model.Config().Data
	fmt.Printf("%s knows sets of %d to %d points in %d dimensions\n", model.Card().Name,
		known.NMin, known.NMax, model.Dim())
	// Output:
	// mog-ncp knows sets of 10 to 150 points in 2 dimensions
}

// The samples give a point estimate, a credible ball around it, and each point's uncertainty.
func ExampleModel_Cluster() {
	model, err := gfncp.Open("mog-ncp")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	points, _ := circles()

	options := gfncp.DefaultOptions()
	options.Scale = "none" // circles of radius 1 are clusters as in the training
	result, err := model.Cluster(context.Background(), points, len(points)/model.Dim(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.K, "clusters,", len(result.Uncertainty), "points, labels", result.Labels[:6])
	ball := result.Ball
	fmt.Println("the ball holds its share:", ball.Prob >= ball.Level, "with distance", ball.Loss)
	fmt.Println("fewest and most clusters in it enclose the estimate:",
		ball.Upper.K <= result.K && result.K <= ball.Lower.K)
	// Output:
	// 3 clusters, 45 points, labels [0 1 2 0 1 2]
	// the ball holds its share: true with distance vi
	// fewest and most clusters in it enclose the estimate: true
}

// New points belong to the clusters of others, or to none of them.
func ExampleModel_Predict() {
	model, err := gfncp.Open("mog-gfncp-free")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	ctx, options := context.Background(), gfncp.DefaultOptions()
	options.Scale = "none"
	points, _ := circles()
	result, err := model.Cluster(ctx, points, len(points)/model.Dim(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fitted, err := result.Fit(points, model.Dim(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	more := []float32{0, 1, 9, -1, 4, 60} // on the second circle, on the third, far away
	prediction, err := model.Predict(ctx, fitted, more, 3, gfncp.DefaultPredictOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("labels", prediction.Labels)
	fmt.Printf("a new cluster: %.2f\n", prediction.NewCluster)
	// Output:
	// labels [1 2 -1]
	// a new cluster: [0.00 0.00 1.00]
}

// The true labels are more probable than those with one point put elsewhere.
func ExampleModel_Score() {
	model, err := gfncp.Open("mog-gfncp")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	points, labels := circles()
	options := gfncp.DefaultScoreOptions()
	options.Orders = 10
	var lowest []float64 // over the orders
	for _, circle := range []int32{0, 1} {
		labels[0] = circle // the first point is on circle 0
		result, err := model.Score(context.Background(), points, labels, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		lowest = append(lowest, slices.Min(result.LogProb))
	}
	fmt.Println("the true labels are more probable:", lowest[0] > lowest[1]+10)
	// Output:
	// the true labels are more probable: true
}

// A few steps of a small network. The same config gives the same weights whenever it runs.
func ExampleTrain() {
	dir, err := os.MkdirTemp("", "gfncp")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	config, err := gfncp.DefaultConfig("ncp", "mog")
	if err == nil {
		config, err = config.Set("train.steps=5", "data.batch=4", "data.n_min=5",
			"data.n_max=20", "net.hidden=16", "train.valid_sets=2")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	steps := 0
	count := gfncp.Listener{Step: func(gfncp.StepReport, int) { steps++ }}
	result, err := gfncp.Train(context.Background(), config, dir, gfncp.On("go"), gfncp.Listen(count))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(steps, "steps heard, best weights of step", result.BestStep)

	model, err := gfncp.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	points, _ := circles()
	clusters, err := model.Cluster(context.Background(), points, 45, gfncp.DefaultOptions())
	fmt.Println(len(clusters.Labels), "labels,", err)
	// Output:
	// 5 steps heard, best weights of step 5
	// 45 labels, <nil>
}

// An online model labels each point as soon as it is there.
func ExampleModel_Stream() {
	model, err := gfncp.Open("mog-gfncp-online")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	stream, err := model.Stream(gfncp.DefaultStreamOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	points, _ := circles()
	for i := range 6 {
		decision, err := stream.Next(points[2*i : 2*i+2])
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(decision.Label, " ")
	}
	fmt.Println("in", stream.Clusters(), "clusters")
	// Output:
	// 0 1 2 0 1 2 in 3 clusters
}

// What the caller can mend is an *Error with a remedy.
func ExampleError() {
	_, err := gfncp.Open("runs/none")
	var fault *gfncp.Error
	if errors.As(err, &fault) {
		fmt.Println(fault.Path, fault.Msg)
	}
	fmt.Println("there is no such file:", errors.Is(err, fs.ErrNotExist))

	options := gfncp.DefaultOptions()
	options.Samples = -1
	fmt.Println(options.Validate())
	// Output:
	// runs/none is neither a file, a run directory nor a pretrained model
	// there is no such file: true
	// Samples = -1; use 0 or more
}
