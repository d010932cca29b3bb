package posterior

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestCollapse(t *testing.T) {
	samples := [][]int32{
		{0, 1, 1},
		{0, 0, 1},
		{7, 3, 3}, // same partition as the first, rounded otherwise
		{0, 1, 2},
		{0, 1, 0},
		{5, 5, -5},
		{1, 1, 0},
	}
	logProbs := []float64{-2, -1, -2.0000001, -2, -2, -1, -1}
	want := []Distinct{
		{[]int32{0, 0, 1}, -1, 3},
		{[]int32{0, 1, 1}, -2, 2}, // same LogProb: higher count first,
		{[]int32{0, 1, 0}, -2, 1}, // then lexicographic
		{[]int32{0, 1, 2}, -2, 1},
	}
	if got := Collapse(samples, logProbs); !reflect.DeepEqual(got, want) {
		t.Errorf("Collapse = %v, want %v", got, want)
	}
	if !slices.Equal(samples[2], []int32{7, 3, 3}) {
		t.Errorf("Collapse changed its input to %v", samples[2])
	}
	if got := Collapse(nil, nil); len(got) != 0 {
		t.Errorf("Collapse(nil) = %v", got)
	}
}

func TestCoClusteringAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, n := range []int{1, 2, 7, 30} {
		samples := noisySamples(rng, randomLabels(rng, n, 3), 13, 3)
		samples = append(samples, samples[0])
		got := CoClustering(samples)
		if r, c := got.Dims(); r != n || c != n {
			t.Fatalf("matrix is %d × %d, want %d", r, c, n)
		}
		for i := range n {
			for j := range n {
				together := 0
				for _, s := range samples {
					if s[i] == s[j] {
						together++
					}
				}
				if want := float64(together) / float64(len(samples)); got.At(i, j) != want {
					t.Errorf("N = %d: entry (%d, %d) = %v, want %v", n, i, j, got.At(i, j), want)
				}
			}
		}
	}
}

func TestKPosterior(t *testing.T) {
	samples := [][]int32{{0, 1, 2}, {4, 4, 4}, {2, 0, 0}, {1, 1, 0}}
	want := []KProb{{1, 0.25}, {2, 0.5}, {3, 0.25}}
	if got := KPosterior(samples); !reflect.DeepEqual(got, want) {
		t.Errorf("KPosterior = %v, want %v", got, want)
	}
	if got := KPosterior(nil); len(got) != 0 {
		t.Errorf("KPosterior(nil) = %v", got)
	}
}
