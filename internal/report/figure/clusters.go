package figure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gfncp/gfncp/internal/text"
)

// namedClusters is the number of clusters that the legend names; it counts the rest.
const namedClusters = 12

// Clusters is a chart of labelled points x [N,2]; a negative label is no cluster. Points with a confidence below
// UncertainBelow are hollow. The legend names the largest clusters with their sizes.
func Clusters(title, xLabel, yLabel string, x []float32, labels []int32, confidence []float64) *Chart {
	sure, unsure, sizes, hollow := map[int32]*Series{}, map[int32]*Series{}, map[int32]int{}, 0
	for i, k := range labels {
		group, mark := sure, Dots
		if sizes[k]++; confidence != nil && confidence[i] < UncertainBelow {
			group, mark = unsure, Circles
			hollow++
		}
		if group[k] == nil {
			group[k] = &Series{Mark: mark, Color: colorOf(k)}
		}
		s := group[k]
		s.X, s.Y = append(s.X, float64(x[2*i])), append(s.Y, float64(x[2*i+1]))
	}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b int32) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	panel := Panel{XLabel: xLabel, YLabel: yLabel, EqualScale: true}
	for i, k := range names {
		if i < namedClusters {
			if sure[k] == nil {
				sure[k] = &Series{Mark: Dots, Color: colorOf(k)} // for the legend
			}
			if sure[k].Name = fmt.Sprintf("cluster %d: %s", k, text.Number(sizes[k])); k < 0 {
				sure[k].Name = "no cluster: " + text.Number(sizes[k])
			}
		}
	}
	for _, group := range []map[int32]*Series{sure, unsure} { // the uncertain ones above the others
		for _, k := range slices.Sorted(maps.Keys(group)) {
			panel.Series = append(panel.Series, *group[k])
		}
	}
	if more := len(names) - namedClusters; more > 0 {
		panel.Series = append(panel.Series, Series{Name: fmt.Sprintf("and %d more", more), Mark: Dots, Color: neutral})
	}
	if hollow > 0 {
		panel.Series = append(panel.Series, Series{
			Name: fmt.Sprintf("unsure (p < %g): %s", UncertainBelow, text.Number(hollow)),
			Mark: Circles, Color: neutral,
		})
	}
	return &Chart{Title: title, Panels: []Panel{panel}}
}

// neutral is the place of black in the palette.
const neutral = 6

// colorOf is the colour of a cluster, black for points in none.
func colorOf(label int32) int {
	if label < 0 {
		return neutral
	}
	return int(label)
}
