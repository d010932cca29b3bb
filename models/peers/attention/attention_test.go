package attention_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
	"github.com/gfncp/gfncp/models/peers/attention"
)

// Small sizes of which no two are equal, so that no axis can be mistaken for another.
const (
	sets, points, width, heads, inducing = 3, 7, 12, 4, 5
	inQ, queries                         = 2, 6
)

var sizes = attention.Sizes{Width: width, Heads: heads, Inducing: inducing}

// block is one kind of block: its layout on keys of width in, its graph form and its reference on one set. Only a MAB
// reads q.
type block struct {
	in        int
	layout    models.Params
	graph     func(w []*Node, q, x, mask *Node) *Node
	reference func(p models.Params, q, x matrix, valid []bool) matrix
}

var blocks = map[string]block{
	"MAB": {
		in: 3, layout: attention.MABLayout("mab", sizes, inQ, 3),
		graph:     func(w []*Node, q, x, _ *Node) *Node { return attention.MAB(w, sizes, q, x) },
		reference: func(p models.Params, q, x matrix, _ []bool) matrix { return refMAB(p, heads, q, x, nil) },
	},
	"SAB": {
		in: 3, layout: attention.MABLayout("sab", sizes, 3, 3),
		graph:     func(w []*Node, _, x, _ *Node) *Node { return attention.MAB(w, sizes, x, x) },
		reference: func(p models.Params, _, x matrix, _ []bool) matrix { return refMAB(p, heads, x, x, nil) },
	},
	"ISAB": {
		in: 3, layout: attention.ISABLayout("isab", sizes, 3),
		graph:     func(w []*Node, _, x, mask *Node) *Node { return attention.ISAB(w, sizes, x, mask) },
		reference: func(p models.Params, _, x matrix, valid []bool) matrix { return refISAB(p, heads, x, valid) },
	},
	"PMA": {
		in: width, layout: attention.PMALayout("pma", sizes, 2),
		graph:     func(w []*Node, _, x, mask *Node) *Node { return attention.PMA(w, sizes, x, mask) },
		reference: func(p models.Params, _, x matrix, valid []bool) matrix { return refPMA(p, heads, x, valid) },
	},
}

// draw returns n normal values of the given scale.
func draw(rng *rand.Rand, n int, scale float64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(rng.NormFloat64() * scale)
	}
	return values
}

// masks returns [B,N]: all points, or points missing at the end, points missing in between, and a set without any.
func masks(all bool) [][]bool {
	valid := make([][]bool, sets)
	for b := range valid {
		valid[b] = make([]bool, points)
		for n := range valid[b] {
			valid[b][n] = all || b == 0 && n < points-2 || b == 1 && n%3 != 1
		}
	}
	return valid
}

// problem is a block with random weights and inputs.
type problem struct {
	block
	weights models.Params
	q, x    []float32
	valid   [][]bool
}

func newProblem(name string, isMasked bool, seed uint64) problem {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := problem{block: blocks[name], valid: masks(!isMasked)}
	p.weights = modelstest.Weights(p.layout, rng, 2)
	p.q, p.x = draw(rng, sets*queries*inQ, 1), draw(rng, sets*points*p.in, 1)
	return p
}

// inputs are q, x, the mask and the weights.
func (p problem) inputs() []*tensors.Tensor {
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(p.q, sets, queries, inQ),
		tensors.FromFlatDataAndDimensions(p.x, sets, points, p.in),
		tensors.FromFlatDataAndDimensions(slices.Concat(p.valid...), sets, points),
	}
	return append(in, p.weights.Tensors()...)
}

// build returns the block's result from the nodes of inputs.
func (p problem) build(in []*Node) *Node {
	return p.graph(in[3:], in[0], in[1], in[2])
}

// want is the reference's result [B,·,Width], flat.
func (p problem) want() []float64 {
	var all []float64
	for b := range sets {
		q := rowsOf(p.q, inQ)[b*queries : (b+1)*queries]
		for _, row := range p.reference(p.weights, q, rowsOf(p.x, p.in)[b*points:(b+1)*points], p.valid[b]) {
			all = append(all, row...)
		}
	}
	return all
}

