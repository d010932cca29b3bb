package tables

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/mixture/em"
)

// mostScreened is the largest number of variables that are tested for independence.
const mostScreened = 1000

// dropIndependent excludes variables that can show no clusters. They have one hump and no value far from all others,
// and are independent of all other variables, in pairs and together. If no variable would be left, it keeps the
// numbers, which become normal scores with one hump; without numbers, it keeps one category.
func (e *Encoder) dropIndependent(t Table) {
	const products, least, most = 4e8, 300, 4000
	const above = 1.2 // noise, of the variance of a first component
	width := 2 * len(e.Numbers)
	for _, v := range e.Variables {
		width += max(2, v.Levels)
	}
	part := t.Runs(max(least, min(most, products/max(width*width, 1))), 1)
	var numbers [][]float64
	for i := range e.Numbers {
		numbers = append(numbers, e.Numbers[i].encode(part, true))
	}
	features := e.features(part, numbers)
	if len(features) == 0 || len(features) == 1 && len(e.Numbers) == 1 {
		return
	}
	dependent, apart := dependent(features, numbers, width), make([]bool, len(features))
	var columns, scores [][]float64
	for v := range features {
		isNumber := v < len(e.Numbers)
		apart[v] = !dependent[v] && !(isNumber && e.Numbers[v].structured(part, len(e.Numbers)))
		if apart[v] {
			columns = append(columns, features[v][:min(1, len(features[v]))]...)
		}
		if apart[v] && isNumber {
			scores = append(scores, features[v][0])
		}
	}
	if len(columns) > 0 && largestVariance(columns) > above*noiseVariance(columns) ||
		len(scores) > 1 && clumped(scores) {
		return
	}
	e.setApart(t, apart)
}

// dependent reports for each variable whether it depends on another one. The variables have width features in all; the
// first variables are numbers [·][n].
func dependent(features [][][]float64, numbers [][]float64, width int) []bool {
	dependent, orders, ends := make([]bool, len(features)), make([][]int, len(numbers)), make([]ends, len(numbers))
	for a, column := range numbers {
		orders[a] = make([]int, len(column))
		floats.ArgsortStable(slices.Clone(features[a][0]), orders[a])
		ends[a] = endsOf(column, orders[a])
	}
	threshold := 2 * math.Log(50*2*float64(width)) // of a likelihood ratio, by chance once in a hundred times
	for a, of := range features {
		for b, other := range features[:a] {
			if dependent[a] && dependent[b] {
				continue
			}
			scores := a < len(numbers)
			if seenTogether(of, other, scores, threshold) ||
				scores && (follows(orders[a], other[0], threshold) || follows(orders[b], of[0], threshold) ||
					ends[a].meet(&ends[b], len(numbers[a]), threshold)) {
				dependent[a], dependent[b] = true, true
			}
		}
	}
	return dependent
}

// setApart removes the variables that are apart. If all are, the numbers become normal scores; without numbers, the
// first variable stays.
func (e *Encoder) setApart(t Table, apart []bool) {
	all := !slices.Contains(apart, false)
	if all && len(e.Numbers) == 0 {
		apart[0], all = false, false
		e.setUse(e.Variables[0], Alone, t.Columns())
	}
	ofNumbers := apart[:len(e.Numbers)]
	e.dropVariables(apart[len(e.Numbers):], NoClusters, t.Columns())
	e.Numbers = slices.DeleteFunc(e.Numbers, func(n Numeric) (drop bool) {
		drop, ofNumbers = ofNumbers[0] && !all, ofNumbers[1:]
		if drop && n.keys {
			e.Uses[n.Column] = Key
		} else if drop {
			e.Uses[n.Column] = NoClusters
		}
		return drop
	})
	for i := range e.Numbers {
		if n := &e.Numbers[i]; all {
			e.Uses[n.Column] = ByRank
			values := sorted(n.values(t, true))
			n.skewed, n.Knots = false, make([]float64, min(len(values), mostKnots))
			for j := range n.Knots {
				n.Knots[j] = values[j*(len(values)-1)/max(len(n.Knots)-1, 1)]
			}
			n.fitScale(t)
		}
	}
}

