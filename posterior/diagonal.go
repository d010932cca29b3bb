package posterior

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Diagonal is the law of the points of a Gaussian cluster whose axes are those of the coordinates: each coordinate is
// an NIW of one dimension, independent of the others (normal-inverse-gamma; Murphy 2007):
//
//	σ²_j ~ IW(Nu, Psi_j),   μ_j ~ N(Mean_j, σ²_j/Kappa),   x_ij ~ N(μ_j, σ²_j)
type Diagonal struct {
	Mean  []float64 // [D], in data units
	Kappa float64   // how many points the prior of a mean is worth; above 0
	Nu    float64   // degrees of freedom; above 0
	Psi   []float64 // [D], in squares of data units; above 0
}

// Validate returns nil, or all faults at once, joined: one *usererr.Error each.
func (w Diagonal) Validate() error {
	d := float64(len(w.Mean))
	var faults usererr.Faults
	faults.Demand(d >= 1, "dim", d, "at least 1")
	faults.Demand(w.Kappa > 0 && !math.IsInf(w.Kappa, 0), "kappa", w.Kappa, "a finite number above 0")
	faults.Demand(w.Nu > 0 && !math.IsInf(w.Nu, 0), "nu", w.Nu, "a finite number above 0")
	faults.Demand(len(w.Psi) == len(w.Mean), "psi", w.Psi, "as many numbers as the mean has")
	for _, v := range w.Psi {
		faults.Demand(v > 0 && !math.IsInf(v, 0) && !math.IsInf(1/v, 0), "psi", v, "finite numbers above 0")
	}
	for _, v := range w.Mean {
		faults.Demand(!math.IsNaN(v) && !math.IsInf(v, 0), "mean", v, "finite numbers")
	}
	return errors.Join(faults...)
}

// Check implements Likelihood.
func (w Diagonal) Check(x []float64) (n int, err error) {
	if err := w.Validate(); err != nil {
		return 0, err
	}
	if n, err = countPoints(x, len(w.Mean)); err != nil {
		return 0, err
	}
	for i, v := range x {
		j := i % len(w.Mean)
		if far := (v - w.Mean[j]) * (v - w.Mean[j]) / w.Psi[j]; far > farthest {
			return 0, usererr.New("standardize the points, or choose the prior from them",
				"coordinate %d of point %d lies %.3g prior widths from the prior's mean", j, i/len(w.Mean),
				math.Sqrt(far))
		}
	}
	return n, nil
}

// Dimension returns D.
func (w Diagonal) Dimension() int { return len(w.Mean) }

// Clusters implements Likelihood.
func (w Diagonal) Clusters(n int) func() Cluster {
	law := newDiagonalLaw(w, n)
	return func() Cluster {
		a := &axes{law: law, mean: make([]float64, len(w.Mean)), scatter: make([]float64, len(w.Mean))}
		a.Clear()
		return a
	}
}

// Draw implements Likelihood.
func (w Diagonal) Draw(rng *rand.Rand, labels []int32, x []float64) {
	d := len(w.Mean)
	for _, points := range partition.New(labels).Clusters() {
		for j := range d {
			width := math.Sqrt(1 / distuv.Gamma{Alpha: w.Nu / 2, Beta: w.Psi[j] / 2, Src: rng}.Rand())
			mean := w.Mean[j] + width/math.Sqrt(w.Kappa)*rng.NormFloat64()
			for _, i := range points {
				x[int(i)*d+j] = mean + width*rng.NormFloat64()
			}
		}
	}
}

// diagonalLaw is what the clusters of a Diagonal share.
type diagonalLaw struct {
	Diagonal
	sized []niwSized // by the number of points; of all coordinates
}

