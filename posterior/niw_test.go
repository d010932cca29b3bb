package posterior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// randomNIW returns a prior of ellipsoids that lean, away from 0.
func randomNIW(rng *rand.Rand, d int) NIW {
	w := NIW{Mean: normals(rng, d), Kappa: 0.3, Nu: float64(d) + 2.5, Psi: mat.NewSymDense(d, nil)}
	w.Psi.SymOuterK(1, mat.NewDense(d, d, normals(rng, d*d)))
	for j := range d {
		w.Psi.SetSym(j, j, w.Psi.At(j, j)+0.5)
	}
	return w
}

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// One coordinate: given σ² a cluster is a Gaussian of width σ with means of spread σ/√κ0, whose log-marginal is known;
// σ² is inverse-gamma, integrated by Gauss-Legendre over log σ². A single point is Student's t.
func TestNIWMarginalAgainstQuadrature(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	const kappa, nu, psi = 0.4, 3.5, 1.7
	w := NIW{Mean: []float64{0}, Kappa: kappa, Nu: nu, Psi: mat.NewSymDense(1, []float64{psi})}
	for _, n := range []int{1, 2, 7, 30} {
		x := drawPoints(rng, w, OneCluster(n))
		got := must[float64](t)(LogLikelihood(w, x, OneCluster(n)))
		logAt := func(logVariance float64) float64 {
			sigma := math.Exp(logVariance / 2)
			fit := must[float64](t)(LogLikelihood(Gaussian{1, sigma / math.Sqrt(kappa), sigma}, x, OneCluster(n)))
			precision := distuv.Gamma{Alpha: nu / 2, Beta: psi / 2} // of 1/σ²
			return fit + precision.LogProb(math.Exp(-logVariance)) - logVariance
		}
		area := quad.Fixed(func(v float64) float64 { return math.Exp(logAt(v) - got) }, -12, 16, 600, nil, 0)
		near(t, "log of the ratio to the integral", math.Log(area), 0, 1e-8)
		if n == 1 {
			law := distuv.StudentsT{Mu: 0, Sigma: math.Sqrt(psi * (kappa + 1) / (kappa * nu)), Nu: nu}
			near(t, "one point", got, law.LogProb(x[0]), 1e-12)
		}
	}
}

// In any order the predictives of the points sum to the log-marginal; Absorb is all of Add, and Clear and Remove of
// all leave nothing.
func TestNIWStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	for _, d := range []int{1, 3, 8} {
		w := randomNIW(rng, d)
		const n = 14
		x := drawPoints(rng, w, OneCluster(n))
		open := w.Clusters(n)
		point := func(i int) []float64 { return x[i*d : (i+1)*d] }
		whole := open()
		for i := range n {
			whole.Add(point(i))
		}
		for range 5 {
			s, sum, order := open(), 0.0, rng.Perm(n)
			halves := [2]Cluster{open(), open()}
			for at, i := range order {
				sum += s.LogPredictive(point(i))
				s.Add(point(i))
				halves[at/5%2].Add(point(i))
			}
			near(t, "sum of predictives", sum, whole.LogMarginal(), 1e-9)
			halves[0].Absorb(halves[1])
			near(t, "both halves", halves[0].LogMarginal(), whole.LogMarginal(), 1e-9)
			near(t, "beside both", halves[0].LogPredictive(w.Mean), whole.LogPredictive(w.Mean), 1e-9)
			for _, i := range order {
				before := s.LogMarginal()
				s.Remove(point(i))
				near(t, "predictive", s.LogPredictive(point(i)), before-s.LogMarginal(), 1e-9)
			}
			near(t, "an empty cluster", s.LogMarginal(), 0, 1e-12)
			halves[1].Clear()
			near(t, "a cleared cluster", halves[1].LogMarginal(), 0, 1e-12)
			halves[0].Absorb(halves[1])
			near(t, "nothing more", halves[0].LogMarginal(), whole.LogMarginal(), 1e-9)
		}
	}
}

