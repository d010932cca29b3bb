package gfncp

import (
	"context"

	"github.com/gfncp/gfncp/clustering"
)

// ClusterExactly clusters n points x [n,D], row by row, of any number of dimensions, without a model: by sampling the
// exact posterior of Gaussian clusters of any shape on the points' principal components (clustering.Exact). It takes
// seconds for a few hundred points, and at most 5,000. Faults of the points or the options are *Error.
func ClusterExactly(ctx context.Context, x []float64, n int, o Options) (*Result, error) {
	d := 0
	if n > 0 {
		d = len(x) / n
	}
	return clustering.Exact(ctx, x, n, d, o)
}
