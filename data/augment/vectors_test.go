package augment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestVectorsApply(t *testing.T) {
	src := []float32{1, -2, 3}
	dst := make([]float32, 3)
	Vectors{}.Apply(rand.New(rand.NewPCG(1, 1)), dst, src)
	if !slices.Equal(dst, src) {
		t.Errorf("without noise and dropout %v became %v", src, dst)
	}
	// The same numbers by hand: per feature a normal, then a uniform.
	o := Vectors{Noise: 0.5, Dropout: 0.5}
	o.Apply(rand.New(rand.NewPCG(2, 2)), dst, src)
	rng := rand.New(rand.NewPCG(2, 2))
	for d, x := range src {
		want := x + float32(0.5*rng.NormFloat64())
		if rng.Float64() < 0.5 {
			want = 0
		}
		if dst[d] != want {
			t.Errorf("feature %d is %g, want %g", d, dst[d], want)
		}
	}
}
