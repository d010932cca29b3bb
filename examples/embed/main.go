// Command embed shows how to use gfncp as a library: it opens a pretrained model and clusters a few points.
//
//	GOEXPERIMENT=simd go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gfncp/gfncp"
	_ "github.com/gfncp/gfncp/pretrained"
)

// points are 12 points in the plane, row by row: x0, y0, x1, y1, …
var points = []float32{
	0.0, 0.0, 5.0, 5.0, 0.4, 0.2, 5.1, 4.6, -0.2, 0.3, 0.1, -0.5,
	4.7, 5.3, 5.2, 5.1, -0.6, 0.1, 0.3, 0.7, 5.5, 4.8, 4.6, 4.5,
}

func main() {
	if err := gfncp.Prepare(); err != nil { // exp at full speed
		log.Print(err)
	}
	result, err := cluster(context.Background(), points)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("clusters:", result.K)
	for i, row := range result.Probabilities { // one for each cluster, then one for "another cluster"
		fmt.Printf("point %d: cluster %d, probabilities %.2f\n", i, result.Labels[i], row)
	}
	for _, warning := range result.Warnings {
		fmt.Println("warning:", warning)
	}
}

// cluster clusters points [N,D] with the pretrained model.
func cluster(ctx context.Context, points []float32) (*gfncp.Result, error) {
	model, err := gfncp.Open("mog-gfncp-free")
	if err != nil {
		return nil, err
	}
	defer model.Close()
	return model.Cluster(ctx, points, len(points)/model.Dim(), gfncp.DefaultOptions())
}
