package files

import (
	"cmp"
	"fmt"
	"slices"
)

// remarks are warnings of vectors [M,D] that are hardly what was meant.
func (in *Input) remarks() []string { return append(in.counters(), in.duplicates()...) }

// counters warns of coordinates that count the rows, as row numbers and identifiers do: whole numbers that rise by 1
// from point to point. Fewer than leastCounted points prove nothing.
func (in *Input) counters() (warnings []string) {
	const leastCounted = 5
	for j, name := range in.Columns {
		counts := in.Len() >= leastCounted && !slices.Contains(in.unnamed, j) && in.X[j] == float32(int64(in.X[j]))
		for i := 1; i < in.Len() && counts; i++ {
			counts = in.X[i*in.D+j] == in.X[(i-1)*in.D+j]+1
		}
		if counts {
			warnings = append(warnings, fmt.Sprintf("column %s counts the points and is taken as a coordinate; leave it out with --columns if it only names them", quote(name)))
		}
	}
	return warnings
}

// duplicates warns of points that occur more than once. They are compared as float32, and 0 equals −0. Time O(M D log
// M).
func (in *Input) duplicates() []string {
	order := make([]int, in.Len())
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int { return slices.CompareFunc(in.Point(a), in.Point(b), cmp.Compare[float32]) }
	slices.SortFunc(order, compare)
	repeated, most := 0, 0
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && compare(order[from], order[to]) == 0 {
			to++
		}
		if to-from > 1 {
			repeated++
		}
		most = max(most, to-from)
		from = to
	}
	switch {
	case repeated == 0:
		return nil
	case most == in.Len():
		return []string{fmt.Sprintf("all %d points are equal", most)}
	case repeated == 1:
		return []string{fmt.Sprintf("1 point occurs %d times", most)}
	}
	return []string{fmt.Sprintf("%d points occur more than once", repeated)}
}
