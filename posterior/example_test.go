package posterior_test

import (
	"fmt"

	"github.com/gfncp/gfncp/posterior"
)

// Four sampled partitions of five points, under arbitrary cluster names, become one answer with its uncertainty.
func Example() {
	samples := [][]int32{
		{0, 0, 0, 1, 1},
		{2, 2, 2, 0, 0},
		{0, 0, 1, 1, 1},
		{0, 0, 2, 1, 1},
	}
	best, vi := posterior.LossVI.PointEstimate(samples, samples)
	fmt.Printf("estimate %v, expected VI %.3f nats\n", samples[best], vi)
	for _, p := range posterior.KPosterior(samples) {
		fmt.Printf("P(K=%d) = %.2f\n", p.K, p.P)
	}
	rows := posterior.Assignments(samples[best], samples)
	fmt.Println("point 2, clusters 0, 1, another:", rows[2])
	// With f(n) = n·log n, the VI to the third sample is 2·(f(3) − f(2))/5 = 0.7638, to the fourth (f(3) − f(2))/5 =
	// 0.3819, to the others 0: the mean of four is 0.286.

	// Output:
	// estimate [0 0 0 1 1], expected VI 0.286 nats
	// P(K=2) = 0.75
	// P(K=3) = 0.25
	// point 2, clusters 0, 1, another: [0.5 0.25 0.25]
}
