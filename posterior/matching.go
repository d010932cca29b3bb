package posterior

import (
	"math"
	"slices"
)

// maxOverlap returns the one-to-one matching of rows to columns with the largest total overlap: for every row the
// column it is matched with, or −1. overlap has shape [R][C], entries ≥ 0. As many rows are matched as there are
// columns, pairs without overlap included. Ties are broken in a fixed way.
//
// Hungarian method with shortest augmenting paths (Kuhn 1955; Jonker & Volgenant 1987), time O(min(R,C)²·max(R,C)).
func maxOverlap(overlap [][]int) []int {
	if len(overlap) == 0 {
		return nil
	}
	if len(overlap) <= len(overlap[0]) {
		colOf := make([]int, len(overlap))
		for j, i := range solveAssignment(overlap) {
			if i >= 0 {
				colOf[i] = j
			}
		}
		return colOf
	}
	return solveAssignment(transpose(overlap)) // its columns are our rows
}

func transpose(m [][]int) [][]int {
	t := make([][]int, len(m[0]))
	for j := range t {
		t[j] = make([]int, len(m))
		for i := range m {
			t[j][i] = m[i][j]
		}
	}
	return t
}

// assignment is the state of the Hungarian method for a gain matrix [R][C], R ≤ C.
//
// Its dual variables keep row[i] + col[j] ≥ gain[i][j] for all pairs, with equality on matched ones, and col[j] = 0 for
// unmatched columns. When all rows are matched, these conditions prove that no matching gains more.
type assignment struct {
	gain     [][]int
	row, col []int // dual variables
	rowOf    []int // the row matched with each column, or −1
}

// solveAssignment returns rowOf: for each of the C columns the row it is matched with, or −1. It needs R ≤ C.
func solveAssignment(gain [][]int) []int {
	columns := len(gain[0])
	a := &assignment{gain: gain, row: make([]int, len(gain)), col: make([]int, columns), rowOf: make([]int, columns)}
	for j := range a.rowOf {
		a.rowOf[j] = -1
	}
	for i := range gain {
		a.row[i] = slices.Max(gain[i])
		a.augment(i)
	}
	return a.rowOf
}

// augment matches the unmatched row root along the shortest alternating path to a free column.
func (a *assignment) augment(root int) {
	columns := len(a.col)
	slack := make([]int, columns) // least row+col−gain from a row of the tree to each column outside it
	from := make([]int, columns)  // the column before it on the path, −1 when the path starts there
	inTree := make([]bool, columns)
	for j := range slack {
		slack[j] = math.MaxInt
	}
	i, last := root, -1
	for {
		next := -1
		for j := range columns {
			if inTree[j] {
				continue
			}
			if d := a.row[i] + a.col[j] - a.gain[i][j]; d < slack[j] {
				slack[j], from[j] = d, last
			}
			if next < 0 || slack[j] < slack[next] {
				next = j
			}
		}
		a.shiftDuals(root, slack[next], slack, inTree)
		inTree[next] = true
		last = next
		if a.rowOf[next] < 0 {
			break
		}
		i = a.rowOf[next]
	}
	for j := last; j >= 0; j = from[j] { // each column on the path takes the row of the one before it
		if from[j] < 0 {
			a.rowOf[j] = root
		} else {
			a.rowOf[j] = a.rowOf[from[j]]
		}
	}
}

// shiftDuals lowers the tree's rows and raises its columns by delta, so that one more pair becomes tight.
func (a *assignment) shiftDuals(root, delta int, slack []int, inTree []bool) {
	a.row[root] -= delta
	for j := range inTree {
		if inTree[j] {
			a.row[a.rowOf[j]] -= delta
			a.col[j] += delta
		} else {
			slack[j] -= delta
		}
	}
}
