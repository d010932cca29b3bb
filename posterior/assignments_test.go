package posterior

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
)

func TestAssignmentsByHand(t *testing.T) {
	merged := []float64{0, 1, 0, 0} // columns in order of first appearance: 4, 1, 0, other
	for _, c := range []struct {
		estimate []int32
		samples  [][]int32
		want     [][]float64 // of the first points
	}{
		{
			[]int32{0, 0, 0, 1, 1},
			[][]int32{
				{0, 0, 0, 1, 1}, // the estimate
				{8, 8, 8, 3, 3}, // the estimate, renamed
				{0, 0, 1, 1, 1}, // point 2 moves to the estimate's cluster 1
				{0, 0, 2, 1, 1}, // point 2 alone: its cluster has no partner left
			},
			[][]float64{{1, 0, 0}, {1, 0, 0}, {0.5, 0.25, 0.25}, {0, 1, 0}, {0, 1, 0}},
		},
		// One sample cluster against three of the estimate goes to the largest.
		{[]int32{4, 1, 1, 0}, [][]int32{{0, 0, 0, 0}}, [][]float64{merged, merged, merged, merged}},
		// {0,1,2} and {3} of the sample both lie in the estimate's first cluster. {4,5} takes one of the other two; {3}
		// is left with the third, of which it shares no point, and counts as "another cluster".
		{
			[]int32{0, 0, 0, 0, 1, 2},
			[][]int32{{0, 0, 0, 1, 2, 2}},
			[][]float64{{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}},
		},
	} {
		if got := Assignments(c.estimate, c.samples); !reflect.DeepEqual(got[:len(c.want)], c.want) {
			t.Errorf("Assignments(%v) = %v, want %v", c.estimate, got, c.want)
		}
	}
}

// The total probability of staying put equals the mean best overlap, found by trying all matchings.
func TestAssignmentsRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 50 {
		n := 2 + rng.IntN(50)
		base := randomLabels(rng, n, 4)
		samples := noisySamples(rng, base, 1+rng.IntN(30), 5)
		rows := Assignments(base, samples)
		target := partition.New(base)
		stay, best := 0.0, 0
		for i, row := range rows {
			sum := floats.Sum(row)
			if len(row) != len(target.Size)+1 || !(math.Abs(sum-1) <= 1e-12) {
				t.Fatalf("row %d = %v sums to %v", i, row, sum)
			}
			stay += row[target.Labels[i]]
		}
		for _, s := range samples {
			p := partition.New(s)
			overlap := make([][]int, len(p.Size))
			for c := range overlap {
				overlap[c] = make([]int, len(target.Size))
			}
			for i, c := range p.Labels {
				overlap[c][target.Labels[i]]++
			}
			best += bruteForce(overlap, make([]bool, len(target.Size)), 0)
		}
		if want := float64(best) / float64(len(samples)); !(math.Abs(stay-want) <= 1e-10) {
			t.Errorf("expected points in place %v, want %v", stay, want)
		}
	}
}

// What a sample's clusters are matched with is where Assignments counts their points.
func TestMatchIsThatOfAssignments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		n := 2 + rng.IntN(30)
		estimate, sample := make([]int32, n), make([]int32, n)
		for i := range n {
			estimate[i], sample[i] = rng.Int32N(4), 3-rng.Int32N(5)
		}
		target := partition.New(estimate)
		partner := Match(sample, target.Labels, int32(len(target.Size)))
		rows := Assignments(estimate, [][]int32{sample})
		for i, c := range partition.New(sample).Labels {
			if rows[i][partner[c]] != 1 {
				t.Fatalf("cluster %d is matched with %d, its point has %v", c, partner[c], rows[i])
			}
		}
	}
}

// bruteForce returns the largest total of overlap over all one-to-one matchings, by trying every one.
func bruteForce(overlap [][]int, used []bool, row int) int {
	if row == len(overlap) {
		return 0
	}
	best := bruteForce(overlap, used, row+1) // leave the row alone
	for j, gain := range overlap[row] {
		if !used[j] {
			used[j] = true
			best = max(best, gain+bruteForce(overlap, used, row+1))
			used[j] = false
		}
	}
	return best
}

func TestMaxOverlapAgainstAllMatchings(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 2000 {
		rows, cols, top := 1+rng.IntN(5), 1+rng.IntN(5), 1+rng.IntN(12)
		overlap := make([][]int, rows)
		for i := range overlap {
			overlap[i] = make([]int, cols)
			for j := range overlap[i] {
				overlap[i][j] = max(0, rng.IntN(2*top)-top) // many ties and zeros
			}
		}
		got := maxOverlap(overlap)
		total, matched, seen := 0, 0, map[int]bool{}
		for i, j := range got {
			if j < 0 {
				continue
			}
			if seen[j] {
				t.Fatalf("column %d matched twice in %v: %v", j, overlap, got)
			}
			seen[j] = true
			matched++
			total += overlap[i][j]
		}
		if want := bruteForce(overlap, make([]bool, cols), 0); total != want {
			t.Fatalf("maxOverlap(%v) = %v gains %d, best is %d", overlap, got, total, want)
		}
		if matched != min(rows, cols) {
			t.Fatalf("maxOverlap(%v) = %v matches %d rows", overlap, got, matched)
		}
	}
}

// A hidden permutation of a diagonally dominant 120 × 120 matrix is found.
func TestMaxOverlapLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	want := rng.Perm(120)
	overlap := make([][]int, len(want))
	for i := range overlap {
		overlap[i] = make([]int, len(want))
		for j := range overlap[i] {
			overlap[i][j] = rng.IntN(50)
		}
		overlap[i][want[i]] = 50 + rng.IntN(100)
	}
	if got := maxOverlap(overlap); !slices.Equal(got, want) {
		t.Errorf("maxOverlap = %v, want %v", got, want)
	}
}

// A cluster takes the name of the estimate's cluster with which it shares most points.
func TestRename(t *testing.T) {
	estimate := []int32{4, 4, 4, 2, 2, 7} // of a subset: names are not in order of first appearance
	got := Rename([]int32{0, 0, 1, 2, 2, 2}, estimate, 9)
	if !slices.Equal(got, []int32{4, 4, 9, 2, 2, 2}) && !slices.Equal(got, []int32{4, 4, 9, 7, 7, 7}) {
		t.Errorf("the labels are %v", got)
	}
}
