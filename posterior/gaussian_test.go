package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/gfncp/gfncp/internal/partition"
)

// One coordinate: the integral over μ by Gauss-Legendre quadrature with 400 nodes over ±12 posterior standard
// deviations.
func TestLogMarginalAgainstQuadrature(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, g := range []Gaussian{{1, 10, 1}, {1, 0.5, 2}, {1, 3, 0.3}} {
		for _, n := range []int{1, 2, 5, 20} {
			x := drawPoints(rng, g, oneCluster(n))
			w := g.components(n)().laws[n].weight
			mean, sd := w*floats.Sum(x), math.Sqrt(w)*g.Sigma
			logAt := func(mu float64) float64 {
				sum := logNormal(mu, g.Tau*g.Tau)
				for _, v := range x {
					sum += logNormal(v-mu, g.Sigma*g.Sigma)
				}
				return sum
			}
			top := logAt(mean)
			area := quad.Fixed(func(mu float64) float64 { return math.Exp(logAt(mu) - top) },
				mean-12*sd, mean+12*sd, 400, nil, 0)
			got := g.LogLikelihood(x, oneCluster(n))
			near(t, "log marginal", got, top+math.Log(area), 1e-9)
		}
	}
}

// Chain rule: the sum of the predictives is the same in any order; removing points undoes adding them.
func TestChainRule(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	g := Gaussian{Dim: 3, Tau: 10, Sigma: 1}
	x := drawPoints(rng, g, oneCluster(12))
	want := g.LogLikelihood(x, oneCluster(12))
	for range 5 {
		c, sum, order := g.components(12)(), 0.0, rng.Perm(12)
		var predictives []float64
		for _, i := range order {
			predictives = append(predictives, c.logPredictive(x[3*i:3*i+3]))
			sum += predictives[len(predictives)-1]
			c.add(x[3*i:3*i+3], 1)
		}
		near(t, "sum of predictives", sum, want, 1e-9)
		for at := 11; at >= 0; at-- {
			i := order[at]
			c.add(x[3*i:3*i+3], -1)
			near(t, "predictive", c.logPredictive(x[3*i:3*i+3]), predictives[at], 1e-9)
		}
	}
}

// One point is N(0, τ²+σ²) in each coordinate; with τ = 0 all points are independent N(0, σ²).
func TestLogLikelihoodByHand(t *testing.T) {
	x := []float64{1, -2, 3, 0.5}
	got := Gaussian{2, 3, 2}.LogLikelihood(x, []int32{9, 4})
	near(t, "two singletons", got, logNormal(1, 13)+logNormal(-2, 13)+logNormal(3, 13)+logNormal(0.5, 13), 1e-13)
	got = Gaussian{2, 0, 2}.LogLikelihood(x, []int32{4, 4})
	near(t, "means known to be 0", got, logNormal(1, 4)+logNormal(-2, 4)+logNormal(3, 4)+logNormal(0.5, 4), 1e-13)
	// Two points of one cluster, τ = σ = 1: covariance [[2 1] [1 2]], determinant 3, inverse [[2 −1] [−1 2]]/3.
	got = Gaussian{1, 1, 1}.LogLikelihood([]float64{1, 2}, []int32{0, 0})
	near(t, "a pair", got, -math.Log(2*math.Pi)-0.5*math.Log(3)-(2*1-2*2+2*4)/6., 1e-13)
}

// The likelihood of a partition is the product of its clusters' marginals.
func TestLogLikelihoodFactorizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	g := Gaussian{Dim: 2, Tau: 4, Sigma: 1}
	for range 20 {
		labels := randomLabels(rng, 15, 4)
		x := drawPoints(rng, g, labels)
		want := 0.0
		for _, points := range partition.New(labels).Clusters() {
			var own []float64
			for _, i := range points {
				own = append(own, x[2*i:2*i+2]...)
			}
			want += g.LogLikelihood(own, oneCluster(len(points)))
		}
		near(t, "log-likelihood", g.LogLikelihood(x, labels), want, 1e-9)
	}
}

// A shift of all points changes nothing, and in one dimension the value is the integral over all shifts (trapezoids,
// step 0.01).
func TestLogLikelihoodCentred(t *testing.T) {
	g := Gaussian{Dim: 2, Tau: 4, Sigma: 1}
	labels := []int32{0, 1, 0, 2, 1}
	x := drawPoints(rand.New(rand.NewPCG(1, 2)), g, labels)
	value := g.LogLikelihoodCentred(x, labels)
	moved := slices.Clone(x)
	for i := range moved {
		moved[i] += []float64{30, -7}[i%2]
	}
	near(t, "after a shift", g.LogLikelihoodCentred(moved, labels), value, 1e-9)

	line := Gaussian{Dim: 1, Tau: 3, Sigma: 0.5}
	points := []float64{1, 1.7, -4, 6}
	for _, labels := range [][]int32{{0, 0, 0, 0}, {0, 0, 1, 2}, {0, 1, 2, 3}} {
		const step = 0.01
		var integral float64
		for s := -60.0; s <= 60; s += step {
			shifted := make([]float64, len(points))
			for i, p := range points {
				shifted[i] = p + s
			}
			integral += step * math.Exp(line.LogLikelihood(shifted, labels))
		}
		near(t, "integral over shifts", line.LogLikelihoodCentred(points, labels),
			math.Log(integral), 1e-6)
	}
}

// With a wide prior all means weigh the same, and the integral over shifts leaves √(2π τ²/K) a coordinate: the two
// laws differ by K^(−D/2) alone.
func TestEnumerateCentred(t *testing.T) {
	g := Gaussian{Dim: 1, Tau: 5000, Sigma: 1}
	x := []float64{-3, -2.5, 0, 0.5, 4}
	prior := priorOf(CRP{Alpha: 1, MinK: 2}, len(x))
	centred := EnumerateCentred(g, prior, x)
	plain, _ := enumerate(g, prior, x)
	want := slices.Clone(plain.LogProb)
	for i, labels := range plain.Labels {
		want[i] -= math.Log(float64(len(sizesOf(labels)))) / 2
	}
	floats.AddConst(-floats.LogSumExp(want), want)
	for i, p := range centred.LogProb {
		if len(sizesOf(plain.Labels[i])) == 1 {
			if !math.IsInf(p, -1) {
				t.Errorf("one cluster has log-probability %v, against the prior", p)
			}
			continue
		}
		near(t, "log-probability", p, want[i], 1e-4)
	}
}

// The prior with an unknown α is the mean of the priors over log-uniform α (10,000 midpoints).
func TestUnknownAlpha(t *testing.T) {
	c := CRP{Alpha: 0.5, AlphaMax: 8, MinK: 2}
	mixed := priorOf(c, 6)
	for _, sizes := range [][]int{{5, 1}, {2, 2, 2}, {1, 1, 1, 1, 1, 1}} {
		var mean float64
		const grid = 10000
		for i := range grid {
			alpha := 0.5 * math.Pow(16, (float64(i)+0.5)/grid)
			mean += math.Exp(priorOf(CRP{Alpha: alpha, MinK: 2}, 6)(sizes)) / grid
		}
		near(t, "prior", mixed(sizes), math.Log(mean), 1e-3)
	}
	if !math.IsInf(mixed([]int{6}), -1) {
		t.Error("the bound on K does not hold")
	}
}
