package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// twoLayers are Σ y² of y = ReLU(x·w + b)·v with its gradients by x, w, b and v.
func twoLayers(t *testing.T, in []*Node) []*Node {
	x, w, b, v := in[0], in[1], in[2], in[3]
	engine.KeepShort(x.Graph())
	y := engine.Dense(engine.ReLU(engine.Short(engine.Dense(x, w, b))), v, nil)
	if y.DType() != dtypes.Float32 {
		t.Errorf("the result has type %s", y.DType())
	}
	loss := ReduceAllSum(Square(y))
	return append([]*Node{loss}, Gradient(loss, in...)...)
}

func valuesIn(t *testing.T, config string, in []*tensors.Tensor) (values [][]float32) {
	t.Helper()
	backend := must.M1(must.M1(engine.Choose(config)).Open())
	f := must.M1(engine.NewFunc(backend, "two layers", func(in []*Node) []*Node { return twoLayers(t, in) }))
	var arguments []*tensors.Tensor
	for _, x := range in {
		arguments = append(arguments, must.M1(x.LocalClone()))
	}
	for _, out := range must.M1(f.Call(arguments...)) {
		values = append(values, must.M1(engine.Float32s(out)))
	}
	return values
}

func random(rng *rand.Rand, dims ...int) *tensors.Tensor {
	size := 1
	for _, d := range dims {
		size *= d
	}
	x := make([]float32, size)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

// With bf16=true and bf16=hidden, values and gradients are those of float32 but for the rounding of operands to 8 bits,
// which shows. With bf16=hidden only the hidden layer is rounded, and what it is multiplied with.
func TestBF16(t *testing.T) {
	plugin := "xla:" + xlatest.Plugin(t)
	rng := rand.New(rand.NewPCG(1, 2))
	in := []*tensors.Tensor{random(rng, 50, 6), random(rng, 6, 32), random(rng, 32), random(rng, 32, 3)}
	want := valuesIn(t, "go", in)
	for options, most := range map[string]float64{"": 1e-5, ",bf16=true": 1e-1, ",bf16=hidden": 2e-2} {
		for i, got := range valuesIn(t, plugin+options, in) {
			scale, worst := 0.0, 0.0
			for j, w := range want[i] {
				scale, worst = max(scale, math.Abs(float64(w))), max(worst, math.Abs(float64(got[j]-w)))
			}
			t.Logf("%q, result %d: off by %.1e of %.3g", options, i, worst/scale, scale)
			if !(worst <= most*scale) || options != "" && worst < 1e-6*scale {
				t.Errorf("%q, result %d: off by %g of %g", options, i, worst, scale)
			}
		}
	}
}
