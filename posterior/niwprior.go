package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/usererr"
)

// The default priors expect what is left of the points' covariance S if that is divided into five clusters of equal
// volume, as mclust's does for the number of clusters at hand (Fraley & Raftery 2007):
//
//	ν0 = D + 2,   Ψ0 = E[Σ] = f·S,   κ0 = f/(1 − f)   with   f = 5^(−2/D)
//
// ν0 is the least whole number for which Σ has a mean, and κ0 makes the covariance of all points, E[Σ]·(1 + 1/κ0),
// be S. f is .2 for D = 2, .45 for 4, .72 for 10.
const priorClusters = 5

// StandardNIW returns the default prior for points whose coordinates have mean 0 and mean variance 1, S = I: for
// standardized columns, and for all their principal components. It has no direction of its own, so rotations change
// nothing.
func StandardNIW(dim int) NIW {
	identity := mat.NewSymDense(dim, nil)
	for j := range dim {
		identity.SetSym(j, j, 1)
	}
	return defaultNIW(make([]float64, dim), identity)
}

// EmpiricalNIW returns the default prior with mean and covariance of points x [N·D] (row-major, data units) as the mean
// and S (empirical Bayes). So it has no unit of its own: points that are mapped by x → A·x + b have the same posterior.
// Of correlated columns it finds clusters where StandardNIW, which expects them to be as wide across as along, finds
// one.
//
// It returns metrics.ErrLength, metrics.ErrTooFew, metrics.ErrNotFinite, and a *usererr.Error for points that lie in
// fewer than D dimensions.
func EmpiricalNIW(x []float64, dim int) (NIW, error) {
	n, err := countPoints(x, dim)
	if err != nil {
		return NIW{}, fmt.Errorf("prior of ellipsoids: %w", err)
	}
	points, mean := mat.NewDense(n, dim, x), make([]float64, dim)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), points.RawRowView(i))
	}
	covariance, flat := mat.NewSymDense(dim, nil), true
	if n > 1 {
		var factor mat.Cholesky
		stat.CovarianceMatrix(covariance, points, nil)
		flat = !factor.Factorize(covariance) || factor.Cond() > flatCondition
	}
	if flat {
		return NIW{}, usererr.New("leave out constant and dependent columns, or take principal components",
			"the %d points lie in fewer than %d dimensions", n, dim)
	}
	return defaultNIW(mean, covariance), nil
}

// flatCondition is the condition number from which a covariance counts as singular.
const flatCondition = 1e12

func defaultNIW(mean []float64, covariance *mat.SymDense) NIW {
	d := len(mean)
	f := math.Pow(priorClusters, -2/float64(d))
	w := NIW{Mean: mean, Kappa: f / (1 - f), Nu: float64(d) + 2, Psi: mat.NewSymDense(d, nil)}
	w.Psi.ScaleSym(f, covariance)
	return w
}
