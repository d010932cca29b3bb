package models

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/partition"
)

// Candidates holds a few numbers for each point of labelled sets, from which a graph lists every legal (b, n, k) as
// packed rows (ListedInputs). So few numbers go to a device. Padded points and rows are masked.
type Candidates struct {
	B, N, Count int // sets, padded points a set, real points a set
	R, K        int // padded rows; padded slots of the energy table

	labels []int32 // [B,N], padded with -1
	next   []int32 // [B,N] the next point of the same cluster in the set, N after the last
	base   []int32 // [B,N] the row of (b, n, 0); of a padded point the next free row
	before []int32 // [B,N] K_n; -1 where padded
	rows   int32   // real rows
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
	cells := b * c.N
	none := slices.Repeat([]int32{-1}, cells)
	c.labels, c.next = none, slices.Repeat([]int32{int32(c.N)}, cells)
	c.base, c.before = make([]int32, cells), slices.Clone(none)
	last := make([]int32, most)
	for set := range b {
		c.listSet(set*c.N, labels[set*n:(set+1)*n], last)
	}
	return c, nil
}

// countCandidates checks labels. It returns Σ (K_n+1) over all points and the largest number of clusters of a set.
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
	return tensors.FromFlatDataAndDimensions(partition.Singletons(k), k)
}

// listSet appends the points of one set, whose first cell is given.
func (c *Candidates) listSet(first int, labels, last []int32) {
	k := int32(0)
	for n, label := range labels {
		c.labels[first+n], c.base[first+n], c.before[first+n] = label, c.rows, k
		c.rows += k + 1
		if label < k {
			c.next[first+int(last[label])] = int32(n)
		} else {
			k++
		}
		last[label] = int32(n)
	}
	for n := len(labels); n < c.N; n++ {
		c.base[first+n] = c.rows
	}
}

// Tensors returns the inputs of ListedInputs but the points.
func (c *Candidates) Tensors() []*tensors.Tensor {
	cells := func(values []int32) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(values, c.B, c.N)
	}
	return []*tensors.Tensor{
		cells(c.labels), cells(c.next), tensors.FromScalar(int32(c.Count)), cells(c.base), cells(c.before),
		tensors.FromScalar(c.rows), tensors.FromFlatDataAndDimensions(c.points(), c.R, 1), SlotNumbers(c.K),
	}
}

// points returns the flat index b·N+n of each row's point, 0 where padded.
func (c *Candidates) points() []int32 {
	points := make([]int32, c.R)
	for cell, first := range c.base {
		for k := range c.before[cell] + 1 {
			points[first+k] = int32(cell)
		}
	}
	return points
}

// PadPoints copies points [B,Count,D] into a tensor [B,N,D], zero where padded.
func (c *Candidates) PadPoints(x []float32, d int) *tensors.Tensor {
	return PadPoints(x, c.B, c.Count, c.N, d)
}

// PadPoints copies points x [b,count,d] into a tensor [b,n,d], zero where padded.
func PadPoints(x []float32, b, count, n, d int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(resized(x, count*d, n*d), b, n, d)
}

// NumListedInputs is the number of nodes that ListedInputs reads.
const NumListedInputs = 9

// ListedInputs lists the candidates in the graph, from the points [B,N,D] and the nodes of Candidates.Tensors. onDevice
// says that the table's gradients gather (see backward).
func ListedInputs(in []*Node, onDevice bool) TableInputs {
	x, labels, next, count, base, before, rows, points := in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]
	b, n := labels.Shape().Dimensions[0], labels.Shape().Dimensions[1]
	cells, k := b*n, in[8].Shape().Dimensions[0]
	l := listed{b: b, n: n, k: k, rows: points.Shape().Dimensions[0], base: base}
	row := Iota(x.Graph(), shapes.Make(dtypes.Int32, l.rows), 0)
	real := LessThan(row, rows)
	point := Reshape(points, l.rows)
	slot := Where(real, Sub(row, Gather(Reshape(base, cells), points)), l.constant(0))
	cell := InsertAxes(Add(Mul(point, l.constant(k)), slot), -1)

	last := Gather(Reshape(l.lastOf(labels), cells*k), cell)
	known := LogicalAnd(real, GreaterOrEqual(last, l.constant(0)))
	set := Mul(Div(point, l.constant(n)), l.constant(n))
	prev := Where(known, Add(set, last), l.constant(cells))

	valid, _ := realPoints(count, b, n) // padded points see one finite energy, so that masked terms stay finite
	first := BroadcastToDims(Slice(base, AxisRange(), AxisRange(0, 1)), b, n)
	inputs := TableInputs{
		X: x, Labels: labels, Next: next, Count: count, Point: points, Prev: InsertAxes(prev, -1),
		Taken: InsertAxes(Where(valid, Add(base, labels), first), -1),
		Slot:  InsertAxes(l.slots(Where(valid, base, first), Where(valid, before, ZerosLike(before))), -1),
	}
	if onDevice {
		own := Equal(slot, Gather(Reshape(labels, cells), points))
		inputs.back = &backward{
			listed: l, labels: labels, next: next, real: InsertAxes(real, -1), point: points, cell: cell,
			taken: InsertAxes(LogicalAnd(real, own), -1), own: l.slots(base, before),
		}
	}
	return inputs
}

// listed holds the sizes of a table and its rows of k = 0 [B,N].
type listed struct {
	b, n, k, rows int
	base          *Node
}

func (l listed) constant(value int) *Node { return Const(l.base.Graph(), int32(value)) }

// lastOf returns the last point before n in cluster k, [B,N,K], or −1: a running maximum in log N steps.
func (l listed) lastOf(labels *Node) *Node {
	g := labels.Graph()
	shape := shapes.Make(dtypes.Int32, l.b, l.n, l.k)
	joined := Equal(BroadcastToDims(InsertAxes(labels, 2), l.b, l.n, l.k), Iota(g, shape, 2))
	absent := BroadcastToDims(l.constant(-1), l.b, l.n, l.k)
	last := l.later(Where(joined, Iota(g, shape, 1), absent), absent, 1)
	for step := 1; step < l.n; step *= 2 {
		last = Max(last, l.later(last, absent, step))
	}
	return last
}

// later moves x [B,N,K] back by so many points and sets the first points to fill.
func (l listed) later(x, fill *Node, by int) *Node {
	return Concatenate([]*Node{
		Slice(fill, AxisRange(), AxisRange(0, by)), Slice(x, AxisRange(), AxisRange(0, l.n-by)),
	}, 1)
}

// slots returns the rows of (b, n, k), [B,N,K], and R where k is above most [B,N]; from [B,N] has the rows of k = 0.
func (l listed) slots(from, most *Node) *Node {
	wide := func(x *Node) *Node { return BroadcastToDims(InsertAxes(x, 2), l.b, l.n, l.k) }
	k := Iota(l.base.Graph(), shapes.Make(dtypes.Int32, l.b, l.n, l.k), 2)
	return Where(LessOrEqual(k, wide(most)), Add(wide(from), k), l.constant(l.rows))
}
