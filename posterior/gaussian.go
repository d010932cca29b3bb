package posterior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Gaussian is the law of the points of a cluster whose mean is not known (paper, Sec. "data generation", σ_μ and σ_x):
//
//	μ ~ N(0, Tau²·I_D),   x_i ~ N(μ, Sigma²·I_D)
//
// Points are taken as given: a set whose median was subtracted must get it back before its posterior is exact.
type Gaussian struct {
	Dim   int     // D, coordinates of a point; at least 1
	Tau   float64 // τ, standard deviation of each coordinate of a mean, in data units; at least 0
	Sigma float64 // σ, standard deviation of each coordinate of a point around its mean, in data units; above 0
}

// Validate returns nil, or all faults at once, joined: one *usererr.Error each.
func (g Gaussian) Validate() error {
	var faults usererr.Faults
	faults.Demand(g.Dim >= 1, "dim", g.Dim, "at least 1")
	faults.Demand(g.Tau >= 0 && !math.IsInf(g.Tau, 0), "tau", g.Tau, "a finite number of at least 0")
	faults.Demand(g.Sigma > 0 && !math.IsInf(g.Sigma, 0), "sigma", g.Sigma, "a finite number above 0")
	return errors.Join(faults...)
}

// meanWeight returns w_n = τ²/(σ² + nτ²): given n points with sum S, the posterior of μ is N(w_n·S, w_n·σ²·I_D).
func (g Gaussian) meanWeight(n int) float64 {
	t2 := g.Tau * g.Tau
	return t2 / (g.Sigma*g.Sigma + float64(n)*t2)
}

// Check implements Likelihood.
func (g Gaussian) Check(x []float64) (n int, err error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	return countPoints(x, g.Dim)
}

// Dimension returns D.
func (g Gaussian) Dimension() int { return g.Dim }

// Clusters implements Likelihood.
func (g Gaussian) Clusters(n int) func() Cluster {
	laws := roundLaws(g, n)
	return func() Cluster {
		return &round{roundLaw: laws[0], laws: laws, sum: make([]float64, g.Dim), variance: g.Sigma * g.Sigma}
	}
}

// Draw implements Likelihood.
func (g Gaussian) Draw(rng *rand.Rand, labels []int32, x []float64) {
	mean := make([]float64, g.Dim)
	for _, points := range partition.New(labels).Clusters() {
		for j := range mean {
			mean[j] = g.Tau * rng.NormFloat64()
		}
		for _, i := range points {
			for j, m := range mean {
				x[int(i)*g.Dim+j] = m + g.Sigma*rng.NormFloat64()
			}
		}
	}
}

// roundLaw is what the densities of a Gaussian's cluster of m points need beside the sums over them.
type roundLaw struct {
	weight    float64 // w_m
	logScale  float64 // −½D·log(2πσ²(1+w_m))
	precision float64 // 1 / (2σ²(1+w_m))
	constant  float64 // of the log-marginal: −½mD·log(2πσ²) − ½D·log(1 + mτ²/σ²)
}

// roundLaws returns the laws of clusters of 0..n points.
func roundLaws(g Gaussian, n int) []roundLaw {
	laws, v, half := make([]roundLaw, n+1), g.Sigma*g.Sigma, float64(g.Dim)/2
	for m := range laws {
		w := g.meanWeight(m)
		variance := v * (1 + w)
		laws[m] = roundLaw{
			weight: w, logScale: -half * math.Log(2*math.Pi*variance), precision: 1 / (2 * variance),
			constant: -float64(m)*half*math.Log(2*math.Pi*v) - half*math.Log1p(float64(m)*g.Tau*g.Tau/v),
		}
	}
	return laws
}

// round is a cluster of a Gaussian.
type round struct {
	roundLaw            // of so many points
	sum      []float64  // [D], Σ x
	squares  float64    // Σ |x|²
	n        int        // number of points
	laws     []roundLaw // of every number of points
	variance float64    // σ²
}

func (r *round) Add(x []float64) {
	r.resize(r.n + 1)
	for j, v := range x {
		r.sum[j] += v
		r.squares += v * v
	}
}

func (r *round) Remove(x []float64) {
	if r.n == 1 {
		r.Clear()
		return
	}
	r.resize(r.n - 1)
	for j, v := range x {
		r.sum[j] -= v
		r.squares -= v * v
	}
}

func (r *round) resize(n int) { r.n, r.roundLaw = n, r.laws[n] }

func (r *round) Clear() {
	r.resize(0)
	r.squares = 0
	clear(r.sum)
}

// LogPredictive returns the log-density of x | x_1..n ~ N(w·Σx, σ²(1+w)·I_D), w = τ²/(σ² + nτ²).
func (r *round) LogPredictive(x []float64) float64 {
	squared := 0.0
	for j, v := range x {
		diff := v - r.weight*r.sum[j]
		squared += diff * diff
	}
	return r.logScale - squared*r.precision
}

// LogMarginal returns
//
//	log p(x_1..n) = −½nD·log(2πσ²) − ½D·log(1 + nτ²/σ²) − (Σ|x|² − τ²/(σ²+nτ²)·|Σx|²) / (2σ²)
//
// The last difference loses digits when the points are many σ away from 0.
func (r *round) LogMarginal() float64 {
	return r.constant - (r.squares-r.weight*floats.Dot(r.sum, r.sum))/(2*r.variance)
}

// LogLikelihoodCentred returns, in nats and up to a constant that no partition changes, log p(x | partition) of points
// x [N·D] of which only the differences are known: ∫ p(x + s | partition) ds over all shifts s.
//
// It is what a network can know of sets whose median has been subtracted: such a set is its points up to a shift. With
// v_k = τ² + σ²/n_k, w_k = 1/v_k, W = Σ w_k and m = Σ w_k x̄_k / W the integral multiplies the likelihood, in each
// coordinate, by √(2π/W) · exp(W m²/2).
//
// Errors are those of LogLikelihood; the prior's spread τ must be above 0.
func (g Gaussian) LogLikelihoodCentred(x []float64, labels []int32) (float64, error) {
	if g.Tau <= 0 {
		return 0, fmt.Errorf("likelihood of a centred set: tau is %v, but must be above 0", g.Tau)
	}
	total, err := LogLikelihood(g, x, labels)
	if err != nil {
		return 0, err
	}
	p := partition.New(labels)
	for j := range g.Dim {
		var all, mean float64 // W and W·m
		for c, points := range p.Clusters() {
			n, sum := float64(p.Size[c]), 0.0
			for _, i := range points {
				sum += x[int(i)*g.Dim+j]
			}
			w := 1 / (g.Tau*g.Tau + g.Sigma*g.Sigma/n)
			all += w
			mean += w * sum / n
		}
		total += math.Log(2*math.Pi/all)/2 + mean*mean/(2*all)
	}
	return total, nil
}
