package posterior

import (
	"cmp"
	"slices"

	"github.com/gfncp/gfncp/metrics"
)

// Sample is one sampled partition.
type Sample struct {
	Labels  []int32 // [N], any values
	LogProb float64 // log p(c|x) in nats, in the data order of the draw
}

// Distinct is a partition that was drawn Count times.
type Distinct struct {
	Labels  []int32 // [N], canonical
	LogProb float64 // of the first draw
	Count   int
}

// Collapse groups samples that are the same partition, whatever their clusters are called.
//
// The result is sorted by falling LogProb, then falling Count, then rising labels (lexicographic). Draws of one
// partition in one data order have equal log-probabilities up to rounding; the first draw's value is kept. The samples
// are not changed; none give an empty result.
func Collapse(samples []Sample) []Distinct {
	var out []Distinct
	seen := make(map[string]int, len(samples))
	for _, s := range samples {
		canon, _ := metrics.Canonical(s.Labels)
		k := key(canon)
		i, ok := seen[k]
		if !ok {
			i = len(out)
			seen[k] = i
			out = append(out, Distinct{Labels: canon, LogProb: s.LogProb})
		}
		out[i].Count++
	}
	slices.SortFunc(out, func(a, b Distinct) int {
		return cmp.Or(
			cmp.Compare(b.LogProb, a.LogProb),
			cmp.Compare(b.Count, a.Count),
			slices.Compare(a.Labels, b.Labels),
		)
	})
	return out
}
