package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// structured reports whether a column has several humps, or a value far from all others. The tests of humps allow for
// the number of columns.
func (n *number) structured(t Table, columns int) bool {
	column := n.encode(t, true)
	return bimodal(column, columns) || parted(column, columns) || len(farValues(t.column(n.Column), farAlone)) > 0
}

// parted reports whether a column is several groups of values with a deep valley between some of them. It finds the
// groups of few rows that bimodal does not. Of tables whose columns have one hump each at most 7 in 100 have a parted
// column by chance.
func parted(column []float64, columns int) bool {
	const most, first, further = 6, 10, 5 // groups; least gain of two groups, and of each further one
	const deep = 0.15                     // most density in the valley
	values := sorted(column)
	g := newGroups(values)
	for g.number() < most {
		if !g.split() {
			return false
		}
		if g.gain() > first+further*float64(g.number()-2)+math.Log(float64(columns)) && g.deepest(values) < deep {
			return true
		}
	}
	return false
}

// groups are runs of rising values, of one Gaussian each with a common variance.
type groups struct {
	sums, squares    []float64 // [n+1], of the values before
	cuts             []int     // [G+1], where the groups begin, from 0 to n
	scatter, entropy float64   // within all groups; Σ size·log(size/n)
}

func newGroups(values []float64) *groups {
	n := len(values)
	g := &groups{sums: make([]float64, n+1), squares: make([]float64, n+1), cuts: []int{0, n}}
	for i, x := range values {
		g.sums[i+1], g.squares[i+1] = g.sums[i]+x, g.squares[i]+x*x
	}
	g.scatter = g.within(0, n)
	return g
}

func (g *groups) rows() int   { return len(g.sums) - 1 }
func (g *groups) number() int { return len(g.cuts) - 1 }

// within returns Σ (x − mean)² of values lo to hi.
func (g *groups) within(lo, hi int) float64 {
	sum := g.sums[hi] - g.sums[lo]
	return g.squares[hi] - g.squares[lo] - sum*sum/float64(hi-lo)
}

// entropyOf returns size·log(size/n).
func (g *groups) entropyOf(size int) float64 {
	return float64(size) * math.Log(float64(size)/float64(g.rows()))
}

// logLikelihood returns that of the values and their groups, up to a constant.
func (g *groups) logLikelihood(scatter, entropy float64) float64 {
	const narrowest = 1e-4 // of the scatter of all values
	return entropy - 0.5*float64(g.rows())*math.Log(max(scatter, narrowest*g.within(0, g.rows())))
}

// gain returns the log-likelihood that the groups gain over one group.
func (g *groups) gain() float64 {
	return g.logLikelihood(g.scatter, g.entropy) - g.logLikelihood(g.within(0, g.rows()), 0)
}

// split cuts the group whose cut gains most. It returns false if groups would be too small.
func (g *groups) split() bool {
	fewest := max(4, g.rows()/12)
	best, next, after := math.Inf(-1), *g, 0
	for k, lo := range g.cuts[:g.number()] {
		hi := g.cuts[k+1]
		for i := lo + fewest; i <= hi-fewest; i++ {
			scatter := g.scatter - g.within(lo, hi) + g.within(lo, i) + g.within(i, hi)
			entropy := g.entropy - g.entropyOf(hi-lo) + g.entropyOf(i-lo) + g.entropyOf(hi-i)
			if log := g.logLikelihood(scatter, entropy); log > best {
				best, after, next.scatter, next.entropy = log, i, scatter, entropy
			}
		}
	}
	if after == 0 {
		return false
	}
	next.cuts = append(slices.Clone(g.cuts), after)
	slices.Sort(next.cuts)
	*g = next
	return true
}

// deepest returns the least density in a valley between neighbouring groups, see em.valley.
func (g *groups) deepest(values []float64) float64 {
	labels := make([]int32, len(values))
	for k, lo := range g.cuts[:g.number()] {
		for i := lo; i < g.cuts[k+1]; i++ {
			labels[i] = int32(k)
		}
	}
	m := fitEM(&rows{n: len(values), columns: [][]float64{values}, first: []int{0}}, labels, g.number(), math.Inf(1))
	least := math.Inf(1)
	for k := range g.number() - 1 {
		least = min(least, m.valley(k, k+1))
	}
	return least
}

// bimodal reports whether a column has several humps, by Hartigan & Hartigan's dip test: by the distance of its
// distribution function from functions that are convex up to some value and concave from there on. Of tables of
// uniform columns about one in twenty has a bimodal one by chance.
func bimodal(column []float64, columns int) bool {
	const modes = 40
	critical := 0.85 + 0.09*math.Log(float64(columns)) // 1 % of uniform columns are above 1
	values := sorted(column)
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
		for i := a; i < b; i++ {
			share := (values[i] - values[a]) / max(values[b]-values[a], math.SmallestNonzeroFloat64)
			largest = max(largest, float64(i-a)-share*float64(b-a))
		}
	}
	return largest
}
