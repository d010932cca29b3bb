package gfncp_test

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	_ "github.com/gfncp/gfncp/pretrained"
)

// The samples give a point estimate, a credible ball around it, and each point's uncertainty.
func ExampleModel_Cluster() {
	model, err := gfncp.Open("mog-ncp")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	var points []float32 // 45 points on three circles of radius 1
	for i := range 45 {
		sin, cos := math.Sincos(float64(i))
		points = append(points, float32([]int{-9, 0, 9}[i%3])+float32(cos), float32(sin))
	}

	options := clustering.DefaultOptions()
	options.Decode, options.Ball = clustering.DecodeVI, 0.9
	result, err := model.Cluster(points, len(points)/model.Dim(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.K, "clusters,", len(result.Uncertainty), "points")
	ball := result.Ball
	fmt.Println("the ball holds its share:", ball.Prob >= ball.Level, "with distance", ball.Loss)
	fmt.Println("fewest and most clusters in it enclose the estimate:", ball.Upper.K <= result.K && result.K <= ball.Lower.K)
	// Output:
	// 3 clusters, 45 points
	// the ball holds its share: true with distance vi
	// fewest and most clusters in it enclose the estimate: true
}
