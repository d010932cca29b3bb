package posterior

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// NIW is the law of the points of a Gaussian cluster of any shape: mean and covariance are unknown, with the conjugate
// normal-inverse-Wishart prior (Gelman et al., Bayesian Data Analysis, 3.6; Murphy 2007):
//
//	Σ ~ IW(Nu, Psi),   μ ~ N(Mean, Σ/Kappa),   x_i ~ N(μ, Σ)
//
// The mean of Σ is Psi/(Nu − D − 1) if Nu > D + 1. Points and clusters that are mapped by x → A·x + b have the law in
// which Mean is mapped, too, and Psi is A·Psi·Aᵀ.
type NIW struct {
	Mean  []float64     // [D], μ0, in data units
	Kappa float64       // κ0, how many points the prior of a mean is worth; above 0
	Nu    float64       // ν0, degrees of freedom; above D − 1
	Psi   *mat.SymDense // [D,D], Ψ0, in squares of data units; positive definite
}

// Validate returns nil, or all faults at once, joined: one *usererr.Error each.
func (w NIW) Validate() error {
	d := float64(len(w.Mean))
	var faults usererr.Faults
	faults.Demand(d >= 1, "dim", d, "at least 1")
	faults.Demand(w.Kappa > 0 && !math.IsInf(w.Kappa, 0), "kappa", w.Kappa, "a finite number above 0")
	faults.Demand(w.Nu > d-1 && !math.IsInf(w.Nu, 0), "nu", w.Nu, "a finite number above D − 1")
	var factor mat.Cholesky
	definite := w.Psi != nil && w.Psi.SymmetricDim() == len(w.Mean) && factor.Factorize(w.Psi)
	faults.Demand(definite && !math.IsInf(factor.LogDet(), 0) && !math.IsNaN(factor.LogDet()),
		"psi", w.Psi, "a positive definite matrix [D,D]")
	for _, v := range w.Mean {
		faults.Demand(!math.IsNaN(v) && !math.IsInf(v, 0), "mean", v, "finite numbers")
	}
	return errors.Join(faults...)
}

// farthest is the largest |x − Mean|² in the metric of Psi⁻¹ that the points may have: beyond, rounding of what a
// point adds to a scatter is no longer small beside Psi.
const farthest = 1e10

// Check implements Likelihood.
func (w NIW) Check(x []float64) (n int, err error) {
	if err := w.Validate(); err != nil {
		return 0, err
	}
	if n, err = countPoints(x, len(w.Mean)); err != nil {
		return 0, err
	}
	prior := newEllipsoid(newNIWLaw(w, 0))
	for i := range n {
		if far := prior.distance(x[i*len(w.Mean) : (i+1)*len(w.Mean)]); far > farthest {
			return 0, usererr.New("standardize the points, or choose the prior from them (EmpiricalNIW)",
				"point %d lies %.3g prior widths from the prior's mean", i, math.Sqrt(far))
		}
	}
	return n, nil
}

// Dimension returns D.
func (w NIW) Dimension() int { return len(w.Mean) }

// Clusters implements Likelihood.
func (w NIW) Clusters(n int) func() Cluster {
	law := newNIWLaw(w, n)
	return func() Cluster { return newEllipsoid(law) }
}

// Draw implements Likelihood.
func (w NIW) Draw(rng *rand.Rand, labels []int32, x []float64) {
	d := len(w.Mean)
	var factor mat.Cholesky
	var inverse mat.SymDense
	factor.Factorize(w.Psi)
	factor.InverseTo(&inverse)
	precision, _ := distmat.NewWishart(&inverse, w.Nu, rng)
	mean, z := make([]float64, d), make([]float64, d)
	for _, points := range partition.New(labels).Clusters() {
		precision.RandCholTo(&factor) // Σ⁻¹ = Uᵀ·U, so U⁻¹·z has covariance Σ
		u := factor.RawU().(mat.RawTriangular).RawTriangular()
		normal := func(around []float64, deviation float64, to []float64) {
			for j := range z {
				z[j] = deviation * rng.NormFloat64()
			}
			blas64.Trsv(blas.NoTrans, u, blas64.Vector{N: d, Data: z, Inc: 1})
			floats.AddTo(to, around, z)
		}
		normal(w.Mean, 1/math.Sqrt(w.Kappa), mean)
		for _, i := range points {
			normal(mean, 1, x[int(i)*d:(int(i)+1)*d])
		}
	}
}
