package data

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
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
	order := Order(rng, m)
	for i := range m {
		from := func(j int32) float64 {
			return floats.Distance(Float64s(pool.Point(i)), Float64s(pool.Point(int(j))), 2)
		}
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(from(a), from(b)) })
		if got, want := table[i*k:(i+1)*k], order[1:k+1]; !slices.Equal(got, want) { // order[0] is i itself
			t.Fatalf("point %d: %v, want %v", i, got, want)
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
		isFamily := slices.ContainsFunc(set.Index, func(base int32) bool {
			family := append([]int32{base}, near[int(base)*k:(int(base)+1)*k]...)
			return !slices.ContainsFunc(set.Index, func(i int32) bool { return !slices.Contains(family, i) })
		})
		// 29 draws from 5: the chance to miss one is 5·0.8^29 = 0.008; seeds are fixed.
		if !isFamily || different(set.Index) != k+1 {
			t.Errorf("the points %v are not a base and its neighbours", set.Index)
		}
	}
	c := s.config
	c.Neighbors = 40
	if _, err := NewPoolSource(c, pool); err == nil {
		t.Error("40 neighbours of 40 points are accepted")
	}
}

// Points 0 and 1 are near to each other, so are 1 and 2; 3 has 0 and 1 near, but is near to nobody, and 4 likewise.
func TestMutualNeighbors(t *testing.T) {
	near := []int32{1, 2, 0, 2, 1, 0, 0, 1, 3, 2}
	want := [][]int32{{1, 2}, {0, 2}, {1, 0}, {0}, {3}}
	if links := mutualNeighbors(near, 2); !reflect.DeepEqual(links, want) {
		t.Errorf("links are %v, want %v", links, want)
	}
}

// Where a walk ends has the law of the links' transition matrix to the power of the steps.
func TestWalkLaw(t *testing.T) {
	links := [][]int32{{1}, {0, 2}, {1, 3, 4}, {2}, {2}, {0}}
	const steps, walks = 3, 40000
	law := []float64{1, 0, 0, 0, 0, 0}
	for range steps {
		next := make([]float64, len(law))
		for i, p := range law {
			share := p / float64(len(links[i])+1)
			next[i] += share
			for _, j := range links[i] {
				next[j] += share
			}
		}
		law = next
	}
	rng, ends := Rand(1, "walk", 0), make([]float64, len(links))
	for range walks {
		ends[walk(rng, links, 0, steps)] += 1.0 / walks
	}
	for i, p := range law {
		// Five standard errors.
		if bound := 5 * math.Sqrt(p*(1-p)/walks); math.Abs(ends[i]-p) > bound {
			t.Errorf("point %d ends %.4f of the walks, want %.4f ± %.4f", i, ends[i], p, bound)
		}
	}
}

// With a walk, a cluster's points lie at most so many links from one of them, its base, and in some clusters farther
// than one link from any.
func TestWalkSets(t *testing.T) {
	pool := imagePool(60)
	const k, steps = 3, 2
	s := mustPool(pool, func(c *Config) { c.Neighbors, c.Walk, c.FixedK, c.NMin, c.NMax = k, steps, 1, 30, 30 })
	far := false
	for _, set := range setsOf(must.M1(s.Draft(3, 0))) {
		least := pool.Len() // of the bases that there may be, how far its farthest point is
		for base := range pool.Len() {
			distance := linksFrom(s.links, base)
			most := 0
			for _, i := range set.Index {
				most = max(most, distance[i])
			}
			least = min(least, most)
		}
		far = far || least == steps
		if least > steps {
			t.Errorf("the points %v are not within %d links of any base", set.Index, steps)
		}
	}
	if !far {
		t.Error("all clusters are within one link of a base")
	}
}

// linksFrom is the number of links from a point to each, shape [M]; M where there is no way.
func linksFrom(links [][]int32, base int) []int {
	distance := make([]int, len(links))
	for i := range distance {
		distance[i] = len(links)
	}
	distance[base] = 0
	for queue := []int{base}; len(queue) > 0; queue = queue[1:] {
		for _, j := range links[queue[0]] {
			if distance[j] == len(links) {
				distance[j] = distance[queue[0]] + 1
				queue = append(queue, int(j))
			}
		}
	}
	return distance
}
