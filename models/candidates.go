package models

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/partition"
)

// Candidates lists every legal (b, n, k) of a batch of labelled sets as packed rows, with the index vectors that let
// one graph call evaluate them all. Padded points and rows are masked.
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
	return tensors.FromFlatDataAndDimensions(partition.Singletons(k), k)
}

// Listing holds a few numbers for each point of labelled sets, from which the graph lists the candidates itself
// (ListedInputs). So B·N numbers go to a device instead of R.
type Listing struct {
	B, N, Count int // sets, padded points a set, real points a set
	R, K        int // padded rows, on a device a multiple of listedUnit; padded slots of the energy table

	labels []int32 // [B,N], padded with -1
	next   []int32 // [B,N] the next point of the same cluster in the set, N if there is none
	base   []int32 // [B,N] the row of (b, n, 0); of a padded point the next free row
	before []int32 // [B,N] K_n; -1 where padded
	rows   int32   // real rows
}

// listedUnit divides the rows of a listing, whose number the graph reads from the length of a tensor. XLA also cuts the
// rows into up to 256 parts of whole 16 bytes where it sums a weight's gradient on a GPU, and copies every operand
// first if the parts are uneven.
const listedUnit = 1024

// ListOnDevice prepares labels [B,N], as ListCandidates does, for ListedInputs.
func ListOnDevice(labels []int32, b, n int, buckets Buckets) (*Listing, error) {
	l, err := newListing(labels, b, n, buckets)
	if err != nil {
		return nil, err
	}
	l.R = roundUp(l.R, listedUnit)
	return l, nil
}

func newListing(labels []int32, b, n int, buckets Buckets) (*Listing, error) {
	rows, most, err := countCandidates(labels, b, n)
	if err != nil {
		return nil, err
	}
	l := &Listing{B: b, Count: n, K: buckets.labelled(most + 1)}
	l.N, l.R = buckets.table(b, n, rows)
	cells := b * l.N
	none := slices.Repeat([]int32{-1}, cells)
	l.labels, l.next = none, slices.Repeat([]int32{int32(l.N)}, cells)
	l.base, l.before = make([]int32, cells), slices.Clone(none)
	last := make([]int32, most)
	for set := range b {
		l.listSet(set*l.N, labels[set*n:(set+1)*n], last)
	}
	return l, nil
}

// listSet appends the points of one set, whose first cell is given.
func (l *Listing) listSet(first int, labels, last []int32) {
	k := int32(0)
	for n, label := range labels {
		l.labels[first+n], l.base[first+n], l.before[first+n] = label, l.rows, k
		l.rows += k + 1
		if label < k {
			l.next[first+int(last[label])] = int32(n)
		} else {
			k++
		}
		last[label] = int32(n)
	}
	for n := len(labels); n < l.N; n++ {
		l.base[first+n] = l.rows
	}
}

// Tensors returns the inputs of ListedInputs but the points.
func (l *Listing) Tensors() []*tensors.Tensor {
	cells := func(values []int32) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(values, l.B, l.N)
	}
	return []*tensors.Tensor{
		cells(l.labels), cells(l.next), tensors.FromScalar(int32(l.Count)), cells(l.base), cells(l.before),
		tensors.FromScalar(l.rows), SlotNumbers(l.R / listedUnit), SlotNumbers(l.K),
	}
}

// PadPoints copies points [B,Count,D] into a tensor [B,N,D], zero where padded.
func (l *Listing) PadPoints(x []float32, d int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(resized(x, l.Count*d, l.N*d), l.B, l.N, d)
}

// NumListedInputs is the number of nodes that ListedInputs reads.
const NumListedInputs = 9

