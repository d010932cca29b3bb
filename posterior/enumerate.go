package posterior

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Partitions returns the canonical labels [N] of every partition of n points, Bell(n) of them, in lexicographic order:
// the restricted growth strings (Knuth, The Art of Computer Programming 4A, 7.2.1.5). There are 21,147 for nine points.
func Partitions(n int) (parts [][]int32) {
	labels := make([]int32, n)
	var visit func(i int, k int32)
	visit = func(i int, k int32) {
		if i == n {
			parts = append(parts, slices.Clone(labels))
			return
		}
		for c := range k + 1 {
			labels[i] = c
			visit(i+1, max(k, c+1))
		}
	}
	visit(0, 0)
	return parts
}

// PartitionIndex returns the place of the partition with these labels [N] (of any values) in Partitions(N).
func PartitionIndex(partitions [][]int32, labels []int32) int {
	canonical, _ := metrics.Canonical(labels)
	at, _ := slices.BinarySearchFunc(partitions, canonical, slices.Compare)
	return at
}

// EnumerateCentred returns the exact posterior of the partition of points x [N·D] (row-major, data units), N ≤ 9, given
// only their differences (LogLikelihoodCentred). The prior must allow some partition. Time O(Bell(N)·N).
func EnumerateCentred(g Gaussian, prior Prior, x []float64) *Distribution {
	d := &Distribution{Labels: Partitions(len(x) / g.Dim)}
	for _, labels := range d.Labels {
		d.LogProb = append(d.LogProb, prior(partition.New(labels).Size)+g.LogLikelihoodCentred(x, labels))
	}
	floats.AddConst(-floats.LogSumExp(d.LogProb), d.LogProb)
	return d
}
