package posterior

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// The mean covariance of one point, Ψ0/(ν0 − D − 1)·(1 + 1/κ0), is that of the points.
func TestDefaultNIWsHaveThePointsCovariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 96))
	const d, n = 3, 50
	x := drawPoints(rng, randomNIW(rng, d), randomLabels(rng, n, 4))
	identity := mat.NewDiagDense(d, []float64{1, 1, 1})
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, mat.NewDense(n, d, x), nil)
	for name, c := range map[string]struct {
		prior NIW
		want  mat.Matrix
	}{
		"standard":  {StandardNIW(d), identity},
		"empirical": {must[NIW](t)(EmpiricalNIW(x, d)), &covariance},
	} {
		if err := c.prior.Validate(); err != nil {
			t.Fatal(err)
		}
		var all mat.Dense
		all.Scale((1+1/c.prior.Kappa)/(c.prior.Nu-d-1), c.prior.Psi)
		if !mat.EqualApprox(&all, c.want, 1e-12) {
			t.Errorf("%s: the prior expects a covariance of\n%v, want\n%v", name,
				mat.Formatted(&all), mat.Formatted(c.want))
		}
	}
	near(t, "f for D = 2", StandardNIW(2).Psi.At(1, 1), 0.2, 1e-15)
	near(t, "κ0 for D = 2", StandardNIW(2).Kappa, 0.25, 1e-15)
}

// Under the empirical prior a posterior does not depend on units, directions and origin.
func TestEmpiricalNIWIsAffine(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	const d, n = 2, 6
	x := drawPoints(rng, StandardNIW(d), []int32{0, 0, 0, 1, 1, 1})
	a := mat.NewDense(d, d, []float64{300, 20, -1, 0.01})
	var y mat.Dense
	y.Mul(mat.NewDense(n, d, x), a.T())
	for i := range n {
		y.Set(i, 0, y.At(i, 0)+1000)
	}
	law := func(x []float64) *Distribution {
		prior := must[NIW](t)(EmpiricalNIW(x, d))
		exact, _, err := Enumerate(prior, mustPrior(t, CRP{Alpha: 1}, n), x)
		if err != nil {
			t.Fatal(err)
		}
		return exact
	}
	before, after := law(x), law(y.RawMatrix().Data)
	for i, p := range before.LogProb {
		near(t, "log-probability", after.LogProb[i], p, 1e-6)
	}
}

func TestEmpiricalNIWErrors(t *testing.T) {
	for name, x := range map[string][]float64{
		"one point": {1, 2}, "a line": {0, 0, 1, 2, 2, 4, 3, 6}, "constant": {1, 2, 1, 3, 1, 5},
	} {
		if _, err := EmpiricalNIW(x, 2); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	if _, err := EmpiricalNIW(nil, 2); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no points: %v", err)
	}
}
