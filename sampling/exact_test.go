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
)

// partitions lists all partitions of n points as canonical labels.
func partitions(n int) [][]int32 {
	all := [][]int32{{}}
	for range n {
		var longer [][]int32
		for _, labels := range all {
			for c := range int32(clusters(labels) + 1) {
				longer = append(longer, append(append([]int32{}, labels...), c))
			}
		}
		all = longer
	}
	return all
}

// exactProbs returns the probability of each partition of the points x by the network's energy tables, in the order of
// partitions.
func exactProbs(net *models.Network, x []float32, n int) (probs []float64) {
	for _, labels := range partitions(n) {
		table := must.M1(net.Tables(x, labels, 1, n))[0]
		probs = append(probs, math.Exp(must.M1(metrics.LogProb(table, labels))))
	}
	return probs
}

// The probabilities of all partitions sum to 1, those of the energy tables and those of Given alike.
func TestPartitionProbabilitiesSumToOne(t *testing.T) {
	const n = 5
	net := newNet(1, false)
	x := newPoints(3, 1, n)
	sets := must.M1(Encode(net, x, 1, n))
	all := partitions(n)
	if len(all) != 52 { // the Bell number B_5
		t.Fatalf("%d partitions of 5 points", len(all))
	}
	exact := exactProbs(net, x, n)
	var sum, sumExact float64
	for i, labels := range all {
		r := must.M1(sets.Run(sets.EachSet(), &Given{Labels: [][]int32{labels}}))
		p := math.Exp(r.LogProb[0])
		assertNear(t, fmt.Sprintf("probability of %v", labels), p, exact[i], 1e-4)
		sum, sumExact = sum+p, sumExact+exact[i]
	}
	assertNear(t, "sum", sum, 1, 1e-5)
	assertNear(t, "exact sum", sumExact, 1, 1e-5)
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
		for i, labels := range partitions(n) {
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