// After 10,000 points that came and went, the statistics of those that stay are as if nobody had come.
func TestNIWForgets(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for _, d := range []int{1, 5, 32} {
		w := randomNIW(rng, d)
		const n = 40
		x := drawPoints(rng, w, OneCluster(n))
		open := w.Clusters(n)
		stay, moved := open().(*ellipsoid), open().(*ellipsoid)
		for i := range n / 2 {
			stay.Add(x[i*d : (i+1)*d])
			moved.Add(x[i*d : (i+1)*d])
		}
		inside := make([]bool, n)
		for range 10_000 {
			i := n/2 + rng.IntN(n/2)
			if inside[i] {
				moved.Remove(x[i*d : (i+1)*d])
			} else {
				moved.Add(x[i*d : (i+1)*d])
			}
			inside[i] = !inside[i]
		}
		for i, in := range inside {
			if in {
				moved.Remove(x[i*d : (i+1)*d])
			}
		}
		near(t, "log-marginal", moved.LogMarginal(), stay.LogMarginal(), 1e-9)
		for j := range d {
			near(t, "mean", moved.mean[j], stay.mean[j], 1e-9)
		}
		if !mat.EqualApprox(moved.scatter, stay.scatter, 1e-9) {
			t.Errorf("D = %d: the scatter does not come back", d)
		}
	}
}

// A point 10,000 prior widths away comes and goes, and what it leaves in the densities is rounding. Farther ones are
// refused.
func TestNIWOutlier(t *testing.T) {
	w := NIW{Mean: make([]float64, 2), Kappa: 1, Nu: 4, Psi: mat.NewSymDense(2, []float64{1, 0, 0, 1})}
	stay, moved := w.Clusters(9)(), w.Clusters(9)()
	for i := range 5 {
		p := []float64{float64(i), float64(i * i)}
		stay.Add(p)
		moved.Add(p)
	}
	far := []float64{5e4, -8e4}
	for range 100 {
		moved.Add(far)
		moved.Remove(far)
	}
	near(t, "predictive", moved.LogPredictive([]float64{1, 2}), stay.LogPredictive([]float64{1, 2}), 1e-4)
	if _, err := w.Check(far); err != nil {
		t.Errorf("%v: %v", far, err)
	}
	if _, err := w.Check([]float64{0, 0, 3e5, 0}); !usererr.Is(err) {
		t.Errorf("a point 3e5 widths away: %v", err)
	}
}

// Removing a point that was never in is a fault of the program.
func TestNIWRemovesNoStranger(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a stranger was removed")
		}
	}()
	w := StandardNIW(2)
	c := w.Clusters(3)()
	c.Add([]float64{0, 0})
	c.Add([]float64{0.1, 0})
	c.Remove([]float64{50, 50})
	c.LogMarginal()
}

// Points that are mapped by x → A·x + b have the same posterior if the prior is mapped, too: the likelihood of every
// partition is divided by |det A| for each point.
func TestNIWAffine(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	const d, n = 3, 20
	w := randomNIW(rng, d)
	a, b := mat.NewDense(d, d, normals(rng, d*d)), mat.NewVecDense(d, normals(rng, d))
	apply := func(x []float64) []float64 {
		y := mat.NewVecDense(d, nil)
		y.MulVec(a, mat.NewVecDense(d, x))
		y.AddVec(y, b)
		return y.RawVector().Data
	}
	mapped := NIW{Mean: apply(w.Mean), Kappa: w.Kappa, Nu: w.Nu, Psi: mat.NewSymDense(d, nil)}
	var left, psi mat.Dense
	left.Mul(a, w.Psi)
	psi.Mul(&left, a.T())
	for i := range d {
		for j := i; j < d; j++ {
			mapped.Psi.SetSym(i, j, psi.At(i, j))
		}
	}
	for range 10 {
		labels := randomLabels(rng, n, 4)
		x, y := drawPoints(rng, w, labels), []float64(nil)
		for i := range n {
			y = append(y, apply(x[i*d:(i+1)*d])...)
		}
		before := must[float64](t)(LogLikelihood(w, x, labels))
		after := must[float64](t)(LogLikelihood(mapped, y, labels))
		near(t, "log-likelihood", after+n*math.Log(math.Abs(mat.Det(a))), before, 1e-8)
	}
}

