package posterior

import "fmt"

// Assignments returns the probability that each point belongs to each cluster of a point estimate, shape [N][K+1].
//
// K is the number of clusters of estimate [N], column k its k-th cluster in order of first appearance (label k of
// canonical labels); column K is "another cluster". In every sample the clusters are matched one-to-one with those of
// the estimate so that the total number of shared points is largest. A point counts for the estimate's cluster that its
// own sample cluster is matched with, and for column K if that cluster has no partner or shares no point with it. The
// entries are fractions of samples [S][N]; each row sums to 1 up to rounding (1e-12).
//
// The largest entry of a row need not be at the point's label in the estimate: the estimate minimizes a loss over the
// whole partition, not point by point.
//
// It returns metrics.ErrTooFew for no samples or no points, metrics.ErrLength for unequal lengths. Time O(N + K³) for
// each different sample.
func Assignments(estimate []int32, samples [][]int32) ([][]float64, error) {
	if err := checkSamples(len(estimate), samples); err != nil {
		return nil, fmt.Errorf("assignments: %w", err)
	}
	target := newPartition(estimate)
	k := len(target.size)
	flat := make([]float64, len(estimate)*(k+1))
	rows := make([][]float64, len(estimate))
	for i := range rows {
		rows[i] = flat[i*(k+1) : (i+1)*(k+1) : (i+1)*(k+1)]
	}
	for _, d := range distinct(samples) {
		partner := matchClusters(d.partition, target)
		for i, c := range d.labels {
			rows[i][partner[c]] += float64(d.count)
		}
	}
	for i := range flat { // whole counts up to here
		flat[i] /= float64(len(samples))
	}
	return rows, nil
}

// matchClusters returns, for each cluster of sample, the column of Assignments that its points count for.
func matchClusters(sample, target *partition) []int {
	k := len(target.size)
	overlap := make([][]int, len(sample.size))
	for c := range overlap {
		overlap[c] = make([]int, k)
	}
	for i, c := range sample.labels {
		overlap[c][target.labels[i]]++
	}
	partner := maxOverlap(overlap)
	for c, j := range partner {
		if j < 0 || overlap[c][j] == 0 {
			partner[c] = k
		}
	}
	return partner
}
