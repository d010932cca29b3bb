package answer

import (
	"fmt"
	"path/filepath"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/figure"
)

// Chart draws a clustering in the plane, by the points' own coordinates if they have two, else by their principal
// components.
func Chart(in *files.Input, r *clustering.Result) *figure.Chart {
	title := filepath.Base(in.Path) + ", model " + r.Model
	x, labels, sure := in.X, r.Labels, OwnProbabilities(r)
	xLabel, yLabel := "first principal component", "second principal component"
	if in.D == 2 && len(in.Columns) == 2 {
		xLabel, yLabel = axisOf(in, 0), axisOf(in, 1)
	} else {
		x = PlaneOf(in)
	}
	if n := in.Len(); n > MostShown {
		title += fmt.Sprintf(", %d of %d points", MostShown, n)
		shown := Spread(n, MostShown)
		x, labels, sure = PickPairs(x, shown), Pick(labels, shown), Pick(sure, shown)
	}
	return figure.Clusters(title, xLabel, yLabel, x, labels, sure)
}

// axisOf names a coordinate, and where it counts from if that is not 0.
func axisOf(in *files.Input, j int) string {
	if in.Origin == nil || in.Origin[j] == 0 {
		return in.Columns[j]
	}
	return fmt.Sprintf("%s − %.15g", in.Columns[j], in.Origin[j])
}