// seenTogether reports whether some features of two variables are correlated, by a likelihood ratio. For two numbers
// (scores) it uses the product of the variances; if levels, perhaps rare, are involved, the variance of the products.
func seenTogether(a, b [][]float64, scores bool, threshold float64) bool {
	for _, f := range a {
		for _, g := range b {
			n, sum, squares := float64(len(f)), 0.0, 0.0
			for i, x := range f {
				x *= g[i]
				sum += x
				squares += x * x
			}
			if scores {
				squares = floats.Dot(f, f) * floats.Dot(g, g) / n
			}
			if squares > 0 && -n*math.Log1p(-sum*sum/(n*squares)) > threshold {
				return true
			}
		}
	}
	return false
}

// follows reports whether rows that are neighbours in the order of one column have similar scores of another column, as
// rows of small clusters do. If the columns are independent, the sum of the first autocorrelations is nearly normal.
func follows(order []int, other []float64, threshold float64) bool {
	const tests = 4 // two lags, and two orders of the columns
	threshold += 2 * math.Log(tests)
	n := len(order)
	sums, squares := make([]float64, n+1), floats.Dot(other, other)
	for at, i := range order {
		sums[at+1] = sums[at] + other[i]
	}
	for _, lags := range [...]int{1, 3} {
		products := 0.0
		for at, i := range order {
			products += other[i] * (sums[min(at+1+lags, n)] - sums[at+1])
		}
		z := products / squares * math.Sqrt(float64(n)/float64(lags))
		if z > 0 && z*z > threshold {
			return true
		}
	}
	return false
}

// features returns [variables][features][N], of numbers [·][N] and of the categories. Each feature has mean 0, and 0
// where the cell is missing.
func (e *Encoder) features(t Table, numbers [][]float64) (features [][][]float64) {
	r := e.Encode(t, true)
	for _, column := range numbers {
		features = append(features, numberFeatures(column))
	}
	for q, codes := range r.Codes {
		features = append(features, levelFeatures(codes, r.First[q+1]-r.First[q]))
	}
	return features
}

// numberFeatures returns the normal scores of a column, and their centred absolute values.
func numberFeatures(column []float64) [][]float64 {
	isGap := func(i int) bool { return math.IsNaN(column[i]) }
	present := slices.DeleteFunc(em.UpTo(0, len(column)), isGap)
	slices.SortStableFunc(present, func(a, b int) int { return cmp.Compare(column[a], column[b]) })
	features := em.Grid(2, len(column))
	for rank, i := range present {
		features[0][i] = standardQuantile((float64(rank) + 0.5) / float64(len(present)))
		features[1][i] = math.Abs(features[0][i]) - math.Sqrt(2/math.Pi)
	}
	return features
}

// levelFeatures returns the centred indicators of the levels that are not too rare.
func levelFeatures(codes []int32, levels int) (features [][]float64) {
	const rare = 5
	counts, present := make([]float64, levels), 0.0
	for _, code := range codes {
		if code >= 0 {
			counts[code]++
			present++
		}
	}
	for level, count := range counts {
		if count < rare {
			continue
		}
		feature := make([]float64, len(codes))
		for i, code := range codes {
			if code >= 0 {
				feature[i] = -count / present
			}
			if int(code) == level {
				feature[i]++
			}
		}
		features = append(features, feature)
	}
	return features
}

const (
	mostNumbers    = 40 // most columns of numbers without a projection
	mostPrincipal  = 40 // most principal components that replace more columns
	leastPrincipal = 5  // components that are always taken
	farBound       = 6  // scales, the bound of cells when components are found
)

