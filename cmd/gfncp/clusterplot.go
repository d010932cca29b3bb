package main

import (
	"fmt"
	"path/filepath"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/plot"
)

// clusterPlot draws the points in the plane: their own if they have two coordinates, else their principal components.
func clusterPlot(in *files.Input, r *clustering.Result) *figure.Chart {
	title := filepath.Base(in.Path) + ", model " + r.Model
	x, labels, sure := in.X, r.Labels, ownProbabilities(r)
	xLabel, yLabel := "first principal component", "second principal component"
	if in.D == 2 && len(in.Columns) == 2 {
		xLabel, yLabel = axisOf(in, 0), axisOf(in, 1)
	} else {
		x = plot.PCA2(in.X, in.Len(), in.D)
	}
	if n := in.Len(); n > shownInPlot {
		title += fmt.Sprintf(", %d of %d points", shownInPlot, n)
		x, labels, sure = thin(x, labels, sure)
	}
	return figure.Clusters(title, xLabel, yLabel, x, labels, sure)
}

// shownInPlot is the most points that a picture has: more hide each other, and the file is slow to open.
const shownInPlot = 20_000

// thin keeps shownInPlot points, evenly spread over the input.
func thin(x []float32, labels []int32, sure []float64) (fewX []float32, fewLabels []int32, fewSure []float64) {
	for i := range shownInPlot {
		at := i * len(labels) / shownInPlot
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

// columnOf is that of a label among the probabilities of K clusters and, last, of none of them.
func columnOf(label int32, k int) int {
	if label == root.None {
		return k
	}
	return int(label)
}

// ownProbabilities returns the probability of each point's own cluster, or of none.
func ownProbabilities(r *clustering.Result) []float64 {
	if r.Probability == nil {
		return ownIn(r.Probabilities, r.Labels)
	}
	own := make([]float64, len(r.Probability))
	for i, p := range r.Probability {
		own[i] = float64(p)
	}
	return own
}

// ownIn picks the probability of each point's label among rows of them.
func ownIn(rows [][]float64, labels []int32) []float64 {
	own := make([]float64, len(rows))
	for i, row := range rows {
		own[i] = row[columnOf(labels[i], len(row)-1)]
	}
	return own
}
