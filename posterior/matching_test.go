package posterior

import (
	"math/rand/v2"
	"slices"
	"testing"
)

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

// Greedy choice takes 10 first and ends with 10+1; the optimum is 9+9.
func TestMaxOverlapIsNotGreedy(t *testing.T) {
	if got := maxOverlap([][]int{{10, 9}, {9, 1}}); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("maxOverlap = %v, want [1 0]", got)
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
