package mixture

import (
	"cmp"
	"math"
	"slices"
)

// independent returns the variables that seem independent of all others, by the correlations of normal scores and of
// their sizes, and of levels. The evidence decides among them; this test only spares it the others.
func (e *encoder) independent(t Table) (variables []int) {
	const products, least, most = 4e8, 300, 4000
	width := 2*len(e.numbers) + 2*len(e.indicators)
	for _, levels := range e.categories {
		width += levels
	}
	r := e.encode(t.spaced(max(least, min(most, products/max(width*width, 1)))), true)
	features := r.scores()
	if len(features) < 2 {
		return nil
	}
	dependent := make([]bool, len(features))
	for a := range features {
		for b := range a {
			if !(dependent[a] && dependent[b]) && seenTogether(features[a], features[b], width) {
				dependent[a], dependent[b] = true, true
			}
		}
	}
	at := 0
	for v := range e.variables() {
		if c := v - len(e.numbers) - len(e.indicators); c >= 0 && e.categories[c] == 0 {
			continue
		}
		if !dependent[at] {
			variables = append(variables, v)
		}
		at++
	}
	return variables
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

// scores returns the features of all variables, each with mean 0 and 0 where it is missing: normal scores of a number
// and their sizes, and indicators of levels.
func (r *rows) scores() (features [][][]float64) {
	missing := make([][]bool, r.dim())
	for d := range missing {
		missing[d] = make([]bool, r.n)
	}
	for _, g := range r.gaps {
		for _, d := range g.missing {
			missing[d][g.row] = true
		}
	}
	for d, column := range r.columns {
		var present []int
		for i := range column {
			if !missing[d][i] {
				present = append(present, i)
			}
		}
		slices.SortStableFunc(present, func(a, b int) int { return cmp.Compare(column[a], column[b]) })
		scores, sizes := make([]float64, r.n), make([]float64, r.n)
		for rank, i := range present {
			scores[i] = standardQuantile((float64(rank) + 0.5) / float64(len(present)))
			sizes[i] = math.Abs(scores[i]) - math.Sqrt(2/math.Pi)
		}
		features = append(features, [][]float64{scores, sizes})
	}
	for q, codes := range r.codes {
		features = append(features, levelFeatures(codes, r.first[q+1]-r.first[q]))
	}
	return features
}

// levelFeatures are the centred indicators of levels that are not too rare.
func levelFeatures(codes []int32, levels int) (features [][]float64) {
	const rare = 5
	for level := range levels {
		count, present := 0.0, 0.0
		for _, code := range codes {
			if code >= 0 {
				present++
			}
			if int(code) == level {
				count++
			}
		}
		if count < rare {
			continue
		}
		feature := make([]float64, len(codes))
		for i, code := range codes {
			switch {
			case int(code) == level:
				feature[i] = 1 - count/present
			case code >= 0:
				feature[i] = -count / present
			}
		}
		features = append(features, feature)
	}
	return features
}
