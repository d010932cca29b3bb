package tabular

import (
	"cmp"
	"slices"

	"github.com/gfncp/gfncp/internal/text"
)

// duplicateWarning returns a warning that counts the different points that occur more than once in x [N,d], or nothing.
// Points are compared as float32, and 0 equals −0. Time O(N d log N).
func duplicateWarning(x []float32, d int) []string {
	row := func(i int32) []float32 { return x[int(i)*d : int(i)*d+d] }
	order := make([]int32, len(x)/d)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compareRows(row(a), row(b)) })
	repeated := 0
	for i := 1; i < len(order); i++ {
		same := compareRows(row(order[i-1]), row(order[i])) == 0
		counted := i > 1 && compareRows(row(order[i-2]), row(order[i])) == 0
		if same && !counted {
			repeated++
		}
	}
	switch repeated {
	case 0:
		return nil
	case 1:
		return []string{"1 point occurs more than once"}
	}
	return []string{text.Count(repeated, "point") + " occur more than once"}
}

// compareRows compares finite points axis by axis.
func compareRows(a, b []float32) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}