// Draws: the covariance of points around the mean of their cluster is Ψ0/(ν0 − D − 1) on average, that of their means
// 1/κ0 times as large.
func TestNIWDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(89, 90))
	const d, clusters, each = 2, 20_000, 3
	w := NIW{
		Mean: []float64{1, -2}, Kappa: 0.5, Nu: 12, Psi: mat.NewSymDense(d, []float64{9, 3, 3, 18}),
	}
	labels := make([]int32, clusters*each)
	for i := range labels {
		labels[i] = int32(i / each)
	}
	x := drawPoints(rng, w, labels)
	within, all := mat.NewDense(clusters*each, d, nil), mat.NewDense(clusters, d, nil)
	for k := range clusters {
		for i := range each {
			row := within.RawRowView(k*each + i)
			copy(row, x[(k*each+i)*d:])
			floats.AddScaled(all.RawRowView(k), 1./each, row)
		}
		for i := range each {
			floats.Sub(within.RawRowView(k*each+i), all.RawRowView(k))
		}
	}
	var inside, between mat.SymDense
	stat.CovarianceMatrix(&inside, within, nil)
	stat.CovarianceMatrix(&between, all, nil)
	for i := range d {
		near(t, "mean of the clusters", stat.Mean(mat.Col(nil, i, all), nil), w.Mean[i], 0.05)
		for j := range d {
			sigma := w.Psi.At(i, j) / 9
			near(t, "within", inside.At(i, j)*each/(each-1), sigma, 0.04)
			near(t, "between", between.At(i, j), sigma*(1/w.Kappa+1./each), 0.15)
		}
	}
}