// projection maps columns of numbers to principal components.
type projection struct {
	Axes   [][]float64 `json:"axes"`   // [components][D], of scaled columns
	Centre []float64   `json:"centre"` // [components]
	Scale  []float64   `json:"scale"`  // [components]
}

// reduce replaces more than mostNumbers columns by principal components: those whose variance is above noise, and those
// with several humps, because large variances without clusters raise the noise level. noiseVariance is that level.
func (e *Encoder) reduce(t Table) {
	if len(e.Numbers) <= mostNumbers {
		return
	}
	e.logSkewed(t)
	rows := 2000
	if len(e.Numbers) > 1000 { // the time grows with the cube of the smaller number
		rows = 1000
	}
	part := e.Encode(t.Runs(rows, 1), true).Columns
	found, noise, p := principal(part, mostPrincipal), noiseVariance(part), &projection{}
	for k, axis := range found.Components {
		floats.Mul(axis, found.Scale)
		scores := (&projection{Axes: [][]float64{axis}}).apply(part)
		if k < leastPrincipal || found.Variance[k] > noise || em.Bimodal(sorted(scores[0]), 1) {
			p.Axes = append(p.Axes, axis)
		}
	}
	for _, column := range p.apply(e.Encode(t, true).Columns) {
		centre, scale := robustScale(column)
		p.Centre, p.Scale = append(p.Centre, centre), append(p.Scale, scale)
	}
	e.Projection = p
}

// logSkewed replaces skewed columns by their logarithms if that makes them at most half as skewed. The evidence of the
// components of two forms does not compare, so it cannot decide as it does for few columns.
func (e *Encoder) logSkewed(t Table) {
	for i, n := range e.Numbers {
		if !n.skewed {
			continue
		}
		before := skewness(present(n.encode(t, false)))
		n.Log = true
		n.fitScale(t)
		if after := skewness(present(n.encode(t, false))); math.Abs(after) < 0.5*math.Abs(before) {
			e.Numbers[i], e.Uses[n.Column] = n, Logarithm
		}
	}
}

// noiseVariance returns the variance of the first component after each column was put into a random order of its own.
func noiseVariance(columns [][]float64) float64 {
	rng := em.NewRandom(uint64(len(columns)), 0x6f72646572)
	var shuffled [][]float64
	for _, column := range columns {
		column = slices.Clone(column)
		rng.Shuffle(len(column), func(i, j int) { column[i], column[j] = column[j], column[i] })
		shuffled = append(shuffled, column)
	}
	return largestVariance(shuffled)
}

// largestVariance returns the variance of the first component, 0 if all columns are constant.
func largestVariance(columns [][]float64) float64 {
	return floats.Sum(principal(columns, 1).Variance)
}

// principal returns the first principal components of columns, at most most. Far cells are bounded.
func principal(columns [][]float64, most int) tabular.Rotation {
	var x []float64
	for i := range columns[0] {
		for _, column := range columns {
			x = append(x, max(-farBound, min(farBound, column[i])))
		}
	}
	found, _ := tabular.Principal(x, len(columns[0]), len(columns), most, true)
	return found
}

// apply returns the components [components][N] of columns, scaled if centre and scale are known.
func (p *projection) apply(columns [][]float64) [][]float64 {
	out := em.Grid(len(p.Axes), len(columns[0]))
	for k, axis := range p.Axes {
		for d, column := range columns {
			floats.AddScaled(out[k], axis[d], column)
		}
		if k < len(p.Scale) {
			for i, x := range out[k] {
				out[k][i] = (x - p.Centre[k]) / max(p.Scale[k], math.SmallestNonzeroFloat64)
			}
		}
	}
	return out
}

// structured reports whether a column has several humps, or a value far from all others. The tests of humps allow for
// the number of columns.
func (n *Numeric) structured(t Table, columns int) bool {
	values := sorted(n.encode(t, true))
	far := farValues(t.Column(n.Column), farAlone)
	return em.Bimodal(values, columns) || em.HasValley(values, columns) || len(far) > 0
}
