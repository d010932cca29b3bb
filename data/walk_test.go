package data

import (
	"math"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"
)

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
