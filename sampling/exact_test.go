package sampling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// exactProbs returns the probability of each partition of the points x by the network's energy tables, in the order of
// posterior.Partitions.
func exactProbs(net *models.Network, x []float32, n int) (probs []float64) {
	for _, labels := range posterior.Partitions(n) {
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
	sets := must.M1(Encode(context.Background(), net, x, 1, n))
	probs := exactProbs(net, x, n)
	policy := Ancestral(rand.New(rand.NewPCG(5, 6)), samples, n)
	for name, run := range loops(sets) {
		counts := make(map[string]int)
		for _, labels := range must.M1(run(make([]Sequence, samples), policy)).Labels {
			counts[fmt.Sprint(labels)]++
		}
		seen, expected := []float64{0}, []float64{0} // the rare ones first
		for i, labels := range posterior.Partitions(n) {
			count, mean := float64(counts[fmt.Sprint(labels)]), samples*probs[i]
			if mean < 5 {
				seen[0], expected[0] = seen[0]+count, expected[0]+mean
			} else {
				seen, expected = append(seen, count), append(expected, mean)
			}
		}
		if expected[0] < 5 {
			seen, expected = seen[1:], expected[1:]
		}
		chi2, cells := stat.ChiSquare(seen, expected), len(seen)
		p := distuv.ChiSquared{K: float64(cells - 1)}.Survival(chi2)
		t.Logf("%s: χ² = %.2f in %d cells, p = %.3f", name, chi2, cells, p)
		if cells < 5 || p < 0.001 {
			t.Errorf("%s: χ² = %.2f in %d cells has p = %.4f", name, chi2, cells, p)
		}
	}
}

// A beam as wide as the number of partitions finds all of them in order of probability; their probabilities sum to 1.
// Width 1 is greedy decoding. Labels and log-probabilities agree with those of given labels.
func TestBeam(t *testing.T) {
	net := newNet(7, false)
	const n = 5 // Bell(5) = 52 partitions
	sets := must.M1(Encode(context.Background(), net, newPoints(7, 2, n), 2, n))
	q := Sequence{Set: 1, Order: []int32{3, 0, 4, 1, 2}}
	all := must.M1(sets.Beam(q, 100))
	if len(all.Labels) != 52 {
		t.Fatalf("%d labellings, want Bell(5) = 52", len(all.Labels))
	}
	sum := 0.0
	for i, p := range all.LogProb {
		sum += math.Exp(p)
		if i > 0 && p > all.LogProb[i-1] {
			t.Fatalf("log-prob %g of path %d is above the one before, %g", p, i, all.LogProb[i-1])
		}
		given := must.M1(sets.Run([]Sequence{q}, Given(all.Labels[i:i+1])))
		if !(math.Abs(given.LogProb[0]-p) <= 1e-5*math.Max(1, -p)) {
			t.Fatalf("path %d: log-prob %g, but given labels have %g", i, p, given.LogProb[0])
		}
	}
	if !(math.Abs(sum-1) <= 1e-5) {
		t.Errorf("the probabilities sum to %g", sum)
	}
	one, greedy := must.M1(sets.Beam(q, 1)), must.M1(sets.Run([]Sequence{q}, Greedy()))
	if !slices.Equal(one.Labels[0], greedy.Labels[0]) || !(math.Abs(one.LogProb[0]-greedy.LogProb[0]) <= 1e-9) {
		t.Errorf("width 1 gave %v (%g), greedy %v (%g)", one.Labels[0],
			one.LogProb[0], greedy.Labels[0], greedy.LogProb[0])
	}
}
