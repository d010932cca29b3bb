package posterior

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/metrics"
)

// OneCluster returns the labels [n] of the partition with one cluster.
func OneCluster(n int) []int32 { return make([]int32, n) }

// LogProbOf returns the log-probability in nats of the partition with these labels [N] (of any values). It returns
// metrics.ErrLength if N is not that of d.
func (d *Distribution) LogProbOf(labels []int32) (float64, error) {
	if len(labels) != len(d.Labels[0]) {
		return 0, fmt.Errorf("%d labels, want %d: %w", len(labels), len(d.Labels[0]), metrics.ErrLength)
	}
	at, err := PartitionIndex(labels)
	if err != nil {
		return 0, err
	}
	return d.LogProb[at], nil
}

// VI returns the variation of information of two partitions of the same N points, in nats (Meilă 2007).
//
//	VI(a, b) = H(a) + H(b) − 2·I(a; b) = (1/N)·(Σ_i φ(a_i) + Σ_j φ(b_j) − 2·Σ_ij φ(n_ij)),   φ(n) = n·log n
//
// It is a metric on partitions: 0 exactly for equal ones, symmetric, at most log N. a and b have shape [N] and may hold
// any labels. It returns metrics.ErrLength if the lengths differ, metrics.ErrTooFew if N = 0. Time O(N).
func VI(a, b []int32) (float64, error) { return LossVI.Expected(a, [][]int32{b}) }

// ExpectedVI returns the mean variation of information in nats between candidate [N] and samples [S][N]; see
// Loss.Expected.
func ExpectedVI(candidate []int32, samples [][]int32) (float64, error) {
	return LossVI.Expected(candidate, samples)
}

// PointEstimate returns the index of the candidate that minimizes ExpectedVI over samples, and that minimum in nats;
// see Loss.PointEstimate.
func PointEstimate(candidates, samples [][]int32) (index int, expectedVI float64, err error) {
	return LossVI.PointEstimate(candidates, samples)
}

// FromSamples returns the fractions of samples [S][N] as a law on all partitions of N points.
func FromSamples(samples [][]int32) (*Distribution, error) {
	parts, err := Partitions(len(samples[0]))
	if err != nil {
		return nil, err
	}
	d := &Distribution{Labels: parts, LogProb: make([]float64, len(parts))}
	for _, labels := range samples {
		at, err := PartitionIndex(labels)
		if err != nil {
			return nil, err
		}
		d.LogProb[at]++
	}
	for i, count := range d.LogProb {
		d.LogProb[i] = math.Log(count / float64(len(samples)))
	}
	return d, nil
}
