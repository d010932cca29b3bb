// Package metrics scores clusterings and energies with plain numbers: agreement of two labelings (NMI, ARI),
// log-probability and marginal consistency under a table of energies, spread over data orders (SDPP), calibration, and
// the convergence of chains. Errors wrap ErrLength, ErrTooFew or ErrNotFinite.
//
// Axis letters: N points, K clusters, R data orders. Labels are []int32, and their names do not matter; "canonical"
// labels are numbered 0, 1, 2, … in order of first appearance. Logarithms are natural.
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
	// ErrNotFinite marks a value that is NaN or infinite where a finite one is needed.
	ErrNotFinite = errors.New("value is not finite")
)

// IsFinite reports whether a value is neither NaN nor infinite.
func IsFinite[T float32 | float64](v T) bool { return math.Abs(float64(v)) <= math.MaxFloat64 }

// Canonical returns labels [N] renumbered in order of first appearance, and K. Equal partitions give equal labels.
func Canonical(labels []int32) (canon []int32, k int) {
	canon = slices.Clone(labels)
	if canon == nil {
		canon = []int32{}
	}
	return canon, partition.Renumber(canon)
}

// Clusters returns the number of clusters K of labels [N], which may hold any int32 values. Time O(N).
func Clusters(labels []int32) int { return partition.Renumber(slices.Clone(labels)) }

// Summary returns the mean and sample standard deviation of values: deviation 0 for one value, NaN for no values.
func Summary(values []float64) (mean, std float64) {
	switch len(values) {
	case 0:
		return math.NaN(), math.NaN()
	case 1:
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}