// each runs a test for every block, without and with a mask.
func each(t *testing.T, test func(t *testing.T, p problem)) {
	for name := range blocks {
		for _, isMasked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/masked=%v", name, isMasked), func(t *testing.T) {
				test(t, newProblem(name, isMasked, 1))
			})
		}
	}
}

func TestBlocksEqualReference(t *testing.T) {
	each(t, func(t *testing.T, p problem) { assertReference(t, p) })
}

// On a backend without a softmax of its own GoMLX's is used. Its switch for such operations stands for such a backend.
func TestBlocksWithoutFusedSoftmax(t *testing.T) {
	t.Setenv("GOMLX_FUSION", "0")
	each(t, func(t *testing.T, p problem) { assertReference(t, p) })
}

func assertReference(t *testing.T, p problem) {
	t.Helper()
	got := enginetest.Run(t, func(in []*Node) []*Node { return []*Node{p.build(in)} }, p.inputs()...)[0]
	want := p.want()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 1e-5*(1+math.Abs(w))) { // written so that NaN fails
			t.Fatalf("value %d is %g, want %g", i, got[i], w)
		}
	}
}

// The gradient by every input and weight, against central differences of the float64 reference. The objective is a
// random linear form of the block's result.
func TestGradientsEqualDifferences(t *testing.T) {
	each(t, func(t *testing.T, p problem) {
		form := draw(rand.New(rand.NewPCG(2, 0)), len(p.want()), 1)
		objective := func() float64 {
			var sum float64
			for i, v := range p.want() {
				sum += float64(form[i]) * v
			}
			return sum
		}
		got := enginetest.Run(t, func(in []*Node) []*Node {
			y := p.build(in)
			loss := ReduceAllSum(Mul(y, Reshape(Const(y.Graph(), form), y.Shape().Dimensions...)))
			return Gradient(loss, append([]*Node{in[0], in[1]}, in[3:]...)...)
		}, p.inputs()...)
		values := [][]float32{p.q, p.x}
		for _, w := range p.weights {
			values = append(values, w.Data)
		}
		rng := rand.New(rand.NewPCG(3, 0))
		for v, data := range values {
			for range min(6, len(data)) {
				i := rng.IntN(len(data))
				before := data[i]
				data[i] = before + 1e-3
				high, up := objective(), float64(data[i])
				data[i] = before - 1e-3
				low, down := objective(), float64(data[i])
				data[i] = before
				want := (high - low) / (up - down)
				if !(math.Abs(float64(got[v][i])-want) <= 1e-3*(1+math.Abs(want))) {
					t.Errorf("input or weight %d: gradient [%d] = %g, want %g", v, i, got[v][i], want)
				}
			}
		}
	})
}

// Scores beyond the range of exp leave the result finite and equal to the limit: with scores of ±10⁴ the attention
// takes the value of the best key alone. Width and heads are 1 and all layers the identity, so Q + V of the best key =
// 100 + 100, and the output layer doubles it.
func TestLargeScores(t *testing.T) {
	s := attention.Sizes{Width: 1, Heads: 1}
	ps := attention.MABLayout("", s, 1, 1)
	for i := range ps {
		ps[i].Data = []float32{float32(1 - i%2)}
	}
	x := tensors.FromFlatDataAndDimensions([]float32{100, -100}, 1, 2, 1)
	got := enginetest.Run(t, func(in []*Node) []*Node {
		y := attention.MAB(in[1:], s, in[0], in[0])
		return []*Node{y, Gradient(ReduceAllSum(y), in[0])[0]}
	}, append([]*tensors.Tensor{x}, ps.Tensors()...)...)
	if want := []float32{400, -200}; !slices.Equal(got[0], want) {
		t.Errorf("result %v, want %v", got[0], want)
	}
	// ∂/∂x: the query's and the value's part are 2 + 2 at the first point (and 1 + 1 at the second, whose ReLU is
	// shut).
	if want := []float32{4, 2}; !slices.Equal(got[1], want) {
		t.Errorf("gradient %v, want %v", got[1], want)
	}
}
