package metrics

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
)

// NMI returns the normalized mutual information of two labelings [N], normalized by the arithmetic mean of the
// entropies (Vinh, Epps & Bailey 2010, NMI_sum; equal to the V-measure of Rosenberg & Hirschberg 2007).
//
//	NMI = I(truth; pred) / (½(H(truth) + H(pred))),   I = Σ_ij n_ij/N · log(N·n_ij / (a_i·b_j))
//
// It lies in [0, 1] and is exactly 1 for equal partitions, also for two of one cluster each. If only one of them has a
// single cluster, it is 0, as in scikit-learn. N must be at least 2.
func NMI(truth, pred []int32) (float64, error) {
	t, err := newContingency(truth, pred)
	if err != nil {
		return 0, err
	}
	if t.identical() {
		return 1, nil
	}
	mean := (entropy(t.rows, t.n) + entropy(t.cols, t.n)) / 2
	return min(1, max(0, t.mutualInformation()/mean)), nil
}

// mutualInformation returns I in nats. A one-cluster labeling gives exactly 0: all its logarithms are log 1.
func (t *contingency) mutualInformation() float64 {
	n, sum := float64(t.n), 0.0
	for _, c := range t.cells {
		nij := float64(c.Count)
		sum += nij / n * math.Log(n*nij/(float64(t.rows[c.Row])*float64(t.cols[c.Col])))
	}
	return sum
}

// entropy returns the entropy in nats of a partition of n points into clusters of the given sizes.
func entropy(size []int, n int) float64 {
	h := 0.0
	for _, s := range size {
		p := float64(s) / float64(n)
		h -= p * math.Log(p)
	}
	return h
}

// ARI returns the adjusted Rand index of two labelings [N] (Hubert & Arabie 1985).
//
//	ARI = (Σ_ij C(n_ij,2) − E) / (½(Σ_i C(a_i,2) + Σ_j C(b_j,2)) − E),   E = Σ_i C(a_i,2)·Σ_j C(b_j,2) / C(N,2)
//
// It lies in [−½, 1], is exactly 1 for equal partitions, as in scikit-learn, and 0 in expectation for random labels. N
// must be 2 at least.
func ARI(truth, pred []int32) (float64, error) {
	t, err := newContingency(truth, pred)
	if err != nil {
		return 0, err
	}
	if t.identical() {
		return 1, nil
	}
	// Ordered pairs together in both, in either alone, in neither: so the index keeps its precision.
	squares := 0
	for _, c := range t.cells {
		squares += c.Count * c.Count
	}
	both := float64(squares - t.n)
	first := float64(sumSquares(t.rows) - squares)
	second := float64(sumSquares(t.cols) - squares)
	none := float64(t.n)*float64(t.n-1) - both - first - second
	return 2 * (both*none - first*second) /
		((both+first)*(first+none) + (both+second)*(second+none)), nil
}

func sumSquares(size []int) int {
	sum := 0
	for _, s := range size {
		sum += s * s
	}
	return sum
}

// contingency is the table n_ij of two labelings of the same N points.
type contingency struct {
	n     int
	rows  []int // a_i = Σ_j n_ij, shape [K of the first labeling]
	cols  []int // b_j = Σ_i n_ij, shape [K of the second labeling]
	cells []partition.Cell
}

// newContingency returns ErrLength if the lengths differ, and ErrTooFew if N < 2.
func newContingency(truth, pred []int32) (*contingency, error) {
	if len(truth) != len(pred) {
		return nil, fmt.Errorf("compare %d labels with %d: %w", len(truth), len(pred), ErrLength)
	}
	if len(truth) < 2 {
		return nil, fmt.Errorf("compare labelings of %d points, need 2: %w", len(truth), ErrTooFew)
	}
	a, b := partition.New(truth), partition.New(pred)
	return &contingency{len(truth), a.Size, b.Size, slices.Collect(a.Cells(b))}, nil
}

// identical reports whether both labelings are the same partition: then every row and every column has one cell.
func (t *contingency) identical() bool {
	return len(t.cells) == len(t.rows) && len(t.cells) == len(t.cols)
}
