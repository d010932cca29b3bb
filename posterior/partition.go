package posterior

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Sample is one sampled partition.
type Sample struct {
	Labels  []int32 // [N], any values
	LogProb float64 // log p(c|x) in nats, in the data order of the draw
}

// Distinct is a partition that was drawn Count times.
type Distinct struct {
	Labels  []int32 `json:"labels"`   // [N], canonical
	LogProb float64 `json:"log_prob"` // of the first draw
	Count   int     `json:"count"`
}

// Collapse groups samples that are the same partition, whatever their clusters are called.
//
// The result is sorted by falling LogProb, then falling Count, then rising labels (lexicographic). Draws of one
// partition in one data order have equal log-probabilities up to rounding; the first draw's value is kept. The samples
// are not changed; none give an empty result.
func Collapse(samples []Sample) (out []Distinct) {
	labels := make([][]int32, len(samples))
	for i, s := range samples {
		labels[i] = s.Labels
	}
	for _, d := range distinct(labels) {
		out = append(out, Distinct{Labels: d.Labels, LogProb: samples[d.first].LogProb, Count: d.count})
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

type weighted struct {
	*partition.Partition
	first int // index among the samples
	count int
}

// distinct returns the different partitions among samples, in order of first appearance, with their counts.
func distinct(samples [][]int32) []weighted {
	var out []weighted
	seen := make(map[string]int, len(samples))
	for s, labels := range samples {
		canon, _ := metrics.Canonical(labels)
		k := key(canon)
		i, ok := seen[k]
		if !ok {
			i = len(out)
			seen[k] = i
			out = append(out, weighted{Partition: partition.New(canon), first: s})
		}
		out[i].count++
	}
	return out
}

// key returns canonical labels as a map key.
func key(canon []int32) string {
	b := make([]byte, 0, 4*len(canon))
	for _, c := range canon {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	return string(b)
}
