package models

import (
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

func BenchmarkImageNet(b *testing.B) {
	c, _ := engine.Choose("go")
	be, _ := c.Open()
	f, err := engine.NewFunc(be, "x", func(in []*Node) []*Node {
		ls := []layer{{in[1], in[2]}, {in[3], in[4]}, {in[5], in[6]}, {in[7], in[8]}}
		y := imageNet(in[0], ls, nil)
		l := ReduceAllSum(Mul(y, y))
		return append([]*Node{l}, Gradient(l, in[1:]...)...)
	})
	if err != nil {
		b.Fatal(err)
	}
	m := 600
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(shape ...int) *tensors.Tensor {
		v := make([]float32, size(shape))
		for i := range v {
			v[i] = float32(rng.NormFloat64() / 10)
		}
		return tensors.FromFlatDataAndDimensions(v, shape...)
	}
	args := []*tensors.Tensor{random(m, 784), random(5, 5, 1, 10), random(10), random(5,
		5, 10, 20), random(20), random(320, 256), random(256), random(256, 128), random(128)}
	for b.Loop() {
		if _, err := f.Call(args...); err != nil {
			b.Fatal(err)
		}
	}
}
