package gfncp_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
	_ "github.com/gfncp/gfncp/pretrained" // the models that Open knows by name
	"github.com/gfncp/gfncp/train"
)

// circles returns 45 points on three circles of radius 1, row by row, and the circle of each.
func circles() (points *gfncp.Points, labels []int32) {
	var x []float64
	for i := range 45 {
		sin, cos := math.Sincos(float64(i))
		x = append(x, float64([]int{-9, 0, 9}[i%3])+cos, sin)
		labels = append(labels, int32(i%3))
	}
	return must.M1(gfncp.NewPoints(x, 45, "x", "y")), labels
}

// A table needs no model. The answer says how many clusters there may be, and places further rows.
func ExampleCluster() {
	points := must.M1(gfncp.ReadPoints("examples/points.csv", nil))
	c := must.M1(gfncp.Cluster(context.Background(), points, nil))
	fmt.Println(c.K, "clusters of", c.Len(), "rows; the chains agree:", c.Chains.Agree)
	likely := 0.0
	for _, k := range c.KPosterior {
		if k.K == 6 || k.K == 7 {
			likely += k.P
		}
	}
	fmt.Println("six or seven clusters are likely:", likely > 0.7)
	// Output:
	// 6 clusters of 140 rows; the chains agree: true
	// six or seven clusters are likely: true
}

func ExampleOpen() {
	model := must.M1(gfncp.Open("mog-ncp", &gfncp.Options{Backend: "go"}))
	defer model.Close()
	known := model.Config().Data
	fmt.Printf("%s knows sets of %d to %d points in %d dimensions\n", model.Card().Name,
		known.NMin, known.NMax, model.Dim())
	// Output:
	// mog-ncp knows sets of 10 to 150 points in 2 dimensions
}

// The samples of a network give a point estimate and each point's uncertainty.
func ExampleModel_Cluster() {
	model := must.M1(gfncp.Open("mog-ncp", nil))
	defer model.Close()
	points, _ := circles()

	options := gfncp.DefaultOptions()
	options.Scale = 1 // circles of radius 1 are clusters as in the training
	c := must.M1(model.Cluster(context.Background(), points, options))
	fmt.Println(c.K, "clusters,", len(c.Uncertainty), "points, labels", c.Labels[:6])
	// Output:
	// 3 clusters, 45 points, labels [0 1 2 0 1 2]
}

// A clustering is kept in a file. New points belong to its clusters, or to none of them.
func ExampleClustering_Predict() {
	ctx := context.Background()
	points, _ := circles()
	c := must.M1(gfncp.Cluster(ctx, points, nil))
	path := filepath.Join(os.TempDir(), "gfncp-example.json")
	defer os.Remove(path)
	must.M(c.Save(path))
	read := must.M1(gfncp.Read(path))
	more := []float64{0, 1, 9, -1, 4, 60} // on the second circle, on the third, far away
	further := must.M1(gfncp.NewPoints(more, 3, "x", "y"))
	prediction := must.M1(read.Predict(ctx, further, nil))
	fmt.Println("labels", prediction.Labels)
	// Output:
	// labels [1 2 -1]
}

// The true labels are more probable than those with one point put elsewhere.
func ExampleModel_Score() {
	model := must.M1(gfncp.Open("mog-gfncp", nil))
	defer model.Close()
	points, labels := circles()
	options := gfncp.DefaultOptions()
	options.Orders = 10
	var lowest []float64 // over the orders
	for _, circle := range []int32{0, 1} {
		labels[0] = circle // the first point is on circle 0
		score := must.M1(model.Score(context.Background(), points, labels, options))
		lowest = append(lowest, slices.Min(score.LogProb))
	}
	fmt.Println("the true labels are more probable:", lowest[0] > lowest[1]+10)
	// Output:
	// the true labels are more probable: true
}

// A few steps of a small network. The same config gives the same weights whenever it runs.
func ExampleTrain() {
	dir := must.M1(os.MkdirTemp("", "gfncp"))
	defer os.RemoveAll(dir)

	config := must.M1(gfncp.DefaultConfig("ncp", "mog"))
	config = must.M1(config.Set("train.steps=5", "data.batch=4", "data.n_min=5", "data.n_max=20", "net.hidden=16",
		"train.valid_sets=2"))
	steps := 0
	options := &gfncp.TrainOptions{Backend: "go"}
	options.Listener.Step = func(train.StepReport, int) { steps++ }
	result := must.M1(gfncp.Train(context.Background(), config, dir, options))
	fmt.Println(steps, "steps heard, best weights of step", result.BestStep)

	points, _ := circles()
	c, err := gfncp.Cluster(context.Background(), points, &gfncp.Options{Model: dir})
	fmt.Println(len(c.Labels), "labels,", err)
	// Output:
	// 5 steps heard, best weights of step 5
	// 45 labels, <nil>
}

// An online model labels each point as soon as it is there.
func ExampleModel_Stream() {
	model := must.M1(gfncp.Open("mog-gfncp-online", nil))
	defer model.Close()
	stream := must.M1(model.Stream(nil))
	for _, x := range [][]float64{{-8, 0}, {0.5, 0.8}, {8.6, 0.9}, {-10, 0.1}, {-0.7, -0.8}, {9.3, -1}} {
		decision := must.M1(stream.Next(x))
		fmt.Print(decision.Label, " ")
	}
	fmt.Println("in", stream.Clusters(), "clusters")
	// Output:
	// 0 1 2 0 1 2 in 3 clusters
}

// What the caller can mend is an *Error with a remedy.
func ExampleError() {
	_, err := gfncp.Open("runs/none", nil)
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
	// Options.Samples is -1; use 0 to 1000000
}
