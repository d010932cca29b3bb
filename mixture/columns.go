package mixture

import (
	"math"
	"slices"
)

// encode prepares a table for the sampler.
func encode(t Table) *rows {
	r := &rows{n: t.Rows, first: []int{0}}
	for d := range t.Columns() {
		column := t.column(d)
		centre, scale := robustScale(column)
		if scale == 0 {
			continue
		}
		for i := range column {
			column[i] = (column[i] - centre) / scale
		}
		r.columns = append(r.columns, column)
	}
	for _, c := range t.Categories {
		r.codes = append(r.codes, c.Codes)
		r.first = append(r.first, r.first[len(r.first)-1]+c.Levels)
	}
	return r
}

// robustScale returns the median and the interquartile range over that of a standard normal. A range of more of the
// rows takes its place where it is more than ten times as wide: half of the rows, or more, lie in one heap. Few rows far
// out change neither. The scale is 0 for a constant column.
func robustScale(column []float64) (centre, scale float64) {
	present := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	if len(present) == 0 {
		return 0, 0
	}
	slices.Sort(present)
	at := func(share float64) float64 { return present[int(share*float64(len(present)-1)+0.5)] }
	centre = at(0.5)
	for _, tail := range [...]struct{ share, normal float64 }{{.25, 1.349}, {.05, 3.290}, {.01, 4.653}, {0, 6}} {
		wider := (at(1-tail.share) - at(tail.share)) / tail.normal
		if scale == 0 || wider > 10*scale && tail.share > 0 {
			scale = wider
		}
	}
	return centre, scale
}
