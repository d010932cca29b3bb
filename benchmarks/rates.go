package benchmarks

import (
	"math"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// Rates are what the backend reaches on this machine, the best of several calls.
type Rates struct {
	// the product is of two matrices of Matrix rows and columns
	Matrix       int     `json:"matrix"`
	MultiplyAdds float64 `json:"multiply_adds_per_second"`   // in a chain of such products
	CopyBytes    int     `json:"copy_bytes"`                 // size of the array that is copied
	Copy         float64 `json:"copy_bytes_per_second"`      // element-wise (negation), read and written bytes
	HostCopy     float64 `json:"host_copy_bytes_per_second"` // by one core
	// of floors: the copy, on the Go backend the faster of the two
	Memory float64 `json:"memory_bytes_per_second"`
}

const (
	rateCalls    = 5
	productChain = 4  // products in one call on the Go backend, where one lasts tens of milliseconds
	deviceChain  = 64 // and elsewhere, so that starting them does not count
)

// rates measures through the engine. Results stay on the device but for one row, which waits for them.
func (s Suite) rates() (*Rates, error) {
	r := &Rates{Matrix: s.Sizes.Matrix, CopyBytes: floatBytes * s.Sizes.Copy}
	chain := deviceChain
	if engine.OnGo(s.Backend) {
		chain = productChain
	}
	n := s.Sizes.Matrix
	matrix := make([]float32, n*n)
	random := rng()
	for i := range matrix {
		matrix[i] = float32(random.NormFloat64()) / float32(n)
	}
	seconds, err := s.best("matrix products", func(in []*graph.Node) *graph.Node {
		y := in[0]
		for range chain {
			y = graph.Dot(y, in[0]).Product()
		}
		return y
	}, tensors.FromFlatDataAndDimensions(matrix, n, n))
	if err != nil {
		return nil, err
	}
	r.MultiplyAdds = float64(chain) * float64(n) * float64(n) * float64(n) / seconds

	array := make([]float32, s.Sizes.Copy)
	for i := range array { // pages that were never written are all one page
		array[i] = float32(i)
	}
	seconds, err = s.best("copy", func(in []*graph.Node) *graph.Node { return graph.Neg(in[0]) },
		tensors.FromFlatDataAndDimensions(array, s.Sizes.Copy/n, n))
	if err != nil {
		return nil, err
	}
	r.Copy = 2 * float64(r.CopyBytes) / seconds
	to := make([]float32, len(array))
	seconds, err = shortest(func() error { copy(to, array); return nil })
	if err != nil {
		return nil, err
	}
	r.HostCopy = 2 * float64(r.CopyBytes) / seconds
	r.Memory = r.Copy
	if engine.OnGo(s.Backend) { // its memory is the host's, and its element-wise loops may not use all of it
		r.Memory = max(r.Copy, r.HostCopy)
	}
	return r, nil
}

// best returns the shortest of several calls of a graph function of one matrix.
func (s Suite) best(name string, build func(in []*graph.Node) *graph.Node, x *tensors.Tensor) (float64, error) {
	defer engine.Free(x)
	f, err := engine.NewFunc(s.Backend, name, func(in []*graph.Node) []*graph.Node {
		y := build(in)
		return []*graph.Node{y, graph.Slice(y, graph.AxisElem(0))}
	})
	if err != nil {
		return 0, err
	}
	return shortest(func() error {
		out, err := f.Call(x)
		if err != nil {
			return err
		}
		defer engine.Free(out...)
		_, err = engine.Float32s(out[1])
		return err
	})
}

// shortest returns the shortest time of several calls after a first one, which compiles.
func shortest(call func() error) (float64, error) {
	if err := call(); err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for range rateCalls {
		start := time.Now()
		if err := call(); err != nil {
			return 0, err
		}
		least = min(least, time.Since(start).Seconds())
	}
	return least, nil
}
