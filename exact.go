package gfncp

import (
	"context"
	"slices"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/internal/beside"
)

// ClusterExactly clusters n points x [n,D], row by row, of any number of dimensions, without a model: by sampling the
// exact posterior of Gaussian clusters of any shape on the points' principal components (clustering.Exact). It takes
// seconds for a few hundred points; of more than 5,000 Options.Subset are sampled (1,000 is a good choice), and all
// others assigned. Faults of the points or the options are *Error. When ctx ends, ClusterExactly returns its error at
// once, as Model.Cluster does. Further points need no model either:
//
//	result, err := gfncp.ClusterExactly(ctx, points, n, options)
//	prediction, err := result.Exact.Predict(ctx, more, m, d, gfncp.DefaultPredictOptions())
func ClusterExactly(ctx context.Context, x []float64, n int, o Options) (*Result, error) {
	d := 0
	if n > 0 {
		d = len(x) / n
	}
	own := slices.Clone(x)
	return beside.Do(ctx, func() (*Result, error) { return clustering.Exact(ctx, own, n, d, o) })
}
