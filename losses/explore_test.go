package losses_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/metrics"
)

const draws = 20_000

// key names a labelling of at most 9 clusters.
func key(labels []int32) string {
	name := ""
	for _, c := range labels {
		name += string(rune('0' + c))
	}
	return name
}

// assertLaw compares the frequencies of draws with the exact law by Pearson's chi-square. The seed is fixed; a right
// rule fails for one seed in a million.
func assertLaw(t *testing.T, rule string, labels []int32, law map[string]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(41, 42))
	before := slices.Clone(labels)
	counts := map[string]int{}
	for range draws {
		counts[key(losses.ExplorationLabels(rng, rule, labels))]++
	}
	if !slices.Equal(labels, before) {
		t.Errorf("%s changed its input", rule)
	}
	var seen, want []float64
	total := 0.0
	for name, p := range law {
		seen, want, total = append(seen, float64(counts[name])), append(want, p*draws), total+p
		delete(counts, name)
	}
	statistic := stat.ChiSquare(seen, want)
	assertClose(t, "total probability of the exact law", total, 1, 1e-12, 1)
	if len(counts) > 0 {
		t.Errorf("%s of %v drew impossible labels %v", rule, before, counts)
	}
	if limit := (distuv.ChiSquared{K: float64(len(law) - 1)}).Quantile(1 - 1e-6); statistic > limit {
		t.Errorf("%s of %v: chi-square %.1f over %d labellings, want at most %.1f",
			rule, before, statistic, len(law), limit)
	}
}

// uniformly is the law of the canonical form of n labels that are independent and uniform over k values, pushed through
// pick: by enumeration.
func uniformly(k, n int, pick func(values []int32) []int32) map[string]float64 {
	law := map[string]float64{}
	total := 1
	for range n {
		total *= k
	}
	for code := range total {
		values := make([]int32, n)
		for i := range values {
			values[i], code = int32(code%k), code/k
		}
		canonical, _ := metrics.Canonical(pick(values))
		law[key(canonical)] += 1 / float64(total)
	}
	return law
}

func TestUniformLabelsLaw(t *testing.T) {
	same := func(values []int32) []int32 { return values }
	assertLaw(t, losses.UniformLabels, []int32{0, 1, 1, 2}, uniformly(3, 4, same))
	assertLaw(t, losses.UniformLabels, []int32{0, 1, 0, 0}, uniformly(2, 4, same))
	assertLaw(t, losses.UniformLabels, []int32{0, 1, 2, 3}, uniformly(4, 4, same))
}

func TestMergeBlocksLaw(t *testing.T) {
	for _, labels := range [][]int32{{0, 0, 1, 2, 1}, {0, 1, 0, 1}, {0, 1, 2, 3}} {
		k := int(slices.Max(labels)) + 1
		law := uniformly(k, k, func(to []int32) []int32 {
			moved := make([]int32, len(labels))
			for i, c := range labels {
				moved[i] = to[c]
			}
			return moved
		})
		assertLaw(t, losses.MergeBlocks, labels, law)
	}
}