// ListedInputs returns the inputs of a table from the points [B,N,D] and the nodes of Listing.Tensors. It lists the
// candidates in the graph.
func ListedInputs(in []*Node) TableInputs {
	x, labels, next, count, base, before, rows := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
	units, k := in[7].Shape().Dimensions[0], in[8].Shape().Dimensions[0]
	b, n := labels.Shape().Dimensions[0], labels.Shape().Dimensions[1]
	cells := b * n
	l := listed{b: b, n: n, k: k, rows: units * listedUnit, base: base}
	row := Iota(x.Graph(), shapes.Make(dtypes.Int32, l.rows), 0)
	real := LessThan(row, rows)
	point := Where(real, l.cellOf(row), Mod(row, l.constant(cells))) // padded rows are spread over the points
	slot := Sub(row, Gather(Reshape(base, cells), InsertAxes(point, -1)))
	slot = Where(real, slot, l.constant(0))

	last := Gather(Reshape(l.lastOf(labels), cells*k), InsertAxes(Add(Mul(point, l.constant(k)), slot), -1))
	known := LogicalAnd(real, GreaterOrEqual(last, l.constant(0)))
	set := Mul(Div(point, l.constant(n)), l.constant(n))
	prev := Where(known, Add(set, last), l.constant(cells))

	valid, _ := realPoints(count, b, n) // padded points see one finite energy, so that masked terms stay finite
	first := BroadcastToDims(Slice(base, AxisRange(), AxisRange(0, 1)), b, n)
	taken := Where(valid, Add(base, labels), first)
	back := &backward{
		listed: l, labels: labels, next: next,
		real: InsertAxes(real, -1), point: InsertAxes(point, -1),
		cell:  InsertAxes(Add(Mul(point, l.constant(k)), slot), -1),
		taken: InsertAxes(LogicalAnd(real, Equal(slot, Gather(Reshape(labels, cells), InsertAxes(point, -1)))), -1),
		own:   l.slots(base, before),
	}
	return TableInputs{
		X: x, Labels: labels, Next: next, Count: count,
		Point: InsertAxes(point, -1), Prev: InsertAxes(prev, -1), Taken: InsertAxes(taken, -1),
		Slot: InsertAxes(l.slots(Where(valid, base, first), Where(valid, before, ZerosLike(before))), -1),
		back: back,
	}
}

// listed holds the sizes of a table and its rows of k = 0 [B,N].
type listed struct {
	b, n, k, rows int
	base          *Node
}

func (l listed) constant(value int) *Node { return Const(l.base.Graph(), int32(value)) }

// cellOf is the flat index of each row's point, by bisection: the last one whose base is at most the row.
func (l listed) cellOf(row *Node) *Node {
	cells := l.b * l.n
	flat := Reshape(l.base, cells)
	at := ZerosLike(row)
	for step := 1 << max(bits.Len(uint(cells-1))-1, 0); step > 0; step /= 2 { // from the largest power of two
		next := Add(at, l.constant(step))
		inside := LessThan(next, l.constant(cells))
		starts := Gather(flat, InsertAxes(Where(inside, next, l.constant(0)), -1))
		at = Where(LogicalAnd(inside, LessOrEqual(starts, row)), next, at)
	}
	return at
}

// lastOf is the last point before n in cluster k, [B,N,K]: −1 where there is none. It is a running maximum in log N
// steps.
func (l listed) lastOf(labels *Node) *Node {
	g := labels.Graph()
	shape := shapes.Make(dtypes.Int32, l.b, l.n, l.k)
	joined := Equal(BroadcastToDims(InsertAxes(labels, 2), l.b, l.n, l.k), Iota(g, shape, 2))
	none := BroadcastToDims(l.constant(-1), l.b, l.n, l.k)
	last := l.later(Where(joined, Iota(g, shape, 1), none), none, 1)
	for step := 1; step < l.n; step *= 2 {
		last = Max(last, l.later(last, none, step))
	}
	return last
}

// later moves x [B,N,K] back by so many points and fills the first points with none.
func (l listed) later(x, none *Node, by int) *Node {
	return Concatenate([]*Node{
		Slice(none, AxisRange(), AxisRange(0, by)), Slice(x, AxisRange(), AxisRange(0, l.n-by)),
	}, 1)
}

// slots are the rows of (b, n, k), [B,N,K], and R where k is above most [B,N]; from [B,N] are those of k = 0.
func (l listed) slots(from, most *Node) *Node {
	wide := func(x *Node) *Node { return BroadcastToDims(InsertAxes(x, 2), l.b, l.n, l.k) }
	k := Iota(l.base.Graph(), shapes.Make(dtypes.Int32, l.b, l.n, l.k), 2)
	return Where(LessOrEqual(k, wide(most)), Add(wide(from), k), l.constant(l.rows))
}
