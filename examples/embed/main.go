// Command embed shows how to use gfncp as a library: it clusters the rows of a small table.
//
//	go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gfncp/gfncp"
)

// rows are 12 rows of two columns: x0, y0, x1, y1, …
var rows = []float64{
	0.0, 0.0, 5.0, 5.0, 0.4, 0.2, 5.1, 4.6, -0.2, 0.3, 0.1, -0.5,
	4.7, 5.3, 5.2, 5.1, -0.6, 0.1, 0.3, 0.7, 5.5, 4.8, 4.6, 4.5,
}

func main() {
	result, err := cluster(context.Background(), rows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("clusters:", result.K)
	for i, p := range result.Probabilities { // one for each cluster, then one for another cluster or no cluster
		fmt.Printf("row %d: cluster %d, probabilities %.2f\n", i, result.Labels[i], p)
	}
	for _, warning := range result.Warnings {
		fmt.Println("warning:", warning)
	}
}

// cluster clusters rows of two columns.
func cluster(ctx context.Context, rows []float64) (*gfncp.Clustering, error) {
	points, err := gfncp.NewPoints(rows, len(rows)/2, "x", "y")
	if err != nil {
		return nil, err
	}
	return gfncp.Cluster(ctx, points, nil)
}
