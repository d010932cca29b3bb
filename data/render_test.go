package data

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// TestRenderImages: pixels lie in −1..1, an image that is not augmented is 2x − 1, and the number of cores decides
// nothing.
func TestRenderImages(t *testing.T) {
	pool := imagePool(40)
	for _, mode := range []string{ModeInstance, ModeGenerative} {
		s := mustPool(pool, func(c *Config) { c.Mode = mode })
		b := must.M1(s.Batch(1, 0))
		plain, clusters := 0, 0
		for _, set := range setsOf(b) {
			clusters += len(clusterSizes(set.Labels))
			for i, index := range set.Index {
				x, want := set.X[i*set.D:(i+1)*set.D], slices.Clone(pool.Point(int(index)))
				if slices.Min(x) < -1 || slices.Max(x) > 1 {
					t.Fatalf("%s: pixels from %g to %g", mode, slices.Min(x), slices.Max(x))
				}
				NetworkUnits(want)
				if furthest(x, want) < 1e-5 {
					plain++
				}
			}
		}
		if want := map[string]int{ModeInstance: clusters, ModeGenerative: b.B * b.N}[mode]; plain != want {
			t.Errorf("%s: %d images are as in the pool, want %d", mode, plain, want)
		}
		for _, cores := range []int{1, 3, 1000} {
			before := runtime.GOMAXPROCS(cores)
			again := must.M1(s.Batch(1, 0))
			runtime.GOMAXPROCS(before)
			if !reflect.DeepEqual(again, b) {
				t.Errorf("%s: %d cores give another batch", mode, cores)
			}
		}
	}
}

// furthest is the largest difference of two images.
func furthest(a, b []float32) (most float64) {
	for i, v := range a {
		most = math.Max(most, math.Abs(float64(v-b[i])))
	}
	return most
}

// TestRenderVectors: a set is centred by its own median and multiplied by Factor.
func TestRenderVectors(t *testing.T) {
	pool := vectorPool(40, 40)
	for _, mode := range []string{ModeInstance, ModeGenerative} {
		s := mustPool(pool,
			func(c *Config) { c.Mode, c.Factor, c.Vectors.Noise, c.Vectors.Dropout = mode, 0.25, 0, 0 })
		for _, set := range setsOf(must.M1(s.Batch(2, 0))) {
			want := gathered(pool, set)
			MedianCenter(want, set.N, set.D)
			for i := range want {
				want[i] /= 4
			}
			if !slices.Equal(set.X, want) {
				t.Errorf("%s: points %v, want %v", mode, set.X, want)
			}
		}
	}
}

// TestVectorBases: noise reaches all points of a cluster but one, which may be any of them.
func TestVectorBases(t *testing.T) {
	pool := vectorPool(5)
	s := mustPool(pool, func(c *Config) { c.Batch, c.NMin, c.NMax, c.FixedK, c.Vectors.Dropout = 1200, 5, 5, 2, 0 })
	// whether point 0 is its cluster's base, over the sets where that cluster has two points
	first := make([]float64, 2)
	for _, set := range setsOf(must.M1(s.Batch(3, 0))) {
		want := gathered(pool, set)
		MedianCenter(want, set.N, set.D)
		bases := make([]int, 2)
		for i, l := range set.Labels {
			isBase := slices.Equal(set.X[i*set.D:(i+1)*set.D], want[i*set.D:(i+1)*set.D])
			if isBase {
				bases[l]++
			}
			if i == 0 && clusterSizes(set.Labels)[0] == 2 {
				first[map[bool]int{true: 1}[isBase]]++
			}
			// ten times the noise of 0.05
			if d := furthest(set.X[i*set.D:(i+1)*set.D], want[i*set.D:(i+1)*set.D]); d > 0.5 {
				t.Fatalf("point %d lies %g from its base", i, d)
			}
		}
		if !slices.Equal(bases, []int{1, 1}) {
			t.Fatalf("bases by cluster %v, want one each", bases)
		}
	}
	if chi2 := chiSquare(first); chi2 > chiSquareBound(1) || first[0]+first[1] < 120 { // 8/50 of 1200 = 192 expected
		t.Errorf("point 0 is an augmentation %g times and a base %g times: chi-square %.1f", first[0], first[1], chi2)
	}
}

// gathered returns a set's points in the pool [N,D].
func gathered(pool *Pool, set *Batch) (x []float32) {
	for _, index := range set.Index {
		x = append(x, pool.Point(int(index))...)
	}
	return x
}
