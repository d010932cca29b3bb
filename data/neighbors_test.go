package data

import (
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/janpfeifer/must"
)

// The neighbours equal those of sorting all distances, in more rows than one call holds.
func TestNeighborsEqualSorting(t *testing.T) {
	const m, d, k = 300, 3, 7
	rng := Rand(1, "points", 0)
	pool := &Pool{Name: "p", D: d, X: make([]float32, m*d)}
	for i := range pool.X {
		pool.X[i] = float32(rng.NormFloat64())
	}
	table := must.M1(neighbors(pool, k))
	distance := func(i, j int) (sum float64) {
		for a := range d {
			sum += math.Pow(float64(pool.Point(i)[a]-pool.Point(j)[a]), 2)
		}
		return sum
	}
	for i := range m {
		var others []int32
		for j := range m {
			if j != i {
				others = append(others, int32(j))
			}
		}
		sort.Slice(others, func(a, b int) bool { return distance(i, int(others[a])) < distance(i, int(others[b])) })
		if got := table[i*k : (i+1)*k]; !slices.Equal(got, others[:k]) {
			t.Fatalf("point %d: %v, want %v", i, got, others[:k])
		}
	}
}

// Images are compared at half their size: by hand, 4×4 pixels become the means of their quarters.
func TestImagesAreComparedSmall(t *testing.T) {
	pool := &Pool{Name: "p", D: 16, Height: 4, Width: 4, X: []float32{
		1, 1, 0, 0,
		1, 1, 0, 0,
		0, 0, 1, 0,
		0, 0, 0, 0,
	}}
	x, d := reduced(pool)
	if d != 4 || !slices.Equal(x, []float32{1, 0, 0, 0.25}) {
		t.Errorf("reduced to %v", x)
	}
}

// With neighbours, a cluster's points are its base and neighbours of the base, all of which occur; exactly one point is
// bound to be the base. More neighbours than other points are a fault.
func TestNeighborSets(t *testing.T) {
	pool := imagePool(40)
	const k = 4
	s := mustPool(pool, func(c *Config) { c.Neighbors, c.FixedK, c.NMin, c.NMax = k, 1, 30, 30 })
	near := must.M1(neighbors(pool, k))
	for _, set := range setsOf(must.M1(s.Draft(3, 0))) {
		seen := map[int32]bool{}
		for _, i := range set.Index {
			seen[i] = true
		}
		isFamily := false
		for base := range seen {
			family := append([]int32{base}, near[int(base)*k:(int(base)+1)*k]...)
			outside := false
			for i := range seen {
				outside = outside || !slices.Contains(family, i)
			}
			isFamily = isFamily || !outside
		}
		// 29 draws from 5: the chance to miss one is 5·0.8^29 = 0.008; seeds are fixed.
		if !isFamily || len(seen) != k+1 {
			t.Errorf("the points %v are not a base and its neighbours", seen)
		}
	}
	c := s.config
	c.Neighbors = 40
	if _, err := NewPoolSource(c, pool); err == nil {
		t.Error("40 neighbours of 40 points are accepted")
	}
}
