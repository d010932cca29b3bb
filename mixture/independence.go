package mixture

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// mostScreened is how many variables are looked at for their independence.
const mostScreened = 1000

// dropIndependent sets apart the variables that carry no clusters: independent of all others, in pairs and all
// together, with one hump. If nothing would be left, numbers stay as normal scores: their own shapes are no clusters.
func (e *encoder) dropIndependent(t Table) {
	const products, least, most = 4e8, 300, 4000
	width := 2*len(e.Numbers) + 2*len(e.Indicators)
	for _, levels := range e.Categories {
		width += levels
	}
	part := t.runs(max(least, min(most, products/max(width*width, 1))), 1)
	features := e.features(part)
	if len(features) < 2 {
		return
	}
	apart := make([]bool, len(features))
	var columns [][]float64
	for v, dependent := range dependents(features, width) {
		if apart[v] = !dependent && !(v < len(e.Numbers) && bimodal(e.Numbers[v].encode(part, true))); apart[v] {
			columns = append(columns, features[v][:min(1, len(features[v]))]...)
		}
	}
	if len(columns) > 0 && moreThanNoise(columns) {
		return
	}
	e.setApart(t, apart)
}

// setApart removes variables.
func (e *encoder) setApart(t Table, apart []bool) {
	all := !slices.Contains(apart, false)
	at := 0
	remove := func(column int, use Use) (gone bool) {
		gone = apart[at]
		if at++; gone {
			e.uses[column] = use
		}
		return gone && !all
	}
	e.Numbers = slices.DeleteFunc(e.Numbers, func(n number) bool {
		if n.keys {
			return remove(n.Column, Key)
		}
		return remove(n.Column, NoClusters)
	})
	e.Indicators = slices.DeleteFunc(e.Indicators, func(variable []indicator) bool {
		if column := variable[0].Column; variable[0].Rest { // its numbers tell what becomes of it
			return remove(column, e.uses[column])
		}
		return remove(variable[0].Column, NoClusters)
	})
	for q := range e.Categories {
		if remove(len(e.uses)-len(e.Categories)+q, NoClusters) {
			e.Categories[q] = 0
		}
	}
	for i := range e.Numbers {
		if n := &e.Numbers[i]; all {
			n.skewed, n.Knots = false, knotsOf(n.values(t, true))
			n.fitScale(t)
		}
	}
}

// dependents tells which variables are seen to depend on some other, by correlations of their features.
func dependents(features [][][]float64, width int) []bool {
	dependent := make([]bool, len(features))
	for a := range features {
		for b := range a {
			if !(dependent[a] && dependent[b]) && seenTogether(features[a], features[b], width) {
				dependent[a], dependent[b] = true, true
			}
		}
	}
	return dependent
}

// seenTogether tells whether some features of two variables are correlated, among width features of all.
func seenTogether(a, b [][]float64, width int) bool {
	threshold := 2 * math.Log(50*2*float64(width)) // of z², by chance once in a hundred times
	for _, f := range a {
		for _, g := range b {
			sum, squares := 0.0, 0.0
			for i, x := range f {
				x *= g[i]
				sum += x
				squares += x * x
			}
			if sum*sum > threshold*squares {
				return true
			}
		}
	}
	return false
}

// features returns those of all variables, each with mean 0 and 0 where it is missing.
func (e *encoder) features(t Table) (features [][][]float64) {
	r := e.encode(t, true)
	for i := range e.Numbers {
		features = append(features, numberFeatures(e.Numbers[i].encode(t, true)))
	}
	for q, codes := range r.codes {
		features = append(features, levelFeatures(codes, r.first[q+1]-r.first[q]))
	}
	return features
}

// numberFeatures are normal scores and their sizes.
func numberFeatures(column []float64) [][]float64 {
	var present []int
	for i, x := range column {
		if !math.IsNaN(x) {
			present = append(present, i)
		}
	}
	slices.SortStableFunc(present, func(a, b int) int { return cmp.Compare(column[a], column[b]) })
	features := grid(2, len(column))
	for rank, i := range present {
		features[0][i] = standardQuantile((float64(rank) + 0.5) / float64(len(present)))
		features[1][i] = math.Abs(features[0][i]) - math.Sqrt(2/math.Pi)
	}
	return features
}

// levelFeatures are the centred indicators of levels that are not too rare.
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

// bimodal tells whether a column has several humps by the distance of its distribution from those with one, as in
// Hartigan & Hartigan's dip test: convex up to some quantile, concave from there on. Of uniform columns about one in a
// hundred is bimodal by chance.
func bimodal(column []float64) bool {
	const modes, critical = 40, 1.0
	values := sorted(column)
	mirrored := slices.Clone(values)
	slices.Reverse(mirrored)
	floats.Scale(-1, mirrored)
	least := math.Inf(1)
	for m := range modes {
		at := m * len(values) / modes
		least = min(least, max(fromConvex(values[:at]), fromConvex(mirrored[:len(values)-at])))
	}
	return least > critical*math.Sqrt(float64(len(values)))
}

// fromConvex is the largest distance of the counts of rising values from their greatest convex minorant.
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
