package mixture

import (
	"math"
	"testing"

	"github.com/gfncp/gfncp/mixture/em"
)

// allocation returns a chain of 7 rows in one cluster, and a function that allocates the rows with the same random
// numbers in each call. Rows 2 and 5 must be together; scales and categories differ.
func allocation(scaled bool) (c *chain, allocate func(draw bool) float64) {
	rng := em.NewRandom(3, 3)
	r := &em.Rows{N: 7, Columns: em.Grid(3, 7), Codes: [][]int32{{0, 1, 1, 0, 2, 0, 1}}, First: []int{0, 3}}
	for _, column := range r.Columns {
		for i := range column {
			column[i] = rng.NormFloat64()
		}
	}
	known := &knowledge{unitOf: []int32{-1, -1, 0, -1, -1, 0, -1}, units: []unit{{rows: []int32{2, 5}}}}
	c = newChain(r, known, make([]int32, r.N), gaussian, rng)
	c.law.scaled = scaled
	for i := range c.scales {
		c.scales[i] = 0.5 + rng.Float64()
	}
	c.refreshClusters()
	return c, func(draw bool) float64 {
		c.rng = em.NewRandom(5, 5)
		k := c.clusters[0]
		return c.allocate(&k.Summary, k.members, 0, 3, draw, math.Inf(-1))
	}
}

// The probabilities of all sides sum to 1, and sides that were drawn have the same probability when they are given.
func TestAllocationIsADistribution(t *testing.T) {
	for _, scaled := range []bool{false, true} {
		c, allocate := allocation(scaled)
		drawn := allocate(true)
		if given := allocate(false); given != drawn || !c.inLeft[0] || c.inLeft[3] || c.inLeft[2] != c.inLeft[5] {
			t.Errorf("scaled %v: log probability %g drawn, %g given, sides %v", scaled, drawn, given, c.inLeft)
		}
		total, free := 0.0, []int{1, 2, 4, 6}
		for sides := range 1 << len(free) {
			for at, row := range free {
				c.inLeft[row] = sides>>at&1 == 1
			}
			total += math.Exp(allocate(false))
		}
		if !(math.Abs(total-1) < 1e-12) {
			t.Errorf("scaled %v: the probabilities of all sides sum to %g", scaled, total)
		}
	}
}

// A side that has learned all rows, one after the other, has the statistics of a summary of these rows.
func TestSideEqualsSummary(t *testing.T) {
	c, _ := allocation(false)
	k, dim := c.clusters[0], c.rows.Dim()
	c.law.begin(&k.Summary, &c.sides)
	s := &c.sides[0]
	for _, row := range k.members {
		s.add(c.rows, row, c.scales[row])
	}
	clear(c.law.matrix)
	c.law.addPrior(&k.Summary)
	for i, v := range k.Scatter {
		c.law.matrix[i] += v
	}
	want := em.Cholesky(c.law.matrix, c.law.factor, dim)
	df := c.law.df + k.N
	top := math.Log(k.N) + em.LogGammaFunction(0.5*df) - em.LogGammaFunction(0.5*(df-float64(dim)))
	if !(math.Abs(s.logDet-want) < 1e-6) || !(math.Abs(s.top+0.5*s.logDet-top) < 1e-12) ||
		!(math.Abs(s.weight-k.Weight) < 1e-12) || s.n != k.N {
		t.Errorf("the side is %+v, log |S| %g, top %g wanted", s, want, top)
	}
	for d, m := range k.Mean {
		if !(math.Abs(s.mean[d]-m) < 1e-12) {
			t.Errorf("mean %v, want %v", s.mean, k.Mean)
		}
	}
	for level, count := range k.Counts {
		if s.counts[level] != count+1 || s.totals[0] != k.N+3 {
			t.Errorf("counts %v of %v, want %v and one more each", s.counts, s.totals, k.Counts)
		}
	}
}
