package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

func TestVectorsValidate(t *testing.T) {
	if got := DefaultVectors().String(); got != "vectors noise=0.05 dropout=0.2" {
		t.Errorf("defaults: %s", got)
	}
	if err := DefaultVectors().Validate(); err != nil {
		t.Error(err)
	}
	const want = "noise is -1; set noise to a finite number of at least 0\n" +
		"dropout is 1; set dropout to a probability of at least 0 and below 1"
	if err := (Vectors{-1, 1}).Validate(); err == nil || err.Error() != want || !usererr.Is(err) {
		t.Errorf("got %v, want %s", err, want)
	}
}

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

// 50,000 features: the share of zeros has standard error √(0.2·0.8/50000) = 0.0018, the kept ones' standard deviation
// 0.05/√(2·40000) = 0.00018, their mean 0.05/√40000 = 0.00025; four of each.
func TestVectorsStatistics(t *testing.T) {
	const n = 50000
	x := slices.Repeat([]float32{2}, n)
	DefaultVectors().Apply(rand.New(rand.NewPCG(3, 3)), x, x)
	zeros, sum, squares := 0, 0.0, 0.0
	for _, v := range x {
		if v == 0 {
			zeros++
			continue
		}
		sum += float64(v) - 2
		squares += (float64(v) - 2) * (float64(v) - 2)
	}
	kept := float64(n - zeros)
	if share := float64(zeros) / n; math.Abs(share-0.2) > 0.0072 {
		t.Errorf("%g of the features are 0, want 0.2", share)
	}
	if mean := sum / kept; math.Abs(mean) > 0.001 {
		t.Errorf("the kept features moved by %g on average: rescaled?", mean)
	}
	if sd := math.Sqrt(squares / kept); math.Abs(sd-0.05) > 0.00072 {
		t.Errorf("noise of standard deviation %g, want 0.05", sd)
	}
}
