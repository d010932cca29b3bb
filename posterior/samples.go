package posterior

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Distinct is a partition that was drawn Count times.
type Distinct struct {
	Labels  []int32 `json:"labels"`   // [N], canonical
	LogProb float64 `json:"log_prob"` // of the first draw
	Count   int     `json:"count"`
}

// Collapse groups samples [S][N] that are the same partition, whatever their clusters are called. logProbs [S] are log
// p(c|x) in nats, each in the data order of the draw; nil stands for zeros.
//
// The result is sorted by falling LogProb, then falling Count, then rising labels (lexicographic). The first draw's
// log-probability is kept: draws of one partition in one data order have the same up to rounding.
func Collapse(samples [][]int32, logProbs []float64) (out []Distinct) {
	for _, d := range distinct(samples) {
		one := Distinct{Labels: d.Labels, Count: d.count}
		if logProbs != nil {
			one.LogProb = logProbs[d.first]
		}
		out = append(out, one)
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
		key, _ := binary.Append(make([]byte, 0, 4*len(canon)), binary.LittleEndian, canon) // numbers: no error
		i, ok := seen[string(key)]
		if !ok {
			i = len(out)
			seen[string(key)] = i
			out = append(out, weighted{Partition: partition.New(canon), first: s})
		}
		out[i].count++
	}
	return out
}

// CoClustering returns the posterior similarity matrix [N, N]: entry (i, j) is the fraction of samples [S][N] in which
// points i and j share a cluster. Time O(D·Σ_k n_k²) for D different partitions, memory 8·N² bytes (0.8 GB for N =
// 10,000).
func CoClustering(samples [][]int32) *mat.SymDense {
	matrix := mat.NewSymDense(len(samples[0]), nil)
	for _, d := range distinct(samples) {
		addPairs(matrix, d.Partition, float64(d.count))
	}
	raw := matrix.RawSymmetric()
	for i := range raw.Data { // whole counts up to here, so one division is the only rounding
		raw.Data[i] /= float64(len(samples))
	}
	return matrix
}

// addPairs adds a weight to the entries of the pairs of points that share a cluster, the diagonal among them.
func addPairs(matrix *mat.SymDense, p *partition.Partition, weight float64) {
	raw := matrix.RawSymmetric() // upper triangle, row-major
	for _, points := range p.Clusters() {
		for a, i := range points { // rising point indices, so (i, j) is in the upper triangle
			row := raw.Data[int(i)*raw.Stride:]
			for _, j := range points[a:] {
				row[j] += weight
			}
		}
	}
}

// KProb is the posterior probability P of K clusters.
type KProb struct {
	K int     `json:"k"`
	P float64 `json:"p"`
}

// KPosterior returns the fraction of samples with each number of clusters that occurs, sorted by K.
func KPosterior(samples [][]int32) []KProb {
	counts := make(map[int]int)
	for _, labels := range samples {
		counts[metrics.Clusters(labels)]++
	}
	out := make([]KProb, 0, len(counts))
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, KProb{K: k, P: float64(counts[k]) / float64(len(samples))})
	}
	return out
}
