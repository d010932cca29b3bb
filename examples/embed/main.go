// Command embed shows how to use gfncp as a library: it opens a pretrained model and clusters a few points.
//
//	GOEXPERIMENT=simd go run ./examples/embed
package main

import (
	"fmt"
	"log"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/pretrained"
)

// points are N points in the plane, row by row: x0, y0, x1, y1, …
var points = []float32{0, 0, 5, 5, 0.4, 0.2, 5.1, 4.6, -0.2, 0.3, 0.1, -0.5, 4.7, 5.3, 5.2, 5.1}

func main() {
	result, err := cluster(points, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("clusters:", result.K)
	for i, row := range result.Probabilities { // one for each cluster, then one for "another cluster"
		fmt.Printf("point %d: cluster %d, probabilities %.2f\n", i, result.Labels[i], row)
	}
}

// cluster clusters points [N,dim] with the pretrained model on the Go backend.
func cluster(points []float32, dim int) (*clustering.Result, error) {
	backend, err := compute.NewWithConfig("go:ops_sequential") // its default mode can deadlock
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	model, err := pretrained.Open("mog-gfncp")
	if err != nil {
		return nil, err
	}
	net, err := models.NewNetwork(backend, model.Config.Net, model.Params)
	if err != nil {
		return nil, err
	}
	return clustering.Cluster(net, model.Config.Data, points, len(points)/dim, dim, clustering.DefaultOptions())
}
