package peers

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// Opened is a network's weights on a backend. It is safe for concurrent use.
type Opened struct {
	Buckets models.Buckets // the backend's

	Dim int // D

	name    string
	backend compute.Backend
	weights []*tensors.Tensor
}

// OpenWeights puts weights on a backend for a peer of a name, on points of dim coordinates. Weights that are not of the
// layout are an error.
func OpenWeights(name string, backend compute.Backend, layout, weights models.Params, dim int) (*Opened, error) {
	if err := layout.Check(weights); err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return &Opened{models.BucketsFor(backend.Name()), dim, name, backend, weights.Tensors()}, nil
}

// Func is a function of the weights and of tensors, which it frees; it returns its results' values, row-major.
type Func func(in ...*tensors.Tensor) ([][]float32, error)

// Func compiles a function of the weights, in the layout's order, and of other nodes. Its results are float32.
func (o *Opened) Func(name string, build func(weights, in []*Node) []*Node) (Func, error) {
	count := len(o.weights)
	f, err := engine.NewFunc(o.backend, o.name+"'s "+name,
		func(in []*Node) []*Node { return build(in[:count], in[count:]) })
	if err != nil {
		return nil, err
	}
	return func(in ...*tensors.Tensor) ([][]float32, error) {
		out, err := f.Call(slices.Concat(o.weights, in)...)
		engine.Free(in...)
		if err != nil {
			return nil, err
		}
		defer engine.Free(out...)
		values := make([][]float32, len(out))
		for i, t := range out {
			if values[i], err = engine.Float32s(t); err != nil {
				return nil, err
			}
		}
		return values, nil
	}, nil
}

// CheckSets reports points x that are not b sets of n points.
func (o *Opened) CheckSets(x []float32, b, n int) error {
	if b < 1 || n < 1 || len(x) != b*n*o.Dim {
		return fmt.Errorf("%s: %d values are not %d sets of %d points of %d coordinates", o.name, len(x), b, n, o.Dim)
	}
	return nil
}
