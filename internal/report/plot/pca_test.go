package plot

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestPCA2AgainstGonum compares with gonum's stat.PC (an SVD of the centred data), up to the sign of a component, for
// more points than features and the reverse.
func TestPCA2AgainstGonum(t *testing.T) {
	for _, c := range []struct{ n, d int }{{40, 5}, {7, 30}, {6, 6}, {50, 2}} {
		rng := rand.New(rand.NewPCG(11, uint64(c.n)))
		x := make([]float32, c.n*c.d)
		wide := make([]float64, len(x))
		for i := range x {
			x[i] = float32(3 + rng.NormFloat64()*float64(1+i%c.d))
			wide[i] = float64(x[i])
		}
		a := mat.NewDense(c.n, c.d, wide)
		var pc stat.PC
		if !pc.PrincipalComponents(a, nil) {
			t.Fatal("stat.PC failed")
		}
		var axes, want mat.Dense
		pc.VectorsTo(&axes)
		want.Mul(a, &axes)
		got := PCA2(x, c.n, c.d)
		for k := range 2 {
			mean := stat.Mean(mat.Col(nil, k, &want), nil)
			sign, largest := 1.0, 0.0
			for i := range c.n {
				if v := want.At(i, k) - mean; math.Abs(v) > math.Abs(largest) {
					largest, sign = v, math.Copysign(1, v)
				}
			}
			for i := range c.n {
				if w := sign * (want.At(i, k) - mean); math.Abs(w-float64(got[2*i+k])) > 1e-5*math.Abs(largest) {
					t.Errorf("n=%d d=%d: point %d, component %d is %v, want %v", c.n, c.d, i, k, got[2*i+k], w)
				}
			}
		}
	}
}

func TestPCA2Edges(t *testing.T) {
	// Mean 3; the largest deviation is 9 − 3 = 6; there is no second component.
	for i, want := range []float32{-3, 0, -3, 0, 6, 0} {
		if got := PCA2([]float32{0, 0, 9}, 3, 1); math.Abs(float64(got[i]-want)) > 1e-5 {
			t.Errorf("d = 1: %v at %d, want %v", got, i, want)
		}
	}
	for _, v := range PCA2([]float32{5, 5, 5, 5, 5, 5}, 2, 3) {
		if v != 0 {
			t.Errorf("equal points: coordinate %v, want 0", v)
		}
	}
	if got := PCA2([]float32{1, 2, 3}, 1, 3); len(got) != 2 || got[0] != 0 || got[1] != 0 {
		t.Errorf("one point: %v, want [0 0]", got)
	}
	for name, got := range map[string][]float32{
		"length": PCA2(make([]float32, 5), 2, 3), "no points": PCA2(nil, 0, 3),
		"NaN":      PCA2([]float32{1, float32(math.NaN())}, 1, 2),
		"infinite": PCA2([]float32{1, float32(math.Inf(1))}, 2, 1),
	} {
		if got != nil {
			t.Errorf("%s: %v, want nil", name, got)
		}
	}
}
