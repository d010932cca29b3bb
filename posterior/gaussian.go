package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
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

// component is a cluster: the sufficient statistics of its points. Not safe for concurrent use.
type component struct {
	componentLaw                // of so many points
	sum          []float64      // [D], Σ x
	n            int            // number of points
	laws         []componentLaw // of every number of points
}

// componentLaw holds the constants of the density of a further point in a cluster of m points.
type componentLaw struct {
	weight    float64 // w_m = τ²/(σ² + mτ²): given m points with sum S, the posterior of μ is N(w_m·S, w_m·σ²·I_D)
	logScale  float64 // −½D·log(2πσ²(1+w_m))
	precision float64 // 1 / (2σ²(1+w_m))
}

// components returns a function that makes empty clusters, for up to n points each.
func (g Gaussian) components(n int) func() *component {
	laws, t2, v := make([]componentLaw, n+1), g.Tau*g.Tau, g.Sigma*g.Sigma
	for m := range laws {
		w := t2 / (v + float64(m)*t2)
		variance := v * (1 + w)
		laws[m] = componentLaw{
			weight: w, logScale: -float64(g.Dim) / 2 * math.Log(2*math.Pi*variance), precision: 1 / (2 * variance),
		}
	}
	return func() *component {
		return &component{componentLaw: laws[0], laws: laws, sum: make([]float64, g.Dim)}
	}
}

// add takes point x [D] in where times is 1, and out again, with a rounding error, where it is −1.
func (c *component) add(x []float64, times int) {
	c.n += times
	c.componentLaw = c.laws[c.n]
	floats.AddScaled(c.sum, float64(times), x)
}

// logPredictive returns the log-density, in nats, of a further point x | x_1..n ~ N(w·Σx, σ²(1+w)·I_D),
// w = τ²/(σ² + nτ²).
func (c *component) logPredictive(x []float64) float64 {
	squared := 0.0
	for j, v := range x {
		diff := v - c.weight*c.sum[j]
		squared += diff * diff
	}
	return c.logScale - squared*c.precision
}

// LogLikelihood returns log p(x | partition) in nats of points x [N·D] (row-major) under labels [N] of any values, as
// the sum of predictives: no large numbers cancel.
func (g Gaussian) LogLikelihood(x []float64, labels []int32) (total float64) {
	p, open := partition.New(labels), g.components(len(labels))
	clusters := make([]*component, len(p.Size))
	for k := range clusters {
		clusters[k] = open()
	}
	for i, k := range p.Labels {
		point := x[i*g.Dim : (i+1)*g.Dim]
		total += clusters[k].logPredictive(point)
		clusters[k].add(point, 1)
	}
	return total
}

// LogLikelihoodCentred returns, in nats and up to a constant that no partition changes, log p(x | partition) of points
// x [N·D], given only their differences: ∫ p(x + s | partition) ds over all shifts s.
//
// A network can know no more of sets whose median has been subtracted. With v_k = τ² + σ²/n_k, w_k = 1/v_k, W = Σ w_k
// and m = Σ w_k x̄_k / W the integral multiplies the likelihood, in each coordinate, by √(2π/W) · exp(W m²/2).
func (g Gaussian) LogLikelihoodCentred(x []float64, labels []int32) float64 {
	p, total := partition.New(labels), g.LogLikelihood(x, labels)
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
	return total
}
