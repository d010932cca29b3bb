package models

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
)

// canonicalLabels draws b sets of n legal labels.
func canonicalLabels(rng *rand.Rand, b, n int) (labels []int32) {
	for range b {
		k := int32(0)
		for range n {
			c := rng.Int32N(min(k, 4) + 1)
			labels = append(labels, c)
			k = max(k, c+1)
		}
	}
	return labels
}

func plus(extra int) func(int) int { return func(n int) int { return n + extra } }

func TestListCandidatesErrors(t *testing.T) {
	const numbered = " labels must be numbered by first appearance and "
	for _, test := range []struct {
		name   string
		labels []int32
		b, n   int
		want   string
	}{
		{"no set", nil, 0, 2, "0 labels for 0 sets of 2 points"},
		{"one point", []int32{0}, 1, 1, "1 labels for 1 sets of 1 points"},
		{"too few labels", []int32{0, 0, 0}, 2, 2, "3 labels for 2 sets of 2 points"},
		{"first label not 0", []int32{0, 0, 1, 0}, 2, 2, "label 0 of set 1 is 1, but" + numbered + "0 were seen"},
		{"a gap", []int32{0, 2, 1}, 1, 3, "label 1 of set 0 is 2, but" + numbered + "1 were seen"},
		{"negative", []int32{0, 1, -1}, 1, 3, "label 2 of set 0 is -1, but" + numbered + "2 were seen"},
	} {
		if _, err := ListCandidates(test.labels, test.b, test.n, FineBuckets); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestPadPointsAndLabels(t *testing.T) {
	pad := Buckets{Points: plus(1), Rows: plus(0), Slots: plus(1)}
	c := must.M1(ListCandidates([]int32{0, 0, 0, 1}, 2, 2, pad))
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	points := c.PadPoints(x, 2)
	if got, want := valuesOf[float32](t, points, 2, 3, 2),
		[]float32{1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("PadPoints = %v, want %v", got, want)
	}
	labels := PadLabels([][]int32{{0, 1}, {0, 0}}, c.N, pad)
	if got, want := valuesOf[int32](t, labels[0], 2, 3), []int32{0, 1, -1, 0, 0, -1}; !slices.Equal(got, want) {
		t.Errorf("PadLabels = %v, want %v", got, want)
	}
	// 2 clusters, 1 of padding
	if got, want := valuesOf[int32](t, labels[1], 3), []int32{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("slots = %v, want %v", got, want)
	}
	c.N = c.Count // nothing to pad
	if got := valuesOf[float32](t, c.PadPoints(x, 2), 2, 2, 2); !slices.Equal(got, x) {
		t.Errorf("PadPoints without padding = %v, want %v", got, x)
	}
}

// valuesOf returns a tensor's values and checks its dimensions.
func valuesOf[T float32 | int32](t *testing.T, tensor *tensors.Tensor, dims ...int) []T {
	t.Helper()
	if got := tensor.Shape().Dimensions; !slices.Equal(got, dims) {
		t.Fatalf("dimensions %v, want %v", got, dims)
	}
	return tensors.MustCopyFlatData[T](tensor)
}

// The graph lists the candidates of the definition; padded rows may name any point.
func TestListedInputs(t *testing.T) {
	f := engine.NewFunc(enginetest.Go(), "listing", func(in []*Node) []*Node {
		l := ListedInputs(in, false)
		return []*Node{l.Point, l.Prev, l.Taken, l.Slot}
	})
	planned := CoarseBuckets
	planned.Labelled, planned.Table = 9, func(_, points, rows int) (int, int) { return max(points, 36), rows + 100 }
	for _, size := range [][2]int{{1, 2}, {3, 9}, {2, 32}, {2, 40}, {5, 33}} {
		for name, buckets := range map[string]Buckets{
			"fine": FineBuckets, "coarse": CoarseBuckets, "planned": planned,
		} {
			t.Run(fmt.Sprintf("%s/B=%d,N=%d", name, size[0], size[1]), func(t *testing.T) {
				b, n := size[0], size[1]
				labels := canonicalLabels(rand.New(rand.NewPCG(1, uint64(n))), b, n)
				c := must.M1(ListCandidates(labels, b, n, buckets))
				in := append([]*tensors.Tensor{c.PadPoints(make([]float32, b*n), 1)}, c.Tensors()...)
				out := must.M1(f.Call(in...))
				for i, want := range c.naive(labels) {
					got := tensors.MustCopyFlatData[int32](out[i])
					if i == 0 {
						if low, high := slices.Min(got), slices.Max(got); low < 0 || int(high) >= b*c.N {
							t.Errorf("points from %d to %d", low, high)
						}
						got = got[:c.rows]
					}
					if !slices.Equal(got, want) {
						t.Errorf("input %d is %v, want %v", i, got, want)
					}
				}
			})
		}
	}
}

// naive lists the points of the real rows, and Prev, Taken and Slot of TableInputs.
func (c *Candidates) naive(labels []int32) [4][]int32 {
	cells := c.B * c.N
	prev, slot := slices.Repeat([]int32{int32(cells)}, c.R), slices.Repeat([]int32{int32(c.R)}, cells*c.K)
	var point, taken []int32
	for set := range c.B {
		last, first := []int32{int32(cells)}, int32(len(point)) // of each cluster and a new one
		for i := range c.N {
			cell := int32(set*c.N + i)
			if i >= c.Count {
				taken, slot[int(cell)*c.K] = append(taken, first), first
				continue
			}
			label := labels[set*c.Count+i]
			taken = append(taken, int32(len(point))+label)
			for k, before := range last {
				slot[int(cell)*c.K+k], prev[len(point)] = int32(len(point)), before
				point = append(point, cell)
			}
			if last[label] = cell; int(label) == len(last)-1 {
				last = append(last, int32(cells))
			}
		}
	}
	return [...][]int32{point, prev, taken, slot}
}
