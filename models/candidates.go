package models

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"
)

// Candidates lists every legal (b, n, k) of a batch of labelled sets as packed rows, together with the index vectors
// that let one graph call evaluate them all. It depends on the labels alone. Sizes are padded to buckets (Buckets), so
// that few graphs are compiled; padded points and rows are masked.
type Candidates struct {
	B, N, Count int // sets, padded points a set, real points a set
	R, K        int // padded rows; padded slots of the energy table

	labels []int32 // [B,N], padded with -1
	next   []int32 // [B,N] the next point of the same cluster in the set, N if there is none
	point  []int32 // [R] flat index b·N+n of the row's point
	prev   []int32 // [R] flat index of the last point of cluster k before n, B·N if there is none
	taken  []int32 // [B,N] the row of (b, n, c_n)
	slot   []int32 // [B,N,K] the row of (b, n, k), R where the candidate is illegal
}

// ListCandidates lists the candidates of the labels [B,N], each set numbered by first appearance from 0. It fails if a
// label breaks that rule.
func ListCandidates(labels []int32, b, n int, buckets Buckets) (*Candidates, error) {
	rows, most, err := countCandidates(labels, b, n)
	if err != nil {
		return nil, err
	}
	c := &Candidates{B: b, Count: n, K: buckets.labelled(most + 1)}
	c.N, c.R = buckets.table(b, n, rows)
	c.allocate()
	row := int32(0)
	last := make([]int32, c.K) // the last point of each cluster so far, within the set
	for set := range b {
		row = c.listSet(set, labels[set*n:(set+1)*n], row, last)
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

func (c *Candidates) allocate() {
	cells := c.B * c.N
	c.labels, c.next = filled(cells, -1), filled(cells, int32(c.N))
	c.point, c.prev = filled(c.R, 0), filled(c.R, int32(cells))
	c.taken, c.slot = filled(cells, 0), filled(cells*c.K, int32(c.R))
}

func filled(n int, value int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = value
	}
	return s
}

// listSet appends the rows of one set and returns the next free row.
func (c *Candidates) listSet(set int, labels []int32, row int32, last []int32) int32 {
	base := set * c.N
	k := 0
	for n, label := range labels {
		at := base + n
		c.labels[at] = label
		for slot := 0; slot <= k; slot++ {
			c.point[row] = int32(at)
			if slot < k {
				c.prev[row] = int32(base) + last[slot]
			}
			if slot == int(label) {
				c.taken[at] = row
			}
			c.slot[at*c.K+slot] = row
			row++
		}
		if int(label) < k {
			c.next[base+int(last[label])] = int32(n)
		} else {
			k++
		}
		last[label] = int32(n)
	}
	for n := len(labels); n < c.N; n++ { // padded points see one finite energy, so that masked terms stay finite
		c.slot[(base+n)*c.K] = c.taken[base]
		c.taken[base+n] = c.taken[base]
	}
	return row
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

// PadPoints copies points [B,Count,D] into a tensor [B,N,D], zero where padded.
func (c *Candidates) PadPoints(x []float32, d int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(padSets(x, c.Count*d, c.N*d), c.B, c.N, d)
}

// PadLabels returns other labels of sets of labelled points, one slice of N labels a set, as the inputs of
// Folded.FinalEnergy: the labels [B,points] and the slots [K].
func PadLabels(labels [][]int32, points int, buckets Buckets) []*tensors.Tensor {
	padded := filled(len(labels)*points, -1)
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
