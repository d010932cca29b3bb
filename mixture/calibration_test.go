package mixture

import (
	"flag"
	"maps"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
)

var calibrationSets = flag.Int("calibrationsets", 40, "sets drawn from the prior; 1200 for the numbers in docs")

// calibrated are quantities whose true values are ranked among the chain's draws.
func (c *chain) calibrated() map[string]float64 {
	return map[string]float64{
		"K": float64(c.number), "clusters": float64(metrics.Clusters(c.labels)), "alpha": c.alpha,
		"nu": float64(c.tail),
	}
}

// Simulation-based calibration (Talts et al. 2018): of sets drawn from the prior, the ranks of the true K, α and ν
// among a chain's draws are uniform, and the probabilities that two rows are together are right. With a draw in place
// of the truth, their error is due to chance alone. The chain starts at K = 1 and is not told the truth.
func TestCalibration(t *testing.T) {
	short.Skip(t, "samples many sets")
	const n, sweeps, burn, thin, draws = 60, 1500, 300, 12, 100
	const smallest, largest, bins = 1e-4, 0.05, 10 // p of uniform ranks; calibration error of all pairs
	ranks := map[string][]int{}
	var predicted, doubtful []float64
	var truth, doubtfulTruth, doubtfulDraw []bool
	for set := range *calibrationSets {
		r := &em.Rows{N: n, Columns: [][]float64{make([]float64, n), make([]float64, n)}, First: []int{0}}
		rng := em.NewRandom(uint64(set), 0x736263)
		prior := newChain(r, &knowledge{}, make([]int32, n), gaussian, rng)
		prior.drawFromPrior()
		prior.drawRows(prior.labels)
		c := newChain(prior.rows, &knowledge{}, make([]int32, n), gaussian, rng)
		seen, together, drawn := map[string][]float64{}, make([]float64, n*n), make([]int32, n)
		for sweep := range sweeps {
			c.sweep(sweep < burn/5)
			if sweep < burn || sweep%thin != 0 {
				continue
			}
			for name, v := range c.calibrated() {
				seen[name] = append(seen[name], v)
			}
			if len(seen["K"]) == draws/2 {
				copy(drawn, c.labels)
			}
			for i, a := range c.labels {
				for j, b := range c.labels[:i] {
					if a == b {
						together[i*n+j] += 1.0 / draws
					}
				}
			}
		}
		values := prior.calibrated()
		for _, name := range slices.Sorted(maps.Keys(values)) { // in order: ties are drawn
			ranks[name] = append(ranks[name], rankOf(rng.Rand, values[name], seen[name]))
		}
		for i, a := range prior.labels {
			for j, b := range prior.labels[:i] {
				p := together[i*n+j]
				predicted, truth = append(predicted, p), append(truth, a == b)
				if p >= 0.05 && p <= 0.95 {
					doubtful, doubtfulTruth = append(doubtful, p), append(doubtfulTruth, a == b)
					doubtfulDraw = append(doubtfulDraw, drawn[i] == drawn[j])
				}
			}
		}
	}
	for name, of := range ranks {
		p := uniformRanks(of, draws, 8)
		t.Logf("%-8s ranks are uniform with p %.3f", name, p)
		if p < smallest {
			t.Errorf("the ranks of %s are not uniform: %v", name, of)
		}
	}
	all := metrics.ECE(must.M1(metrics.Reliability(predicted, truth, bins)))
	some := metrics.ECE(must.M1(metrics.Reliability(doubtful, doubtfulTruth, bins)))
	chance := metrics.ECE(must.M1(metrics.Reliability(doubtful, doubtfulDraw, bins)))
	t.Logf("calibration error of %d pairs %.4f, of %d with p in .05 to .95 %.4f; %.4f if a draw is the truth",
		len(predicted), all, len(doubtful), some, chance)
	if all > largest {
		t.Errorf("the probabilities of pairs are off by %.3f, want at most %g", all, largest)
	}
}
