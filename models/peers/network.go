package peers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// Points are the points that a network reads: vectors as they are, or images, which an encoder of the energy network's
// kind embeds first.
type Points struct{ Net models.Config }

// Images reports whether points are images.
func (p Points) Images() bool { return p.Net.Encoder == models.EncoderConv }

// Features is F, the number of coordinates after the encoder.
func (p Points) Features() int {
	if p.Images() {
		return p.Net.Embed
	}
	return p.Net.Dim
}

// EncoderLayout lists the encoder's weights as "encoder.…"; vectors need no weights.
func (p Points) EncoderLayout() models.Params {
	if p.Images() {
		return p.Net.EncoderLayout("encoder")
	}
	return nil
}

// Encode returns points x [B,N,D] as the network reads them: [B,N,F]. w holds the encoder's weights; drop is nil in
// evaluation.
func (p Points) Encode(w Weights, x *Node, drop *models.Dropout) *Node {
	if !p.Images() {
		return x
	}
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	return Reshape(p.Net.EncodePoints(Reshape(x, b*n, p.Net.Dim), w.Of("encoder"), drop), b, n, p.Net.Embed)
}

// Standardized returns points x [B,N,F] less the mean of their set, in units of its standard deviation over all
// coordinates; valid [B,N] (bool) tells which points count. An image encoder's sets lie off the origin, at about 0.1
// per coordinate, where attention cannot tell points apart.
func Standardized(x, valid *Node) *Node {
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	there := ConvertDType(Reshape(valid, b, 1, n), x.DType())
	count := Reshape(MaxScalar(ReduceSum(there, 1, 2), 1), b, 1, 1)
	x = Sub(x, Div(engine.Times(there, x), count))
	variance := Div(engine.Times(there, ReduceAndKeep(Square(x), ReduceMean, 2)), count) // [B,1,1]
	return Div(x, Sqrt(AddScalar(variance, leastVariance)))
}

// leastVariance keeps the result finite for a set of equal points.
const leastVariance = 1e-6

// Weights gives the nodes of a network's weights by name.
type Weights struct {
	Layout models.Params
	Nodes  []*Node // in the layout's order
}

// Of returns the weights "name.…" in the layout's order.
func (w Weights) Of(name string) (part []*Node) {
	for i, p := range w.Layout {
		if strings.HasPrefix(p.Name, name+".") {
			part = append(part, w.Nodes[i])
		}
	}
	return part
}

// SoftPlus is log(1 + exp x) = (x + |x|)/2 + log1p(exp(−|x|)). In this form its gradient is 1/(1 + exp −x) at 0 too,
// unlike the gradient of a maximum.
func SoftPlus(x *Node) *Node {
	size := Abs(x)
	return Add(MulScalar(Add(x, size), 0.5), Log1P(Exp(Neg(size))))
}

// LogSumExp is log Σ exp(x) along an axis, computed around the largest value.
func LogSumExp(x *Node, axis int) *Node {
	top := StopGradient(ReduceAndKeep(x, ReduceMax, axis))
	return Add(Log(ReduceSum(Exp(Sub(x, top)), axis)), Squeeze(top, axis))
}

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
func (o *Opened) Func(name string, build func(weights, in []*Node) []*Node) Func {
	count := len(o.weights)
	f := engine.NewFunc(o.backend, o.name+"'s "+name,
		func(in []*Node) []*Node { return build(in[:count], in[count:]) })
	return func(in ...*tensors.Tensor) ([][]float32, error) { return f.Values(o.weights, in...) }
}

// Map applies f to points x [M,D], at most most of them in a call, whose number is rounded up by pad. It returns the
// values of each of f's results, without padding.
func (o *Opened) Map(f Func, x []float32, most int, pad func(int) int) (all [][]float32, err error) {
	for part := range slices.Chunk(x, most*o.Dim) {
		count := len(part) / o.Dim
		rows := pad(count)
		padded := append(slices.Clone(part), make([]float32, (rows-count)*o.Dim)...)
		out, err := f(tensors.FromFlatDataAndDimensions(padded, rows, o.Dim))
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = make([][]float32, len(out))
		}
		for i, values := range out {
			all[i] = append(all[i], values[:len(values)/rows*count]...)
		}
	}
	return all, nil
}
