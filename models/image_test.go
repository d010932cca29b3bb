package models

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
)

func imageConfig() Config {
	c := DefaultImages()
	c.Hidden, c.Embed, c.Global = 16, 8, 12
	return c
}

// images draws m images of random strokes: large areas of equal background, as real ones have, so that pooling meets
// ties.
func images(rng *rand.Rand, m int) []float32 {
	x := make([]float32, m*ImageSide*ImageSide)
	for i := range x {
		x[i] = -1
		if rng.IntN(5) == 0 {
			x[i] = float32(2*rng.Float64() - 1)
		}
	}
	return x
}

// imageNodes names the inputs of an image encoder: images, then weight and bias of each layer.
func imageNodes(in []*Node) (x *Node, layers []layer) {
	for i := 1; i < len(in); i += 2 {
		layers = append(layers, layer{in[i], in[i+1]})
	}
	return in[0], layers
}

// encoderTensors returns the inputs that imageNodes names, with a config's h.
func encoderTensors(c Config, ps Params, x []float32) []*tensors.Tensor {
	in := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, len(x)/c.Dim, c.Dim)}
	return append(in, ps[:8].Tensors()...)
}

// The gradient of every weight of the encoder, against GoMLX's own convolution and pooling written out as the maximum
// of four shifted products: at images without ties both must agree.
func TestImageGradientAgainstConvolve(t *testing.T) {
	c, rng := imageConfig(), rand.New(rand.NewPCG(5, 6))
	ps := c.Init(rng)
	x := images(rng, 3)
	for i := range x {
		x[i] += float32(rng.Float64()) / 100
	}
	loss := func(y *Node) *Node { return ReduceAllSum(Square(y)) }
	fast := enginetest.Run(t, func(in []*Node) []*Node {
		x, layers := imageNodes(in)
		l := loss(imageNet(x, layers, nil))
		return append([]*Node{l}, Gradient(l, in[1:]...)...)
	}, encoderTensors(c, ps, x)...)
	plain := enginetest.Run(t, func(in []*Node) []*Node {
		y, layers := imageNodes(in)
		y = Reshape(y, -1, 28, 28, 1)
		for _, l := range layers[:2] {
			y = Add(Convolve(y, l.W).NoPadding().Done(), Reshape(l.B, 1, 1, 1, -1))
			d := y.Shape().Dimensions
			y = ReduceMax(Reshape(y, d[0], d[1]/2, 2, d[2]/2, 2, d[3]), 2, 4)
			y = Max(y, ScalarZero(y.Graph(), y.DType()))
		}
		y = Reshape(y, -1, flatImage)
		y = Max(Add(Dot(y, layers[2].W).Product(), InsertAxes(layers[2].B, 0)), ScalarZero(y.Graph(), y.DType()))
		l := loss(Add(Dot(y, layers[3].W).Product(), InsertAxes(layers[3].B, 0)))
		return append([]*Node{l}, Gradient(l, in[1:]...)...)
	}, encoderTensors(c, ps, x)...)
	assertRelative(t, fast, plain, 1e-4)
}

// assertRelative compares results to a tolerance in units of the largest number of each.
func assertRelative(t *testing.T, got, want [][]float32, tolerance float64) {
	t.Helper()
	for i, values := range want {
		largest := 0.0
		for _, v := range values {
			largest = max(largest, math.Abs(float64(v)))
		}
		for j, v := range values {
			if !(math.Abs(float64(got[i][j]-v)) <= tolerance*largest) {
				t.Fatalf("result %d: [%d] = %g, want %g", i, j, got[i][j], v)
			}
		}
	}
}

// The convolutions with the images along the last axis equal those with them along the first, which other backends
// have, and so do their gradients, by the images too.
func TestImagesLastEqualImagesFirst(t *testing.T) {
	c, rng := imageConfig(), rand.New(rand.NewPCG(7, 8))
	ps, x := c.Init(rng), images(rng, 3)
	of := func(pooled func(x *Node, layers []layer) *Node) [][]float32 {
		return enginetest.Run(t, func(in []*Node) []*Node {
			y := pooled(imageNodes(in))
			loss := ReduceAllSum(Mul(y, AddScalar(Iota(y.Graph(), y.Shape(), 1), 1)))
			return append([]*Node{y}, Gradient(loss, in[:5]...)...)
		}, encoderTensors(c, ps, x)...)
	}
	assertRelative(t, of(pooledImagesLast), of(pooledFeatures), 1e-5)
}

// Dropout is off without a state, random with one, the same for the same state, and right in the mean.
func TestDropout(t *testing.T) {
	const m, d = 400, 50
	ones := slices.Repeat([]float32{1}, m*d)
	x := func() *tensors.Tensor { return tensors.FromFlatDataAndDimensions(ones, m, d) }
	state := func(seed uint64) *tensors.Tensor { return tensors.FromFlatDataAndDimensions([]uint64{seed, 2, 3}, 3) }
	dropped := func(seed uint64) []float32 {
		return enginetest.Run(t, func(in []*Node) []*Node {
			drop := &Dropout{State: in[1]}
			first := drop.apply(in[0], m, d)
			return []*Node{first, drop.apply(in[0], m, d)}
		}, x(), state(seed))[0]
	}
	a, b, other := dropped(1), dropped(1), dropped(9)
	var sum float64
	same, sameOther := 0, 0
	for i, v := range a {
		if v != 0 && v != 2 {
			t.Fatalf("a kept unit became %g, want 2", v)
		}
		sum += float64(v)
		if v == b[i] {
			same++
		}
		if v == other[i] {
			sameOther++
		}
	}
	// 20,000 units: the mean's standard error is 0.007, the share of agreement between two states 0.5 ± 0.0035.
	if mean := sum / (m * d); !(math.Abs(mean-1) <= 0.035) {
		t.Errorf("mean %g after dropout, want 1", mean)
	}
	if share := float64(sameOther) / (m * d); same != m*d || !(math.Abs(share-0.5) <= 0.02) {
		t.Errorf("same state: %d of %d equal; other state: share %g", same, m*d, share)
	}
}
