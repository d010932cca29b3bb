package dac

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
	"github.com/gfncp/gfncp/models/peers"
)

var variants = []string{peers.MinFilter, peers.Anchored}

// largeWeights are weights larger than a training's first ones, so that logits differ between points.
func largeWeights(m *Method, seed uint64) models.Params {
	return modelstest.Weights(m.Layout(), newRand(seed), 1.5)
}

// logitsOf returns the filter's logits [B,N] for points x [B,N,2], a mask and anchors (indices).
func logitsOf(
	t *testing.T, m *Method, weights models.Params, x []float32, valid []bool, anchors []int, b, n int,
) []float32 {
	t.Helper()
	anchor := make([]float32, b*n)
	for set, a := range anchors {
		anchor[set*n+a] = 1
	}
	in := append([]*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, b, n, 2), tensors.FromFlatDataAndDimensions(valid, b, n),
		tensors.FromFlatDataAndDimensions(anchor, b, n),
	}, weights.Tensors()...)
	return enginetest.Run(t, func(in []*Node) []*Node {
		logits, _ := m.filter(in[3:], in[0], in[1], in[2])
		return []*Node{logits}
	}, in...)[0]
}

// The anchor decides: another one gives other logits; min-filtering does not look at it.
func TestAnchorMatters(t *testing.T) {
	const n = 8
	for _, variant := range variants {
		m, x, valid := tiny(variant, false), newBatch(5, 1, n, 3).X, slices.Repeat([]bool{true}, n)
		weights := largeWeights(m, 2)
		first, second := logitsOf(t, m, weights, x, valid, []int{0}, 1, n),
			logitsOf(t, m, weights, x, valid, []int{5}, 1, n)
		if same := slices.Equal(first, second); same != (variant == peers.MinFilter) {
			t.Errorf("%s: logits %v and %v for two anchors", variant, first, second)
		}
	}
}

// Only the points left go into the network when clustering; that is the same as masking the others.
func TestLeavingOutIsMasking(t *testing.T) {
	const b, n = 3, 12
	for _, variant := range variants {
		t.Run(variant, func(t *testing.T) {
			m, x := tiny(variant, false), newBatch(7, b, n, 3).X
			weights := largeWeights(m, 3)
			c := must.M1(m.Open(enginetest.Go(), weights)).(*clusterer)
			left := []peers.Left{{Set: 0, Points: []int32{1, 4, 5, 9, 11}}, {Set: 2, Points: []int32{0, 2, 3}}}
			places := []int{2, 1}
			valid, anchors := make([]bool, b*n), make([]int, b)
			for i, l := range left {
				anchors[l.Set] = int(l.Points[places[i]])
				for _, point := range l.Points {
					valid[l.Set*n+int(point)] = true
				}
			}
			want := logitsOf(t, m, weights, x, valid, anchors, b, n)
			got := must.M1(search{clusterer: c, points: x, b: b, n: n}.logits(left, places))
			for i, l := range left {
				for at, point := range l.Points {
					if g, w := got[i][at], want[l.Set*n+int(point)]; !isNear(float64(g), float64(w), 1e-4) {
						t.Errorf("set %d, point %d: logit %g, masked %g", l.Set, point, g, w)
					}
				}
			}
		})
	}
}

// A set without points costs nothing and has no gradient; nothing becomes NaN.
func TestEmptySets(t *testing.T) {
	for _, variant := range variants {
		m, batch := tiny(variant, true), newBatch(8, 2, 8, 2)
		in := must.M1(m.Inputs(nil, batch, noPadding))
		in[1] = tensors.FromFlatDataAndDimensions(slices.Repeat([]int32{-1}, 16), 2, 8)
		for i, input := range in[3:] {
			in[3+i] = tensors.FromFlatDataAndDimensions(make([]float32, input.Size()), input.Shape().Dimensions...)
		}
		weights := largeWeights(m, 1)
		args := append(append(weights.Tensors(), tensors.FromScalar(float32(1))), in...)
		values := enginetest.Run(t, func(in []*Node) []*Node {
			loss := m.Loss(in[:len(weights)], in[len(weights)], in[len(weights)+1:])
			return append([]*Node{loss}, Gradient(loss, in[:len(weights)]...)...)
		}, args...)
		for _, v := range values {
			if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
				t.Fatalf("%s: sets without points have the loss or gradient %v", variant, v)
			}
		}
	}
}

// Each set gets the labels that it gets alone, and that it gets where the network takes few points a call.
func TestSetsAreClusteredApart(t *testing.T) {
	const b, n = 5, 14
	for _, variant := range variants {
		m, x := tiny(variant, false), newBatch(11, b, n, 3).X
		c := must.M1(m.Open(enginetest.Go(), largeWeights(m, 3))).(*clusterer)
		many := must.M1(c.Cluster(newRand(3), x, b, n))
		c.rows = 2 * n
		if few := must.M1(c.Cluster(newRand(3), x, b, n)); !slices.EqualFunc(few, many, slices.Equal) {
			t.Errorf("%s: labels %v in small calls, %v in large ones", variant, few, many)
		}
		rng := newRand(3) // goes on from set to set, as in the batch
		for set := range b {
			one := must.M1(c.Cluster(rng, x[set*n*2:(set+1)*n*2], 1, n))
			if !slices.Equal(one[0], many[set]) {
				t.Errorf("%s, set %d: labels %v alone, %v among others", variant, set, one[0], many[set])
			}
		}
		if !slices.ContainsFunc(many, func(labels []int32) bool { return slices.Max(labels) > 1 }) {
			t.Errorf("%s: labels %v show too few rounds", variant, many)
		}
	}
}

// noPadding keeps every size as it is.
var noPadding = models.Buckets{
	Points: func(n int) int { return n }, Rows: func(n int) int { return n }, Slots: func(n int) int { return n },
}

// tiny is a small network for points of two coordinates.
func tiny(variant string, likelihood bool) *Method {
	c := peers.Default(likelihood)
	c.Width, c.Heads, c.Inducing, c.Variant = 16, 2, 4, variant
	return New(models.Default(2), c)
}

// newRand is a generator of a fixed seed.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// newBatch draws b sets of n points in k clusters from a mixture of Gaussians, at a tenth of the default scale.
func newBatch(seed uint64, b, n, k int) *data.Batch {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK = b, n, n, k
	batch := must.M1(must.M1(data.NewMoG(c)).Batch(seed, 0))
	for i := range batch.X {
		batch.X[i] /= 10
	}
	return batch
}