// Six points of two ellipses: Gibbs steps and split-merge proposals are at the 203 partitions as often as the exact
// posterior says; the same counts do not fit that of wider clusters.
func TestNIWAgainstEnumeration(t *testing.T) {
	w := NIW{Mean: make([]float64, 2), Kappa: 0.2, Nu: 5, Psi: mat.NewSymDense(2, []float64{1, 0.5, 0.5, 1})}
	x := drawPoints(rand.New(rand.NewPCG(91, 95)), w, []int32{0, 0, 0, 1, 1, 1})
	prior := CRP{Alpha: 1.5}
	for name, step := range map[string]func(*Chain, *rand.Rand){
		"Gibbs":       func(c *Chain, rng *rand.Rand) { c.Sweep(rng) },
		"split-merge": func(c *Chain, rng *rand.Rand) { c.SplitMerge(rng) },
		"both": func(c *Chain, rng *rand.Rand) {
			if err := c.advance(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
		},
	} {
		chain := must[*Chain](t)(NewChain(w, prior, x, OneCluster(6)))
		stride := map[string]int{"Gibbs": 8, "split-merge": 60, "both": 5}[name]
		rng := rand.New(rand.NewPCG(93, 94))
		counts := visits(t, chain, 4_000, stride, func() { step(chain, rng) })
		exact, _, err := Enumerate(w, mustPrior(t, prior, 6), x)
		if err != nil {
			t.Fatal(err)
		}
		if p := chiSquared(counts, probabilities(exact)); p < 0.001 {
			t.Errorf("%s: p = %v of the exact posterior", name, p)
		}
		at := must[int](t)(PartitionIndex(chain.Labels()))
		again := must[*Chain](t)(NewChain(w, prior, x, OneCluster(6)))
		near(t, "log-posterior", chain.LogPosterior()-again.LogPosterior(), exact.LogProb[at]-exact.LogProb[0], 1e-9)
		wider := w
		wider.Psi = mat.NewSymDense(2, []float64{2, 1, 1, 2})
		other, _, err := Enumerate(wider, mustPrior(t, prior, 6), x)
		if err != nil {
			t.Fatal(err)
		}
		if p := chiSquared(counts, probabilities(other)); p > 1e-4 {
			t.Errorf("%s: p = %v of the posterior of wider clusters: the test sees nothing", name, p)
		}
	}
}

// Geweke's joint distribution test passes for the sampler, and finds a wrong ν0 and a wrong κ0.
func TestNIWGeweke(t *testing.T) {
	right := NIW{Mean: []float64{0.5, 0}, Kappa: 0.5, Nu: 12, Psi: mat.NewSymDense(2, []float64{8, 3, 3, 9})}
	worst := func(w NIW) (z float64) {
		for _, v := range gewekeScores(t, right, Gibbs{Model: w, Prior: CRP{Alpha: 1.2}}) {
			z = max(z, math.Abs(v))
		}
		return z
	}
	if z := worst(right); z > 3.5 { // five scores: p < 0.003 for a right sampler
		t.Errorf("largest |z| = %v", z)
	}
	wrong := right
	wrong.Nu = 20
	if z := worst(wrong); z < 5 {
		t.Errorf("ν0 = 20 in place of 12: largest |z| = %v, not found", z)
	}
	wrong = right
	wrong.Kappa = 0.2
	if z := worst(wrong); z < 5 {
		t.Errorf("κ0 = 0.2 in place of 0.5: largest |z| = %v, not found", z)
	}
}

func TestNIWErrors(t *testing.T) {
	good := StandardNIW(2)
	if n, err := good.Check([]float64{1, 2, 3, 4}); n != 2 || err != nil {
		t.Errorf("two points: %d, %v", n, err)
	}
	for name, change := range map[string]func(*NIW){
		"dim":        func(w *NIW) { w.Mean = nil },
		"mean":       func(w *NIW) { w.Mean = []float64{0, math.NaN()} },
		"kappa":      func(w *NIW) { w.Kappa = 0 },
		"nu":         func(w *NIW) { w.Nu = 1 },
		"psi":        func(w *NIW) { w.Psi = mat.NewSymDense(2, []float64{1, 1, 1, 1}) },
		"no psi":     func(w *NIW) { w.Psi = nil },
		"psi of 3":   func(w *NIW) { w.Psi = StandardNIW(3).Psi },
		"psi of NaN": func(w *NIW) { w.Psi = mat.NewSymDense(2, []float64{math.NaN(), 0, 0, 1}) },
	} {
		bad := good
		change(&bad)
		if _, err := bad.Check([]float64{1, 2}); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	if _, err := good.Check([]float64{1, 2, 3}); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("three coordinates: %v", err)
	}
	if _, err := good.Check([]float64{1, math.Inf(1)}); !errors.Is(err, metrics.ErrNotFinite) {
		t.Errorf("an infinite coordinate: %v", err)
	}
	if _, err := NewEnsemble(good, CRP{Alpha: 1}, Frame{Centred: true}, []float64{1, 2}, [][]int32{{0}},
		streams(1)); !usererr.Is(err) {
		t.Errorf("an unknown frame: %v", err)
	}
}

func BenchmarkNIW(b *testing.B) {
	for _, c := range []struct{ d, n, k int }{{4, 150, 3}, {10, 300, 5}, {32, 2000, 8}} {
		b.Run(fmt.Sprintf("D=%d,N=%d,K=%d", c.d, c.n, c.k), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(99, 100))
			labels := make([]int32, c.n)
			for i := range labels {
				labels[i] = int32(i % c.k)
			}
			w := StandardNIW(c.d)
			chain, err := NewChain(w, CRP{Alpha: 1}, drawPoints(rng, w, labels), labels)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				chain.Sweep(rng)
			}
		})
	}
}
