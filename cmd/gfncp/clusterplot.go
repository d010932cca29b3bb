package main

import (
	"fmt"
	"path/filepath"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/plot"
)

// clusterPlot draws the points in the plane: their own if they have two coordinates, else their principal components.
func clusterPlot(in *files.Input, r *clustering.Result) *plot.Clustering {
	title := filepath.Base(in.Path) + ", model " + r.Model
	p := &plot.Clustering{X: in.X, Labels: r.Labels, Title: title, Confidence: ownProbabilities(r)}
	if in.D == 2 && len(in.Columns) == 2 {
		p.XLabel, p.YLabel = axisOf(in, 0), axisOf(in, 1)
	} else {
		p.X = plot.PCA2(in.X, in.Len(), in.D)
		p.XLabel, p.YLabel = "first principal component", "second principal component"
	}
	if n := in.Len(); n > shownInPlot {
		p.Title += fmt.Sprintf(", %d of %d points", shownInPlot, n)
		thin(p, n)
	}
	return p
}

// shownInPlot is the most points that a picture has: more hide each other, and the file is slow to open.
const shownInPlot = 20_000

// thin keeps shownInPlot of n points, evenly spread over the input.
func thin(p *plot.Clustering, n int) {
	x, labels, sure := p.X, p.Labels, p.Confidence
	p.X, p.Labels, p.Confidence = nil, nil, nil
	for i := range shownInPlot {
		at := i * n / shownInPlot
		p.X, p.Labels = append(p.X, x[2*at:2*at+2]...), append(p.Labels, labels[at])
		p.Confidence = append(p.Confidence, sure[at])
	}
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
	own := make([]float64, len(r.Labels))
	for i, p := range r.Probability {
		own[i] = float64(p)
	}
	if r.Probability != nil {
		return own
	}
	for i, label := range r.Labels {
		own[i] = r.Probabilities[i][columnOf(label, r.K)]
	}
	return own
}
