package tables

import (
	"cmp"
	"math"
	"slices"

	"github.com/gfncp/gfncp/mixture/em"
)

// dropDetermined excludes the categories that another column determines: a finer one, as a city determines its region,
// a copy, as a code for a name, or a number, as an age determines an age group. Both together would make false
// clusters. It keeps copies with two levels, because the clusters may make two columns of two levels alike.
func (e *Encoder) dropDetermined(t Table) {
	const rowsPerLevel, fewestCopied = 5, 3
	r := &em.Rows{N: t.Rows, First: []int{0}}
	e.encodeCategories(t, r)
	variables := r.Codes
	levels, gone := make([]int, len(variables)), make([]bool, len(variables))
	var numbers [][]float64
	for _, n := range e.Numbers {
		numbers = append(numbers, n.values(t, false))
	}
	for q, codes := range variables {
		levels[q] = len(slices.Compact(slices.Sorted(slices.Values(codes))))
	}
	for q, coarse := range variables {
		for p, fine := range variables {
			finer := levels[p] > levels[q]
			copied := levels[p] == levels[q] && levels[q] >= fewestCopied && p < q
			if (finer || copied) && levels[p]*rowsPerLevel <= t.Rows && followsFrom(coarse, fine) {
				gone[q] = true
			}
		}
		for at, n := range e.Numbers {
			gone[q] = gone[q] || !n.keys && areBands(coarse, numbers[at])
		}
	}
	e.dropVariables(gone, OfOthers, t.Columns())
}

// band is the range of a number over the rows of one level of a category.
type band struct{ least, largest, rows, low, high float64 } // low and high: rows in the outer quarters of the range

// areBands reports whether the codes [n] cut a number [n] into bands, beyond chance, and not at valleys alone, where
// clusters end. Some rows may have one value and two codes, because the number was rounded after the cut.
func areBands(codes []int32, values []float64) bool {
	const fewShared, sure, dense = 0.1, 15, 0.2 // share of the rows; log of the orders of the codes; of a band's rows
	bands := slices.Repeat([]band{{least: math.Inf(1), largest: math.Inf(-1)}}, int(slices.Max(codes))+1)
	visit := func(each func(b *band, x float64)) {
		for i, x := range values {
			if code := codes[i]; code >= 0 && !math.IsNaN(x) {
				each(&bands[code], x)
			}
		}
	}
	visit(func(b *band, x float64) { b.rows, b.least, b.largest = b.rows+1, min(b.least, x), max(b.largest, x) })
	rising := em.UpTo(0, len(bands)) // their codes
	slices.SortFunc(rising, func(a, b int) int { return cmp.Compare(bands[a].least, bands[b].least) })
	rising = slices.DeleteFunc(rising, func(k int) bool { return bands[k].rows == 0 })
	total, orders, shared := 0.0, 0.0, 0
	for at, k := range rising {
		b := bands[k]
		total += b.rows
		orders -= em.LogGammaFunction(b.rows+1) + math.Log(float64(at+1))
		if at > 0 && bands[rising[at-1]].largest > b.least {
			return false
		} else if at > 0 && bands[rising[at-1]].largest == b.least {
			shared += count(values, b.least)
		}
	}
	visit(func(b *band, x float64) {
		quarter := (b.largest - b.least) / 4
		if x <= b.least+quarter {
			b.low++
		}
		if x >= b.largest-quarter {
			b.high++
		}
	})
	cut := false
	for at := 1; at < len(rising); at++ {
		below, above := bands[rising[at-1]], bands[rising[at]]
		cut = cut || min(below.high/below.rows, above.low/above.rows) > dense
	}
	return cut && orders+em.LogGammaFunction(total+1) > sure && float64(shared) <= fewShared*total
}

// followsFrom reports whether rows of equal fine codes have equal coarse codes.
func followsFrom(coarse, fine []int32) bool {
	of := map[int32]int32{}
	for i, code := range fine {
		if code < 0 || coarse[i] < 0 {
			continue
		}
		if known, seen := of[code]; seen && known != coarse[i] {
			return false
		}
		of[code] = coarse[i]
	}
	return true
}
