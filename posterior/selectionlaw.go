package posterior

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmat"
	"gonum.org/v1/gonum/stat/distuv"
)

// law is that of clusters given directions and shape, and the directions that it sees. A covariance that clusters share
// is drawn given the partition; the directions are scaled, and those of ShapeTied mixed, so that it is I.
func (s *selecting) law(rng *rand.Rand) (law Likelihood, directions [][]float64) {
	q := len(s.chosen)
	share, kappa := s.clusterPrior(q)
	for _, i := range s.chosen {
		directions = append(directions, s.Directions[i])
	}
	switch s.shape {
	case ShapeAxes:
		axes := Diagonal{Mean: make([]float64, q), Kappa: kappa, Nu: 3}
		for _, i := range s.chosen {
			axes.Psi = append(axes.Psi, share*s.cov[i*(len(s.Directions)+1)])
		}
		return axes, directions
	case ShapeTied:
		return Gaussian{Dim: q, Tau: 1 / math.Sqrt(kappa), Sigma: 1}, s.whitened(rng, directions)
	case ShapeTiedAxes:
		return Gaussian{Dim: q, Tau: 1 / math.Sqrt(kappa), Sigma: 1}, s.scaled(rng, directions)
	}
	return NIW{
		Mean: make([]float64, q), Kappa: kappa, Nu: float64(q) + 2, Psi: s.posterior(s.chosen, share, 0).symmetric(),
	}, directions
}

// symmetric returns a copy of the matrix.
func (q *square) symmetric() *mat.SymDense {
	return mat.NewSymDense(q.size, append([]float64{}, q.data...))
}

// scaled draws the variances that clusters share, σ² ~ IW(3 + N, pooled scatter) in each direction, and divides by σ.
func (s *selecting) scaled(rng *rand.Rand, directions [][]float64) [][]float64 {
	share, kappa := s.clusterPrior(len(s.chosen))
	for a, i := range s.chosen {
		pooled := s.posterior([]int{i}, share, kappa, s.clusters...).data[0]
		precision := distuv.Gamma{Alpha: (3 + float64(s.n)) / 2, Beta: pooled / 2, Src: rng}.Rand()
		w := make([]float64, s.Dimension())
		directions[a] = floats.ScaleTo(w, math.Sqrt(precision), directions[a])
	}
	return directions
}

// whitened draws the covariance that clusters share, Σ ~ IW(q + 2 + N, pooled scatter), and returns U·directions with
// UᵀU = Σ⁻¹.
func (s *selecting) whitened(rng *rand.Rand, directions [][]float64) [][]float64 {
	q := len(s.chosen)
	share, kappa := s.clusterPrior(q)
	var factor mat.Cholesky
	var inverse mat.SymDense
	factor.Factorize(s.posterior(s.chosen, share, kappa, s.clusters...).symmetric())
	factor.InverseTo(&inverse)
	precision, _ := distmat.NewWishart(&inverse, float64(q+2+s.n), rng)
	precision.RandCholTo(&factor)
	u, white := factor.RawU(), make([][]float64, q)
	for a := range white {
		white[a] = make([]float64, s.Dimension())
		for b := a; b < q; b++ {
			floats.AddScaled(white[a], u.At(a, b), directions[b])
		}
	}
	return white
}
