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

import "errors"

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
