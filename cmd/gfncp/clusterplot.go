package main

import (
	"fmt"
	"path/filepath"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/figure"
)

// clusterPlot draws the points in the plane: their own if they have two coordinates, else their principal components.
func clusterPlot(in *files.Input, r *clustering.Result) *figure.Chart {
	title := filepath.Base(in.Path) + ", model " + r.Model
	x, labels, sure := in.X, r.Labels, answer.OwnProbabilities(r)
	xLabel, yLabel := "first principal component", "second principal component"
	if in.D == 2 && len(in.Columns) == 2 {
		xLabel, yLabel = axisOf(in, 0), axisOf(in, 1)
	} else {
		x = answer.PlaneOf(in)
	}
	if n := in.Len(); n > answer.MostShown {
		title += fmt.Sprintf(", %d of %d points", answer.MostShown, n)
		x, labels, sure = thin(x, labels, sure)
	}
	return figure.Clusters(title, xLabel, yLabel, x, labels, sure)
}

// thin keeps answer.MostShown points, evenly spread over the input.
func thin(x []float32, labels []int32, sure []float64) (fewX []float32, fewLabels []int32, fewSure []float64) {
	for i := range answer.MostShown {
		at := i * len(labels) / answer.MostShown
		fewX, fewLabels = append(fewX, x[2*at:2*at+2]...), append(fewLabels, labels[at])
		fewSure = append(fewSure, sure[at])
	}
	return fewX, fewLabels, fewSure
}

// axisOf names a coordinate, and where it counts from if that is not 0.
func axisOf(in *files.Input, j int) string {
	if in.Origin == nil || in.Origin[j] == 0 {
		return in.Columns[j]
	}
	return fmt.Sprintf("%s − %.15g", in.Columns[j], in.Origin[j])
}
