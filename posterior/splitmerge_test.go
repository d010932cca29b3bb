package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// chiSquared returns the p-value of counts against probabilities; cells that expect fewer than five are pooled.
func chiSquared(counts, probs []float64) float64 {
	total, statistic, cells := floats.Sum(counts), 0.0, -1.0
	var restCount, restProb float64
	add := func(count, prob float64) {
		diff := count - total*prob
		statistic += diff * diff / (total * prob)
		cells++
	}
	for i, p := range probs {
		if total*p < 5 {
			restCount, restProb = restCount+counts[i], restProb+p
			continue
		}
		add(counts[i], p)
	}
	if total*restProb > 1 {
		add(restCount, restProb)
	}
	return distuv.ChiSquared{K: cells}.Survival(statistic)
}

// visits counts the partitions that a chain of x [6·D] stands at, after every stride-th of many steps.
func visits(t *testing.T, c *Chain, draws, stride int, step func()) []float64 {
	t.Helper()
	counts := make([]float64, 203)
	for range draws {
		for range stride {
			step()
		}
		counts[must[int](t)(PartitionIndex(c.Labels()))]++
	}
	return counts
}

func probabilities(d *Distribution) []float64 {
	probs := make([]float64, len(d.LogProb))
	for i, v := range d.LogProb {
		probs[i] = math.Exp(v)
	}
	return probs
}

// Split-merge steps alone, and with Gibbs steps of single points, are at the 203 partitions of six points as often as
// the exact posterior says; for another α the same counts do not fit.
func TestSplitMergeAgainstEnumeration(t *testing.T) {
	g := Gaussian{Dim: 2, Tau: 2, Sigma: 1}
	x := drawPoints(rand.New(rand.NewPCG(61, 62)), g, []int32{0, 0, 0, 1, 1, 2})
	for name, c := range map[string]struct {
		prior, wrong CRP
		sweeps       int // beside the proposals
		stride       int
	}{
		"alone":  {CRP{Alpha: 1.5}, CRP{Alpha: 1.8}, 0, 60},
		"bounds": {CRP{Alpha: 1.5, MinK: 2, MaxK: 4}, CRP{Alpha: 1.5, MinK: 2, MaxK: 5}, 1, 15},
		"alpha":  {CRP{Alpha: 0.5, AlphaMax: 8}, CRP{Alpha: 8}, 1, 15},
	} {
		rng := rand.New(rand.NewPCG(5, uint64(len(name))))
		chain := must[*Chain](t)(NewChain(g, c.prior, x, []int32{0, 0, 0, 1, 1, 1}))
		accepted, proposed := 0, 0
		counts := visits(t, chain, 6_000, c.stride, func() {
			for range c.sweeps {
				chain.Sweep(rng)
			}
			proposed++
			if chain.SplitMerge(rng) {
				accepted++
			}
		})
		exact, _, err := Enumerate(g, mustPrior(t, c.prior, 6), x)
		if err != nil {
			t.Fatal(err)
		}
		if p := chiSquared(counts, probabilities(exact)); p < 0.001 {
			t.Errorf("%s: p = %v of the exact posterior", name, p)
		}
		other, _, err := Enumerate(g, mustPrior(t, c.wrong, 6), x)
		if err != nil {
			t.Fatal(err)
		}
		if p := chiSquared(counts, probabilities(other)); p > 1e-4 {
			t.Errorf("%s: p = %v of the posterior under %+v: the test sees nothing", name, p, c.wrong)
		}
		if share := float64(accepted) / float64(proposed); share < 0.05 {
			t.Errorf("%s: %v of the proposals are accepted", name, share)
		}
	}
}

// Two separated groups of points that share a cluster: single points do not part them in 50 sweeps, one chain of
// split-merge proposals does, and its sums are those of the points.
func TestSplitMergeParts(t *testing.T) {
	g := Gaussian{Dim: 2, Tau: 10, Sigma: 1}
	rng := rand.New(rand.NewPCG(7, 8))
	var labels []int32
	for i := range 80 {
		labels = append(labels, int32(i%2))
	}
	x := drawPoints(rng, g, labels)
	prior := CRP{Alpha: 0.1}
	chain := must[*Chain](t)(NewChain(g, prior, x, OneCluster(80)))
	before := chain.LogPosterior()
	for range 20 {
		chain.SplitMerge(rng)
	}
	if k := len(chain.size); k < 2 || chain.LogPosterior() < before+100 {
		t.Errorf("%d clusters, log-posterior %v from %v", k, chain.LogPosterior(), before)
	}
	again := must[*Chain](t)(NewChain(g, prior, x, chain.Labels()))
	near(t, "log-posterior of the same labels", chain.LogPosterior(), again.LogPosterior(), 1e-8)
}
