package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// exactProbs returns the probability of each partition of the points x by the network's energy tables, in the order of
// posterior.Partitions.
func exactProbs(net *models.Network, x []float32, n int) (probs []float64) {
	for _, labels := range must.M1(posterior.Partitions(n)) {
		table := must.M1(net.Tables(x, labels, 1, n))[0]
		probs = append(probs, math.Exp(must.M1(metrics.LogProb(table, labels))))
	}
	return probs
}

// Ancestral samples follow the exact probabilities, from the host loop and from the compiled loop: Pearson's χ² with a
// significance level of 0.001 and cells pooled to an expectation of at least 5.
func TestAncestralFrequencies(t *testing.T) {
	const n, samples = 4, 4000
	net := newNet(2, false)
	x := newPoints(3, 1, n)
	sets := must.M1(Encode(net, x, 1, n))
	probs := exactProbs(net, x, n)
	policy := NewAncestral(rand.New(rand.NewPCG(5, 6)), samples, n)
	for name, run := range loops(sets) {
		counts := make(map[string]int)
		for _, labels := range must.M1(run(make([]Sequence, samples), policy)).Labels {
			counts[fmt.Sprint(labels)]++
		}
		var chi2, rareSeen, rareExpected float64
		cells := 0
		for i, labels := range must.M1(posterior.Partitions(n)) {
			seen, expected := float64(counts[fmt.Sprint(labels)]), samples*probs[i]
			if expected < 5 {
				rareSeen, rareExpected = rareSeen+seen, rareExpected+expected
				continue
			}
			chi2 += (seen - expected) * (seen - expected) / expected
			cells++
		}
		if rareExpected >= 5 {
			chi2 += (rareSeen - rareExpected) * (rareSeen - rareExpected) / rareExpected
			cells++
		}
		p := distuv.ChiSquared{K: float64(cells - 1)}.Survival(chi2)
		t.Logf("%s: χ² = %.2f in %d cells, p = %.3f", name, chi2, cells, p)
		if cells < 5 || p < 0.001 {
			t.Errorf("%s: χ² = %.2f in %d cells has p = %.4f", name, chi2, cells, p)
		}
	}
}