func newDiagonalLaw(w Diagonal, n int) *diagonalLaw {
	law, d := &diagonalLaw{Diagonal: w, sized: make([]niwSized, n+1)}, float64(len(w.Mean))
	least, _ := math.Lgamma(w.Nu / 2)
	start := w.Nu/2*logProduct(w.Psi) - d*least
	for m := range law.sized {
		kappa, nu := w.Kappa+float64(m), w.Nu+float64(m)
		ratio := kappa / (kappa + 1)
		above, _ := math.Lgamma((nu + 1) / 2)
		below, _ := math.Lgamma(nu / 2)
		law.sized[m] = niwSized{
			ratio: ratio, power: (nu + 1) / 2, constant: d * (above - below + math.Log(ratio/math.Pi)/2),
			marginal: start + d*(below+math.Log(w.Kappa/kappa)/2-float64(m)/2*math.Log(math.Pi)),
		}
	}
	return law
}

// axes is a cluster of a Diagonal: of each coordinate the parameters of the posterior, as an ellipsoid has them.
type axes struct {
	law     *diagonalLaw
	n       int
	mean    []float64 // [D], μ_n
	scatter []float64 // [D], Ψ_n
	stale   bool      // logDet is not yet that of the scatter
	logDet  float64   // Σ log Ψ_n
}

// Clear implements Cluster.
func (a *axes) Clear() {
	a.n, a.stale = 0, true
	copy(a.mean, a.law.Mean)
	copy(a.scatter, a.law.Psi)
}

// Add implements Cluster, as ellipsoid.Add.
func (a *axes) Add(x []float64) {
	a.shift(x, a.law.sized[a.n].ratio, 1/(a.kappa()+1))
	a.n++
}

// Remove implements Cluster: Add backwards.
func (a *axes) Remove(x []float64) {
	if a.n == 1 {
		a.Clear()
		return
	}
	a.shift(x, -1/a.law.sized[a.n-1].ratio, -1/(a.kappa()-1))
	a.n--
}

func (a *axes) kappa() float64 { return a.law.Kappa + float64(a.n) }

func (a *axes) shift(x []float64, outer, step float64) {
	for j, v := range x {
		diff := v - a.mean[j]
		a.scatter[j] += outer * diff * diff
		a.mean[j] += step * diff
	}
	a.stale = true
}

// Absorb implements Cluster.
func (a *axes) Absorb(other Cluster) {
	o := other.(*axes)
	own, others := a.kappa(), o.kappa()
	kappa := own + float64(o.n)
	for j, zero := range a.law.Mean { // from the prior's mean sums of squares add up
		p, q := a.mean[j]-zero, o.mean[j]-zero
		mean := (own*p + others*q) / kappa
		a.scatter[j] += o.scatter[j] - a.law.Psi[j] + own*p*p + others*q*q - kappa*mean*mean
		a.mean[j] = zero + mean
	}
	a.n += o.n
	a.stale = true
}

// LogPredictive returns the sum of the log-densities of Student's t in each coordinate, as ellipsoid's for D = 1.
func (a *axes) LogPredictive(x []float64) float64 {
	a.refresh()
	s := &a.law.sized[a.n]
	log, product := 0.0, 1.0
	for j, v := range x {
		diff := v - a.mean[j]
		product *= 1 + s.ratio*diff*diff/a.scatter[j]
		if product > 1e200 {
			log, product = log+math.Log(product), 1
		}
	}
	return s.constant - a.logDet/2 - s.power*(log+math.Log(product))
}

// LogMarginal returns the sum of those of the coordinates, as ellipsoid's for D = 1.
func (a *axes) LogMarginal() float64 {
	a.refresh()
	return a.law.sized[a.n].marginal - (a.law.Nu+float64(a.n))/2*a.logDet
}

func (a *axes) refresh() {
	if a.stale {
		a.logDet, a.stale = logProduct(a.scatter), false
	}
}

// logProduct returns the sum of the logarithms.
func logProduct(values []float64) (log float64) {
	product := 1.0
	for _, v := range values {
		if product *= v; product > 1e150 || product < 1e-150 {
			log, product = log+math.Log(product), 1
		}
	}
	return log + math.Log(product)
}
