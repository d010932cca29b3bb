// Package metrics scores clusterings and energies with plain numbers: agreement of two labelings (NMI, ARI), the
// log-probability and the marginal consistency of a labeling under a table of energies, and the spread of a
// probability over data orders (SDPP).
//
// It knows slices and nothing else: no models, no data sources, no files. What needs several sampled partitions of one
// set belongs to package posterior.
//
// Axis letters: N points, K clusters, R data orders. Labels are []int32; "canonical" labels are numbered 0, 1, 2, … in
// order of first appearance. Logarithms are natural.
package metrics

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/partition"
)

var (
	// ErrLength marks inputs whose lengths must agree and do not.
	ErrLength = errors.New("lengths differ")
	// ErrTooFew marks an input with too few points or values for the quantity to exist.
	ErrTooFew = errors.New("too few values")
	// ErrNotCanonical marks labels that are not numbered in order of first appearance.
	ErrNotCanonical = errors.New("labels are not in order of first appearance")
	// ErrNotFinite marks a value that is NaN or infinite where a finite one is needed.
	ErrNotFinite = errors.New("value is not finite")
)

// Canonical returns labels renumbered in order of first appearance, starting at 0, and the number of clusters K.
//
// labels has shape [N] and may hold any int32 values; it is not changed. Two labelings are the same partition exactly
// when their canonical forms are equal. Time O(N).
func Canonical(labels []int32) (canon []int32, k int) {
	canon = slices.Clone(labels)
	if canon == nil {
		canon = []int32{}
	}
	return canon, partition.Renumber(canon)
}

// Clusters returns the number of clusters K of labels [N], which may hold any int32 values. Time O(N).
func Clusters(labels []int32) int { return partition.Renumber(slices.Clone(labels)) }

// Summary returns the mean of values and their sample standard deviation (divisor n−1), the "mean ± std" of a table.
// One value has std 0. No values give NaN for both.
func Summary(values []float64) (mean, std float64) {
	switch len(values) {
	case 0:
		return math.NaN(), math.NaN()
	case 1:
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}
