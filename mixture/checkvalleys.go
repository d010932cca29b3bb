package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Two clusters are joined when the density between them is at least pairValley of the lower end's and they overlap by
// pairOverlap, three and more when each link in their chain has chainValley and chainOverlap.
const (
	pairValley   = 0.65
	pairOverlap  = 0.03 // share of one's rows that are taken for the other's; it keeps nested clusters apart
	chainValley  = 0.3
	chainOverlap = 0.02
	ridgePoints  = 21
)

// groups joins the clusters that no valley separates (Ray & Lindsay 2005, Hennig 2010).
func (m *em) groups(counted []bool) (groups []int, number int) {
	k := len(m.components)
	near, linked := newSets(k), newSets(k)
	overlap := m.overlaps()
	for a := range k {
		for b := range a {
			if !counted[a] || !counted[b] || m.rows.dim() == 0 || overlap[a*k+b] < chainOverlap {
				continue
			}
			v := m.valley(a, b)
			if v >= chainValley {
				linked.join(a, b)
			}
			if v >= pairValley && overlap[a*k+b] >= pairOverlap {
				near.join(a, b)
			}
		}
	}
	sizes := make([]int, k)
	for a := range k {
		sizes[linked.of(a)]++
	}
	names := map[int]int{}
	for a := range k {
		if first := linked.of(a); sizes[first] > 2 {
			near.join(a, first)
		}
	}
	for a := range k {
		group := -1
		if set := near.of(a); counted[a] {
			if _, known := names[set]; !known {
				names[set] = len(names)
			}
			group = names[set]
		}
		groups = append(groups, group)
	}
	return groups, len(names)
}

// overlaps returns for each two clusters [K·K] the larger share of one's mass that lies in rows of the other.
func (m *em) overlaps() []float64 {
	k := len(m.components)
	taken, sizes := make([]float64, k*k), make([]float64, k)
	for i := range m.rows.n {
		z := m.nearest(i)
		for a, shares := range m.shares {
			taken[a*k+z] += shares[i]
			sizes[a] += shares[i]
		}
	}
	out := make([]float64, k*k)
	for a := range k {
		for b := range a {
			out[a*k+b] = max(taken[a*k+b]/max(sizes[a], 1), taken[b*k+a]/max(sizes[b], 1))
		}
	}
	return out
}

// nearest is the most probable component of a row.
func (m *em) nearest(i int) (best int) {
	for k, shares := range m.shares {
		if shares[i] > m.shares[best][i] {
			best = k
		}
	}
	return best
}

// valley is the least density of the mixture on the ridge between the centres of a and b, over that of the lower end.
// A component counts as much as its categories are like those of the two: one with others fills no valley.
func (m *em) valley(a, b int) float64 {
	at := m.ridge(a, b)
	logs, distances := make([][]float64, ridgePoints), make([]float64, ridgePoints)
	law := &m.tails[m.rows.dim()]
	for k := range m.components {
		to := &m.components[k]
		to.distances(at, 0, distances)
		base := to.logWeight + to.halfLog + logSumExp([]float64{m.likeness(a, k), m.likeness(b, k)})
		for i, d := range distances {
			logs[i] = append(logs[i], base+law.log(d))
		}
	}
	heights := distances
	for i, components := range logs {
		heights[i] = logSumExp(components)
	}
	return math.Exp(floats.Min(heights) - min(heights[0], heights[ridgePoints-1]))
}

// likeness is the log probability that rows of a and k agree in all categories.
func (m *em) likeness(a, k int) (sum float64) {
	for q := range m.rows.variables() {
		first, last := m.rows.first[q], m.rows.first[q+1]
		same := 0.0
		for l := first; l < last; l++ {
			same += math.Exp(m.components[a].logLevel[l] + m.components[k].logLevel[l])
		}
		sum += math.Log(same)
	}
	return sum
}

// ridge returns points [D][ridgePoints] from the centre of a to that of b, on the curve on which the mixture of the
// two has its extrema.
func (m *em) ridge(a, b int) [][]float64 {
	dim, from, to := m.rows.dim(), &m.components[a], &m.components[b]
	out, precisions, both := grid(dim, ridgePoints), grid(2, dim*dim), make([]float64, dim*dim)
	point, pull := make([]float64, dim), make([]float64, dim)
	addProduct(precisions[0], 1, general(from.factor, dim))
	addProduct(precisions[1], 1, general(to.factor, dim))
	blas64.Symv(1, symmetric(precisions[1], dim), vector(floats.SubTo(point, to.mean, from.mean)), 0, vector(pull))
	for i := range ridgePoints {
		t := float64(i) / (ridgePoints - 1)
		floats.ScaleTo(both, 1-t, precisions[0])
		floats.AddScaled(both, t, precisions[1])
		floats.ScaleTo(point, t, pull)
		cholesky(both, both, dim)
		solveLower(both, point)
		solveLowerTransposed(both, point)
		for d, x := range point {
			out[d][i] = from.mean[d] + x
		}
	}
	return out
}
