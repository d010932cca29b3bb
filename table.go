package gfncp

import (
	"context"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/usererr"
)

// ClusterTable clusters the rows of a table without a model, as `gfncp cluster` does: by the posterior of a mixture of
// t distributions with an unknown number of clusters (clustering.Table, package mixture). Faults of the table or the
// options are *Error. When ctx ends, ClusterTable returns its error. Further rows need no model either:
//
//	result, err := gfncp.ClusterTable(ctx, table, gfncp.DefaultOptions())
//	prediction, err := result.Table.Predict(more)
//
// The table must not change before the work has ended.
func ClusterTable(ctx context.Context, t *Table, o Options) (*Result, error) {
	return beside.Do(ctx, func() (*Result, error) { return clustering.Table(ctx, t, o) })
}

// NewTable makes a table of n rows of numbers x [n,D], row by row; NaN is a missing cell. Columns without a name are
// called x1, x2, … It fails for values that are no rectangle.
func NewTable(x []float64, n int, names ...string) (*Table, error) {
	if n < 1 || len(x)%n != 0 || len(x) == 0 {
		return nil, usererr.New("give the points row by row, all with as many coordinates",
			"%d values are not those of %d points", len(x), n)
	}
	return tabular.Matrix(x, len(x)/n, names...), nil
}
