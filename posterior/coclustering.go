package posterior

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// CoClustering returns the posterior similarity matrix, shape [N, N]: entry (i, j) is the fraction of samples in which
// points i and j share a cluster. The diagonal is 1.
//
// samples has shape [S][N]. Time O(D·Σ_k n_k²) for D different partitions, memory 8·N² bytes (0.8 GB for N = 10,000).
// It returns metrics.ErrTooFew for no samples or no points, metrics.ErrLength for samples of unequal length.
func CoClustering(samples [][]int32) (*mat.SymDense, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("no samples to summarize: %w", metrics.ErrTooFew)
	}
	n := len(samples[0])
	if err := checkSamples(n, samples); err != nil {
		return nil, err
	}
	matrix := mat.NewSymDense(n, nil)
	for _, d := range distinct(samples) {
		addPairs(matrix, d.Partition, float64(d.count))
	}
	raw := matrix.RawSymmetric()
	for i := range raw.Data { // whole counts up to here, so one division is the only rounding
		raw.Data[i] /= float64(len(samples))
	}
	return matrix, nil
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

// KPosterior returns the fraction of samples with each number of clusters that occurs, sorted by K. No samples give an
// empty result.
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
