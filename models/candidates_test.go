package models

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
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

var paddings = map[string]Buckets{
	"none":   {Points: plus(0), Rows: plus(0), Slots: plus(0)},
	"some":   {Points: plus(3), Rows: plus(5), Slots: plus(2)},
	"fine":   FineBuckets,
	"coarse": CoarseBuckets,
}

func plus(extra int) func(int) int { return func(n int) int { return n + extra } }

// The listing agrees with a naive enumeration of all legal (b, n, k).
func TestListCandidatesEqualsEnumeration(t *testing.T) {
	for name, pad := range paddings {
		for _, size := range [][2]int{{1, 2}, {3, 9}, {2, 40}} {
			t.Run(fmt.Sprintf("%s/B=%d,N=%d", name, size[0], size[1]), func(t *testing.T) {
				b, n := size[0], size[1]
				labels := canonicalLabels(rand.New(rand.NewPCG(1, uint64(n))), b, n)
				c, err := ListCandidates(labels, b, n, pad)
				if err != nil {
					t.Fatal(err)
				}
				checkSizes(t, c, labels, b, n, pad)
				checkRows(t, c, labels)
				checkPadding(t, c)
			})
		}
	}
}

func checkSizes(t *testing.T, c *Candidates, labels []int32, b, n int, pad Buckets) {
	t.Helper()
	rows := 0
	for i := range labels {
		rows += clustersBefore(labels, n, i/n, i%n) + 1
	}
	got := [5]int{c.B, c.N, c.Count, c.R, c.K}
	if want := [5]int{b, pad.Points(n), n, pad.Rows(rows), pad.Slots(int(slices.Max(labels)) + 2)}; got != want {
		t.Fatalf("B, N, Count, R, K = %v, want %v", got, want)
	}
}

// clustersBefore is K_n: the number of different labels of the set before the point.
func clustersBefore(labels []int32, n, set, point int) int {
	seen := map[int32]bool{}
	for _, label := range labels[set*n : set*n+point] {
		seen[label] = true
	}
	return len(seen)
}

// lastOf returns the last point before the given one with the label, and whether there is one.
func lastOf(labels []int32, n, set, point, label int) (last int, found bool) {
	for i := range point {
		if int(labels[set*n+i]) == label {
			last, found = i, true
		}
	}
	return last, found
}

func checkRows(t *testing.T, c *Candidates, labels []int32) {
	t.Helper()
	n := c.Count
	used := map[int32]bool{}
	for set := range c.B {
		for point := range n {
			at := set*c.N + point
			label := int(labels[set*n+point])
			if int(c.labels[at]) != label {
				t.Fatalf("label of (%d,%d) = %d, want %d", set, point, c.labels[at], label)
			}
			legal := clustersBefore(labels, n, set, point) + 1
			for k := range c.K {
				row := c.slot[at*c.K+k]
				if k >= legal {
					if int(row) != c.R {
						t.Fatalf("illegal (%d,%d,%d) has row %d, want R = %d", set, point, k, row, c.R)
					}
					continue
				}
				if int(row) >= c.R || used[row] {
					t.Fatalf("(%d,%d,%d) has row %d, which is used or no row", set, point, k, row)
				}
				used[row] = true
				want := c.B * c.N
				if last, found := lastOf(labels, n, set, point, k); found {
					want = set*c.N + last
				}
				if int(c.point[row]) != at || int(c.prev[row]) != want {
					t.Fatalf("(%d,%d,%d): point %d, prev %d, want %d, %d",
						set, point, k, c.point[row], c.prev[row], at, want)
				}
				if k == label && c.taken[at] != row {
					t.Fatalf("taken of (%d,%d) = %d, want %d", set, point, c.taken[at], row)
				}
			}
			next := slices.Index(labels[set*n+point+1:set*n+n], int32(label)) + point + 1
			if next == point {
				next = c.N
			}
			if int(c.next[at]) != next {
				t.Fatalf("next of (%d,%d) = %d, want %d", set, point, c.next[at], next)
			}
		}
	}
}

// checkPadding asks that padded points see one finite energy and that padded rows read only what exists.
func checkPadding(t *testing.T, c *Candidates) {
	t.Helper()
	for set := range c.B {
		for point := c.Count; point < c.N; point++ {
			at := set*c.N + point
			if c.labels[at] != -1 || int(c.next[at]) != c.N {
				t.Fatalf("padded (%d,%d): label %d, next %d", set, point, c.labels[at], c.next[at])
			}
			if first := c.taken[set*c.N]; c.taken[at] != first || c.slot[at*c.K] != first {
				t.Fatalf("padded (%d,%d): taken %d, first slot %d, want row %d",
					set, point, c.taken[at], c.slot[at*c.K], first)
			}
			for k := 1; k < c.K; k++ {
				if int(c.slot[at*c.K+k]) != c.R {
					t.Fatalf("padded (%d,%d) has a second candidate", set, point)
				}
			}
		}
	}
	for row := range c.R {
		if c.point[row] < 0 || int(c.point[row]) >= c.B*c.N || c.prev[row] < 0 || int(c.prev[row]) > c.B*c.N {
			t.Fatalf("row %d: point %d, prev %d out of range", row, c.point[row], c.prev[row])
		}
	}
}

func TestListCandidatesErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		labels []int32
		b, n   int
		want   string
	}{
		{"no set", nil, 0, 2, "0 labels for 0 sets of 2 points"},
		{"one point", []int32{0}, 1, 1, "1 labels for 1 sets of 1 points"},
		{"too few labels", []int32{0, 0, 0}, 2, 2, "3 labels for 2 sets of 2 points"},
		{
			"first label not 0",
			[]int32{0, 0, 1, 0},
			2, 2, "label 0 of set 1 is 1, but labels must be numbered by first appearance and 0 were seen",
		},
		{
			"a gap",
			[]int32{0, 2, 1},
			1, 3, "label 1 of set 0 is 2, but labels must be numbered by first appearance and 1 were seen",
		},
		{
			"negative",
			[]int32{0, 1, -1},
			1, 3, "label 2 of set 0 is -1, but labels must be numbered by first appearance and 2 were seen",
		},
	} {
		if _, err := ListCandidates(test.labels, test.b, test.n, FineBuckets); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestPadPointsAndLabels(t *testing.T) {
	pad := Buckets{Points: plus(1), Rows: plus(0), Slots: plus(1)}
	c, err := ListCandidates([]int32{0, 0, 0, 1}, 2, 2, pad)
	if err != nil {
		t.Fatal(err)
	}
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
	values, err := tensors.CopyFlatData[T](tensor)
	if err != nil {
		t.Fatal(err)
	}
	return values
}
