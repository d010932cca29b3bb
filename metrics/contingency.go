package metrics

import "fmt"

// cell is one occupied entry of a contingency table: count points carry label row in one labeling and col in the other.
type cell struct {
	row, col int32
	count    int
}

// contingency is the table n_ij of two labelings of the same N points, kept sparse.
type contingency struct {
	n     int
	rows  []int  // a_i = Σ_j n_ij, shape [K of the first labeling]
	cols  []int  // b_j = Σ_i n_ij, shape [K of the second labeling]
	cells []cell // occupied cells, in a fixed order
}

// newContingency counts the cells in time O(N + K). It returns ErrLength if the lengths differ, ErrTooFew if N < 2.
func newContingency(truth, pred []int32) (*contingency, error) {
	if len(truth) != len(pred) {
		return nil, fmt.Errorf("compare %d labels with %d: %w", len(truth), len(pred), ErrLength)
	}
	if len(truth) < 2 {
		return nil, fmt.Errorf("compare labelings of %d points, need 2: %w", len(truth), ErrTooFew)
	}
	a, ka := Canonical(truth)
	b, kb := Canonical(pred)
	t := &contingency{n: len(a), rows: sizes(a, ka), cols: sizes(b, kb)}

	// Walk the points row by row: one counter per column is enough, and no hash order can change later sums.
	count := make([]int, kb)
	order, start := byCluster(a, t.rows), 0
	for i, size := range t.rows {
		group := order[start : start+size]
		start += size
		for _, p := range group {
			count[b[p]]++
		}
		for _, p := range group {
			if j := b[p]; count[j] > 0 {
				t.cells = append(t.cells, cell{int32(i), j, count[j]})
				count[j] = 0
			}
		}
	}
	return t, nil
}

// identical reports whether both labelings are the same partition: then every row and every column has one cell.
func (t *contingency) identical() bool {
	return len(t.cells) == len(t.rows) && len(t.cells) == len(t.cols)
}

// sizes returns the number of points of each of the k clusters of canonical labels.
func sizes(labels []int32, k int) []int {
	size := make([]int, k)
	for _, c := range labels {
		size[c]++
	}
	return size
}

// byCluster returns the point indices [N] sorted by label, points of one cluster in data order.
func byCluster(labels []int32, size []int) []int32 {
	next := make([]int, len(size))
	for c := 1; c < len(size); c++ {
		next[c] = next[c-1] + size[c-1]
	}
	order := make([]int32, len(labels))
	for i, c := range labels {
		order[next[c]] = int32(i)
		next[c]++
	}
	return order
}
