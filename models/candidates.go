package models

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
)

// Candidates lists every legal (b, n, k) of a batch of labelled sets as packed rows, together with the index vectors
// that let one graph call evaluate them all. It depends on the labels alone. Sizes are padded to buckets (Buckets), so
// that few graphs are compiled; padded points and rows are masked.
type Candidates struct {
	*Listing
	point []int32 // [R] flat index b·N+n of the row's point
	prev  []int32 // [R] flat index of the last point of cluster k before n, B·N if there is none
	taken []int32 // [B,N] the row of (b, n, c_n)
	slot  []int32 // [B,N,K] the row of (b, n, k), R where the candidate is illegal
}

// ListCandidates lists the candidates of the labels [B,N], each set numbered by first appearance from 0. It fails if a
// label breaks that rule.
func ListCandidates(labels []int32, b, n int, buckets Buckets) (*Candidates, error) {
	l, err := newListing(labels, b, n, buckets)
	if err != nil {
		return nil, err
	}
	cells := b * l.N
	c := &Candidates{
		Listing: l, point: make([]int32, l.R), prev: slices.Repeat([]int32{int32(cells)}, l.R),
		taken: make([]int32, cells), slot: slices.Repeat([]int32{int32(l.R)}, cells*l.K),
	}
	last := make([]int32, l.K) // the last point of each cluster so far
	for set := range b {
		c.listRows(set*l.N, last)
	}
	return c, nil
}

// countCandidates checks the labels of both ways to list candidates. It returns Σ (K_n+1) over all points and the
// largest number of clusters of a set.
func countCandidates(labels []int32, b, n int) (rows, most int, err error) {
	if b < 1 || n < 2 || len(labels) != b*n {
		return 0, 0, fmt.Errorf("list candidates: %d labels for %d sets of %d points (need at least 1 set of 2)",
			len(labels), b, n)
	}
	for set := range b {
		k := 0
		for i, c := range labels[set*n : (set+1)*n] {
			if c < 0 || int(c) > k {
				return 0, 0, fmt.Errorf(
					"label %d of set %d is %d, but labels must be numbered by first appearance and %d were seen",
					i, set, c, k)
			}
			rows += k + 1
			if int(c) == k {
				k++
			}
		}
		most = max(most, k)
	}
	return rows, most, nil
}

// listRows lists the rows of one set, whose first cell is given.
func (c *Candidates) listRows(first int, last []int32) {
	for at := first; at < first+c.Count; at++ {
		for k := range c.before[at] + 1 {
			row := c.base[at] + k
			c.point[row], c.slot[at*c.K+int(k)] = int32(at), row
			if k < c.before[at] {
				c.prev[row] = last[k]
			}
		}
		label := c.labels[at]
		c.taken[at], last[label] = c.base[at]+label, int32(at)
	}
	for at := first + c.Count; at < first+c.N; at++ { // padded points see one finite energy: masked terms stay finite
		c.taken[at] = c.taken[first]
		c.slot[at*c.K] = c.taken[first]
	}
}

// Tensors returns the inputs of Folded.Table but the points: see TableInputs for order and shapes.
func (c *Candidates) Tensors() []*tensors.Tensor {
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(c.labels, c.B, c.N),
		tensors.FromFlatDataAndDimensions(c.next, c.B, c.N),
		tensors.FromScalar(int32(c.Count)),
		tensors.FromFlatDataAndDimensions(c.point, c.R, 1),
		tensors.FromFlatDataAndDimensions(c.prev, c.R, 1),
		tensors.FromFlatDataAndDimensions(c.taken, c.B, c.N, 1),
		tensors.FromFlatDataAndDimensions(c.slot, c.B, c.N, c.K, 1),
	}
}

// PadLabels returns other labels of sets of labelled points, one slice of N labels a set, as the inputs of
// Folded.FinalEnergy: the labels [B,points] and the slots [K].
func PadLabels(labels [][]int32, points int, buckets Buckets) []*tensors.Tensor {
	padded := slices.Repeat([]int32{-1}, len(labels)*points)
	most := int32(0)
	for set, ls := range labels {
		copy(padded[set*points:], ls)
		for _, l := range ls {
			most = max(most, l)
		}
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(padded, len(labels), points), SlotNumbers(buckets.SampleSlots(int(most) + 1)),
	}
}

// SlotNumbers are 0..K−1 [K].
func SlotNumbers(k int) *tensors.Tensor {
	slots := make([]int32, k)
	for i := range slots {
		slots[i] = int32(i)
	}
	return tensors.FromFlatDataAndDimensions(slots, k)
}
