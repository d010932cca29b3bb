package posterior

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// niwLaw is what the clusters of an NIW share.
type niwLaw struct {
	NIW
	sized []niwSized // by the number of points
}

// niwSized is what the densities of a cluster of m points need beside its statistics, with κ = κ0 + m and ν = ν0 + m.
type niwSized struct {
	ratio    float64 // κ/(κ+1)
	power    float64 // (ν+1)/2
	constant float64 // of the predictive: log Γ((ν+1)/2) − log Γ((ν+1−D)/2) − ½D·log π + ½D·log(κ/(κ+1))
	marginal float64 // of the log-marginal: all but −½ν·log|Ψ_m|
}

func newNIWLaw(w NIW, n int) *niwLaw {
	law, d := &niwLaw{NIW: w, sized: make([]niwSized, n+1)}, float64(len(w.Mean))
	empty := newEllipsoid(law)
	empty.factorize()
	start := w.Nu/2*empty.logDet - mathext.MvLgamma(w.Nu/2, len(w.Mean))
	for m := range law.sized {
		kappa, nu := w.Kappa+float64(m), w.Nu+float64(m)
		ratio := kappa / (kappa + 1)
		above, _ := math.Lgamma((nu + 1) / 2)
		below, _ := math.Lgamma((nu + 1 - d) / 2)
		law.sized[m] = niwSized{
			ratio: ratio, power: (nu + 1) / 2, constant: above - below + d/2*math.Log(ratio/math.Pi),
			marginal: start + mathext.MvLgamma(nu/2, len(w.Mean)) + d/2*math.Log(w.Kappa/kappa) -
				d/2*float64(m)*math.Log(math.Pi),
		}
	}
	return law
}

// ellipsoid is a cluster of an NIW: the parameters of the posterior of its mean and covariance, IW(ν0 + n, Ψ_n) and
// N(μ_n, Σ/(κ0 + n)). Points change the scatter by a matrix of rank one; it is factorized when a density is asked for.
// (Up to D = 32 that is faster than mat.Cholesky.SymRankOne, which estimates a condition number each time.)
type ellipsoid struct {
	law     *niwLaw
	n       int
	mean    []float64         // [D], μ_n
	scatter *mat.SymDense     // [D,D], Ψ_n
	stale   bool              // factor and logDet are not yet those of the scatter
	factor  blas64.Triangular // U of Uᵀ·U = Ψ_n
	logDet  float64           // log|Ψ_n|
	diff    *mat.VecDense     // [D], room
}

func newEllipsoid(law *niwLaw) *ellipsoid {
	d := len(law.Mean)
	e := &ellipsoid{
		law: law, mean: make([]float64, d), scatter: mat.NewSymDense(d, nil), diff: mat.NewVecDense(d, nil),
		factor: blas64.Triangular{N: d, Stride: d, Data: make([]float64, d*d), Uplo: blas.Upper, Diag: blas.NonUnit},
	}
	e.Clear()
	return e
}

// Clear implements Cluster.
func (e *ellipsoid) Clear() {
	e.n, e.stale = 0, true
	copy(e.mean, e.law.Mean)
	e.scatter.CopySym(e.law.Psi)
}

// Add implements Cluster:
//
//	Ψ' = Ψ + κ/(κ+1)·(x − μ)(x − μ)ᵀ,   μ' = μ + (x − μ)/(κ+1)
func (e *ellipsoid) Add(x []float64) {
	e.shift(x, e.law.sized[e.n].ratio, 1/(e.kappa()+1))
	e.n++
}

// Remove implements Cluster: Add backwards.
func (e *ellipsoid) Remove(x []float64) {
	if e.n == 1 {
		e.Clear()
		return
	}
	e.shift(x, -1/e.law.sized[e.n-1].ratio, -1/(e.kappa()-1))
	e.n--
}

func (e *ellipsoid) kappa() float64 { return e.law.Kappa + float64(e.n) }

// shift adds outer times the square of x − μ to the scatter, and step times x − μ to the mean.
func (e *ellipsoid) shift(x []float64, outer, step float64) {
	diff := e.diff.RawVector().Data
	floats.SubTo(diff, x, e.mean)
	e.scatter.SymRankOne(e.scatter, outer, e.diff)
	floats.AddScaled(e.mean, step, diff)
	e.stale = true
}

// factorize brings factor and logDet up to date. NIW.Check sees to it that rounding is small beside Psi, so that only
// a point that was never added can make this fail.
func (e *ellipsoid) factorize() {
	if !e.stale {
		return
	}
	copy(e.factor.Data, e.scatter.RawSymmetric().Data)
	if _, ok := lapack64.Potrf(blas64.Symmetric{
		N: e.factor.N, Stride: e.factor.Stride, Data: e.factor.Data, Uplo: blas.Upper,
	}); !ok {
		panic("posterior: a point was removed from a cluster that it was not in")
	}
	e.logDet, e.stale = 0, false
	for i := range e.mean {
		e.logDet += 2 * math.Log(e.factor.Data[i*(e.factor.Stride+1)])
	}
}

// Absorb implements Cluster. From any one point, here the prior's mean, the sums of squares of both add up.
func (e *ellipsoid) Absorb(other Cluster) {
	o := other.(*ellipsoid)
	if o.n == 0 {
		return
	}
	about := func(c *ellipsoid, weight float64) { // weight times the square of c's mean, about the prior's
		floats.SubTo(e.diff.RawVector().Data, c.mean, e.law.Mean)
		e.scatter.SymRankOne(e.scatter, weight, e.diff)
	}
	kappa := e.kappa()
	about(e, kappa)
	about(o, o.kappa())
	e.scatter.AddSym(e.scatter, o.scatter)
	floats.Scale(kappa, e.mean)
	floats.AddScaled(e.mean, o.kappa(), o.mean)
	floats.AddScaled(e.mean, -e.law.Kappa, e.law.Mean)
	e.n += o.n
	floats.Scale(1/e.kappa(), e.mean)
	about(e, -e.kappa())
	for i := range e.mean { // both hold Psi
		for j := i; j < len(e.mean); j++ {
			e.scatter.SetSym(i, j, e.scatter.At(i, j)-e.law.Psi.At(i, j))
		}
	}
	e.stale = true
}

// distance returns (x − μ)ᵀ·Ψ⁻¹·(x − μ).
func (e *ellipsoid) distance(x []float64) float64 {
	e.factorize()
	z := e.diff.RawVector()
	floats.SubTo(z.Data, x, e.mean)
	blas64.Trsv(blas.Trans, e.factor, z)
	return floats.Dot(z.Data, z.Data)
}

// LogPredictive returns the log-density of Student's t in D dimensions with ν + 1 − D degrees of freedom, around μ_n,
// of shape Ψ_n·(κ+1)/(κ·(ν + 1 − D)), where κ = κ0 + n and ν = ν0 + n.
func (e *ellipsoid) LogPredictive(x []float64) float64 {
	s := &e.law.sized[e.n]
	squared := e.distance(x)
	return s.constant - e.logDet/2 - s.power*math.Log1p(s.ratio*squared)
}

// LogMarginal returns
//
//	log p(x_1..n) = −½nD·log π + log Γ_D(ν/2) − log Γ_D(ν0/2) + ½ν0·log|Ψ0| − ½ν·log|Ψ_n| + ½D·log(κ0/κ)
//
// where κ = κ0 + n and ν = ν0 + n.
func (e *ellipsoid) LogMarginal() float64 {
	e.factorize()
	return e.law.sized[e.n].marginal - (e.law.Nu+float64(e.n))/2*e.logDet
}
