package tabular

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// drawn are n rows of d columns of different units, correlated with their neighbours.
func drawn(seed uint64, n, d int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, 0, n*d)
	for range n {
		last := 0.0
		for j := range d {
			last = 0.6*last + rng.NormFloat64()
			x = append(x, 1000+last*math.Pow(10, float64(j%5-2)))
		}
	}
	return x
}

// The components are those of gonum's SVD of the standardized columns, whether rows or columns are fewer.
func TestPrincipalAgainstSVD(t *testing.T) {
	for _, size := range [][2]int{{50, 3}, {400, 64}, {20, 20}, {7, 30}, {2, 5}, {5, 1}} {
		n, d := size[0], size[1]
		x := drawn(1, n, d)
		r := must.M1(Principal(x, n, d, 16, true))
		z := mat.NewDense(n, d, nil)
		for j := range d {
			column := mat.Col(nil, j, mat.NewDense(n, d, x))
			mean, deviation := stat.PopMeanStdDev(column, nil)
			for i, v := range column {
				z.Set(i, j, (v-mean)/deviation)
			}
		}
		var svd mat.SVD
		if !svd.Factorize(z, mat.SVDThin) {
			t.Fatal("no SVD")
		}
		var right mat.Dense
		svd.VTo(&right)
		want := min(16, n-1, d)
		if len(r.Components) != want || len(r.Variance) != want {
			t.Fatalf("%v: %d components, want %d", size, len(r.Components), want)
		}
		for p, s := range svd.Values(nil)[:want] {
			cosine := math.Abs(mat.Dot(mat.NewVecDense(d, r.Components[p]), right.ColView(p)))
			if !(math.Abs(r.Variance[p]-s*s/float64(n)) < 1e-8) || !(math.Abs(cosine-1) < 1e-6) {
				t.Errorf("%v: component %d has variance %g, want %g, and cosine %g", size, p, r.Variance[p],
					s*s/float64(n), cosine)
			}
		}
	}
}

// What Apply gives is centred, has the variances in Rotation.Variance, and no correlation.
func TestApplyHasItsVariances(t *testing.T) {
	for _, size := range [][2]int{{300, 12}, {9, 40}} {
		n, d := size[0], size[1]
		x := drawn(2, n, d)
		for _, standardize := range []bool{true, false} {
			r := must.M1(Principal(x, n, d, 5, standardize))
			y := mat.NewDense(n, len(r.Components), r.Apply(x))
			var covariance mat.SymDense
			stat.CovarianceMatrix(&covariance, y, nil)
			for p := range r.Components {
				for q := range r.Components {
					got, want := covariance.At(p, q)*float64(n-1)/float64(n), 0.0
					if p == q {
						want = r.Variance[p]
					}
					if !(math.Abs(got-want) < 1e-8*r.Variance[0]) {
						t.Errorf("%v %v: covariance of %d and %d is %g, want %g", standardize, size, p, q, got, want)
					}
				}
			}
		}
	}
}

// Rows in another order give the same components, and the same numbers in that order, even where columns are equally
// important: here a full factorial design, all of whose eigenvalues are 1.
func TestPrincipalKnowsNoOrder(t *testing.T) {
	const n, d = 32, 5
	factorial := make([]float64, 0, n*d)
	for i := range n {
		for j := range d {
			factorial = append(factorial, 0.1*float64(i>>j&1))
		}
	}
	for name, x := range map[string][]float64{"factorial": factorial, "drawn": drawn(4, n, d)} {
		order := rand.New(rand.NewPCG(5, 0)).Perm(n)
		shuffled := make([]float64, 0, len(x))
		for _, i := range order {
			shuffled = append(shuffled, x[i*d:(i+1)*d]...)
		}
		a, b := must.M1(Principal(x, n, d, 3, true)), must.M1(Principal(shuffled, n, d, 3, true))
		before, after := a.Apply(x), b.Apply(shuffled)
		for at, i := range order {
			for p := range 3 {
				if got, want := after[at*3+p], before[i*3+p]; !(math.Abs(got-want) < 1e-9) {
					t.Fatalf("%s: component %d of row %d is %g, %g in another order", name, p, i, want, got)
				}
			}
		}
	}
}

// Numbers that differ by roundings are constant; those near the limits are not, and nothing becomes NaN.
func TestPrincipalAtTheLimits(t *testing.T) {
	for name, c := range map[string]struct {
		a, b     float64
		constant bool
	}{
		"roundings": {0.3, 0.1 + 0.2, true}, "equal": {1e9, 1e9, true}, "too small": {0, 5e-324, true},
		"large": {-Largest, Largest, false}, "small": {0, 1e-300, false}, "beside": {1e9, 1e9 + 1e-3, false},
	} {
		x := []float64{c.a, 0, c.b, 1, c.b, 0}
		r := must.M1(Principal(x, 3, 2, 2, true))
		if (r.Scale[0] == 0) != c.constant {
			t.Errorf("%s: scale %g", name, r.Scale[0])
		}
		for _, v := range r.Apply(x) {
			if !(math.Abs(v) < 3) {
				t.Errorf("%s: the components are %v", name, r.Apply(x))
			}
		}
	}
}

func TestPrincipalOfConstants(t *testing.T) {
	if r, err := Principal([]float64{1, 1, 1}, 3, 1, 1, true); err == nil {
		t.Errorf("three equal numbers gave %v", r)
	}
}
