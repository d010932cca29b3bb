package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// framedPosterior is the law of the partition of points x of unknown shift, and of unknown factor f if shape is above
// 0: the factor by a sum over log f (midpoints from −4 to 4), with the density f^((N−1)D) of the points at hand.
func framedPosterior(t *testing.T, g Gaussian, prior Prior, x []float64, shape float64) *Distribution {
	t.Helper()
	if shape == 0 {
		return must[*Distribution](t)(EnumerateCentred(g, prior, x))
	}
	parts := must[[][]int32](t)(Partitions(len(x) / g.Dim))
	values := make([][]float64, len(parts))
	precision := distuv.Gamma{Alpha: shape, Beta: math.Exp(mathext.Digamma(shape))}
	for logF := -3.975; logF < 4; logF += 0.05 {
		f := math.Exp(logF)
		scaled := append([]float64{}, x...)
		floats.Scale(f, scaled)
		weight := precision.LogProb(f*f) + 2*logF + float64(len(x)-g.Dim)*logF
		for i, labels := range parts {
			fit := must[float64](t)(g.LogLikelihoodCentred(scaled, labels))
			values[i] = append(values[i], weight+prior(sizesOf(labels))+fit)
		}
	}
	d := &Distribution{Labels: parts, LogProb: make([]float64, len(parts))}
	for i, v := range values {
		d.LogProb[i] = floats.LogSumExp(v)
	}
	must[float64](t)(Normalize(d.LogProb))
	return d
}

// Chains in a frame are at the partitions of six points as often as the exact posterior says, with the shift unknown,
// and with shift and width unknown; the law for a known frame does not fit. LogPosterior is the exact law up to a
// constant.
func TestFrameAgainstEnumeration(t *testing.T) {
	g, crp := Gaussian{Dim: 2, Tau: 4, Sigma: 1}, CRP{Alpha: 1.5, MinK: 2}
	x := drawPoints(rand.New(rand.NewPCG(61, 63)), g, []int32{0, 0, 0, 1, 1, 2})
	prior := mustPrior(t, crp, 6)
	for _, shape := range []float64{0, 2} {
		rng := rand.New(rand.NewPCG(9, uint64(shape)))
		chain := must[*Chain](t)(NewChain(g, crp, x, []int32{0, 0, 0, 1, 1, 1}))
		if err := chain.enframe(Frame{Centred: true, Shape: shape}); err != nil {
			t.Fatal(err)
		}
		exact := framedPosterior(t, g, prior, x, shape)
		constant := math.NaN()
		counts := visits(t, chain, 6_000, 6, func() {
			if err := chain.advance(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
			diff := chain.LogPosterior() - exact.LogProb[must[int](t)(PartitionIndex(chain.Labels()))]
			if math.IsNaN(constant) {
				constant = diff
			}
			if math.Abs(diff-constant) > 1e-3 { // the sum over log f has steps
				t.Fatalf("shape %v: log-posterior %v off", shape, diff-constant)
			}
		})
		if p := chiSquared(counts, probabilities(exact)); p < 0.001 {
			t.Errorf("shape %v: p = %v of the exact posterior", shape, p)
		}
		known, _, err := Enumerate(g, prior, x)
		if err != nil {
			t.Fatal(err)
		}
		if p := chiSquared(counts, probabilities(known)); p > 1e-6 {
			t.Errorf("shape %v: p = %v of the posterior in a known frame: the test sees nothing", shape, p)
		}
	}
}

// Points measured in a unit of 0.4 and far from their origin: the factor is found, and the clusters are those of the
// same points in the model's own frame.
func TestFrameFindsTheUnit(t *testing.T) {
	g, crp := Gaussian{Dim: 2, Tau: 10, Sigma: 1}, CRP{Alpha: 1}
	rng := rand.New(rand.NewPCG(11, 12))
	truth := drawCRP(rng, 120, 2)
	x := drawPoints(rng, g, truth)
	floats.Scale(0.4, x)
	floats.AddConst(300, x)
	chain := must[*Chain](t)(NewChain(g, crp, x, truth))
	if err := chain.enframe(Frame{Centred: true, Shape: 2}); err != nil {
		t.Fatal(err)
	}
	chain.reframe(rng)
	if fit := chain.fit(); floats.Norm(fit.mean, math.Inf(1)) > 5/math.Sqrt(fit.weight) {
		t.Errorf("the points lie around %v in the model's frame, want 0 ± %v", fit.mean, 1/math.Sqrt(fit.weight))
	}
	var factors []float64
	for s := range 400 {
		if err := chain.advance(t.Context(), rng); err != nil {
			t.Fatal(err)
		}
		if s >= 100 {
			factors = append(factors, chain.Factor())
		}
	}
	mean, spread := stat.MeanStdDev(factors, nil)
	if math.Abs(mean-2.5) > 0.4 || spread < 0.02 || spread > 0.3 {
		t.Errorf("factor %v ± %v, want 2.5 ± some 5 %%", mean, spread)
	}
	if chain.enframe(Frame{Shape: -1}) == nil {
		t.Error("a negative shape is accepted")
	}
	chain.model = Gaussian{Dim: 2, Sigma: 1}
	if chain.enframe(Frame{Centred: true}) == nil {
		t.Error("an unknown shift of means without spread is accepted")
	}
}
