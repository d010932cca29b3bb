package posterior

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gfncp/gfncp/metrics"
)

func TestCoClusteringAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, n := range []int{1, 2, 7, 30} {
		samples := noisySamples(rng, randomLabels(rng, n, 3), 13, 3)
		samples = append(samples, samples[0])
		got, err := CoClustering(samples)
		if err != nil {
			t.Fatal(err)
		}
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

func TestCoClusteringErrors(t *testing.T) {
	for _, c := range []struct {
		samples [][]int32
		want    error
	}{
		{nil, metrics.ErrTooFew},
		{[][]int32{{}}, metrics.ErrTooFew},
		{[][]int32{{0, 1}, {0}}, metrics.ErrLength},
	} {
		if _, err := CoClustering(c.samples); !errors.Is(err, c.want) {
			t.Errorf("CoClustering(%v): %v, want %v", c.samples, err, c.want)
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
