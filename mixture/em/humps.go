package em

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// HasValley reports whether sorted values form several groups, with a deep valley between some of them. It finds small
// groups that bimodal misses. The fewer the rows, the deeper the valleys that chance makes. Among tables whose columns
// have one hump each, at most 7 % have such a column by chance.
func HasValley(values []float64, columns int) bool {
	const first, further = 10, 5
	deep := max(0.15, 0.45-2.3/math.Sqrt(float64(len(values))))
	return len(cutAtValleys(values, deep, first+math.Log(float64(columns)), further)) > 2
}

// cutAtValleys returns where groups of sorted values begin, from 0 to n. Between some groups there is a valley with a
// relative density below deep. The first cut, or first two and so on, must gain first in log-likelihood, and further
// for each cut that was tried before.
func cutAtValleys(values []float64, deep, first, further float64) []int {
	g := newGroups(values)
	cuts, log := g.cuts, g.logLikelihood(g.cuts)
	for g.number() < mostGroups && g.split() {
		gain := first + further*float64(g.number()-2)
		if more := g.logLikelihood(g.cuts); more > log+gain && g.deepest(values) < deep {
			cuts, log = g.cuts, more
		}
	}
	return cuts
}

// mostGroups is the largest number of groups in one column or direction.
const mostGroups = 6

// groups are consecutive runs of sorted values. Each run is one Gaussian, and all have the same variance.
type groups struct {
	sums, squares []float64 // [n+1], cumulative
	cuts          []int     // [G+1], where the groups begin, from 0 to n
}

func newGroups(values []float64) *groups {
	n := len(values)
	g := &groups{sums: make([]float64, n+1), squares: make([]float64, n+1), cuts: []int{0, n}}
	for i, x := range values {
		g.sums[i+1], g.squares[i+1] = g.sums[i]+x, g.squares[i]+x*x
	}
	return g
}

func (g *groups) rows() int { return len(g.sums) - 1 }

func (g *groups) number() int { return len(g.cuts) - 1 }

// within returns Σ (x − mean)² of values lo to hi−1.
func (g *groups) within(lo, hi int) float64 {
	sum := g.sums[hi] - g.sums[lo]
	return g.squares[hi] - g.squares[lo] - sum*sum/float64(hi-lo)
}

// logLikelihood returns the log-likelihood of the values and their groups between cuts, without constant terms.
func (g *groups) logLikelihood(cuts []int) (log float64) {
	const narrowest = 1e-4 // of the scatter of all values
	n, scatter := float64(g.rows()), 0.0
	for k, lo := range cuts[:len(cuts)-1] {
		size := float64(cuts[k+1] - lo)
		scatter += g.within(lo, cuts[k+1])
		log += size * math.Log(size/n)
	}
	return log - 0.5*n*math.Log(max(scatter, narrowest*g.within(0, g.rows())))
}

// split makes the cut with the largest log-likelihood. It returns false if all groups are too small to cut.
func (g *groups) split() bool {
	fewest := max(4, g.rows()/12)
	best, after := math.Inf(-1), g.cuts
	for k, lo := range g.cuts[:g.number()] {
		cuts := slices.Insert(slices.Clone(g.cuts), k+1, lo)
		for cuts[k+1] = lo + fewest; cuts[k+1] <= cuts[k+2]-fewest; cuts[k+1]++ {
			if log := g.logLikelihood(cuts); log > best {
				best, after = log, slices.Clone(cuts)
			}
		}
	}
	parts := len(after) > len(g.cuts)
	g.cuts = after
	return parts
}

// deepest returns the least relative density in a valley between neighbouring groups, see EM.Valley.
func (g *groups) deepest(values []float64) float64 {
	var labels []int32
	for k, lo := range g.cuts[:g.number()] {
		labels = append(labels, slices.Repeat([]int32{int32(k)}, g.cuts[k+1]-lo)...)
	}
	m := FitColumn(values, labels)
	least := math.Inf(1)
	for k := range g.number() - 1 {
		least = min(least, m.Valley(k, k+1))
	}
	return least
}

// FitColumn fits a normal distribution to each group of a column. labels [n] uses every number from 0 to its largest.
func FitColumn(values []float64, labels []int32) *EM {
	r := &Rows{N: len(values), Columns: [][]float64{values}, First: []int{0}}
	return Fit(r, labels, nil, int(slices.Max(labels))+1, math.Inf(1))
}

// Bimodal reports whether sorted values have several humps, by the dip test of Hartigan & Hartigan: the distance of the
// distribution function from functions that are convex up to some value and concave above. Among tables of uniform
// columns, about one in twenty has a bimodal column by chance.
func Bimodal(values []float64, columns int) bool {
	const modes = 40
	critical := 0.85 + 0.09*math.Log(float64(columns)) // 1 % of uniform columns are above 1
	mirrored := slices.Clone(values)
	slices.Reverse(mirrored)
	floats.Scale(-1, mirrored)
	least := math.Inf(1)
	for m := range modes {
		at := m * len(values) / modes
		least = min(least, max(fromConvex(values[:at+1]), fromConvex(mirrored[:len(values)-at])))
	}
	return least > critical*math.Sqrt(float64(len(values)))
}

// fromConvex returns the largest distance between the counts of rising values and their greatest convex minorant.
func fromConvex(values []float64) (largest float64) {
	var hull []int
	for i, x := range values {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if float64(b-a)*(x-values[a]) < float64(i-a)*(values[b]-values[a]) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for k := 1; k < len(hull); k++ {
		a, b := hull[k-1], hull[k]
		for i := a; i < b && values[a] < values[b]; i++ { // equal values are a jump at the end, which is convex
			share := (values[i] - values[a]) / (values[b] - values[a])
			largest = max(largest, float64(i-a)-share*float64(b-a))
		}
	}
	return largest
}
