package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
)

const (
	shownClusters   = 20 // rows of the cluster table
	shownPartitions = 3  // most probable samples
	shownPoints     = 5  // least certain points
	shownCoords     = 4  // coordinates of a point
)

// writeClusterReport prints what a person wants to know of a clustering.
func writeClusterReport(b *bytes.Buffer, in *files.Input, out clusterOutput) {
	r := out.Result
	writeHead(b, in, r)
	fmt.Fprintf(b, "%s (%s), log p = %.2f\n", text.Count(r.K, "cluster"), estimatedBy(r), r.LogProb)
	table := tabwriter.NewWriter(b, 0, 0, 3, ' ', tabwriter.AlignRight)
	sampled := len(r.Samples) > 0 // else nothing is known of how sure the model is
	if sampled {
		fmt.Fprint(table, "\n  K\tP(K)\t\n")
		for _, k := range r.KPosterior {
			fmt.Fprintf(table, "  %d\t%.2f\t\n", k.K, k.P)
		}
	}
	writeSizes(table, in, r, sampled)
	_ = table.Flush() // a buffer takes everything
	if sampled {
		writePartitions(b, r)
		writeBall(b, r)
		writeUncertain(b, in, r)
	}
	if in.Labels != nil {
		fmt.Fprintf(b, "\nagainst the %s from %s: NMI %.3f, ARI %.3f\n", text.Count(len(in.Classes), "label"), in.LabelsFrom, *out.NMI, *out.ARI)
	}
}

// writeHead prints what was read, what was done to it, and with which model it is clustered.
func writeHead(w io.Writer, in *files.Input, r *clustering.Result) {
	if in.IsImages() {
		fmt.Fprintf(w, "%s: %s, read as %d×%d pixels\n", in.Path, text.Count(in.Len(), "image"), in.Height, in.Width)
	} else {
		fmt.Fprintf(w, "%s: %d points in %d dimensions (%s)\n", in.Path, in.Len(), in.D, text.List(in.Columns, 8))
	}
	for _, note := range in.Notes {
		fmt.Fprintf(w, "  %s\n", note)
	}
	fmt.Fprintf(w, "model %s, seed %d", r.Model, r.Seed)
	if !in.IsImages() {
		fmt.Fprintf(w, ", scale factor %.4g", r.ScaleFactor)
	}
	fmt.Fprint(w, "\n\n")
}

// writeSizes prints the clusters with their sizes and, if that is known, how sure their points are on average.
func writeSizes(w io.Writer, in *files.Input, r *clustering.Result, known bool) {
	sizes, sure := clusterSizes(r.Labels, r.K), make([]float64, r.K)
	for i, label := range r.Labels {
		sure[label] += r.Probabilities[i][label] / float64(sizes[label])
	}
	line := func(k, size, mean string) {
		fmt.Fprintf(w, "  %s\t%s\t", k, size)
		if known {
			fmt.Fprintf(w, "%s\t", mean)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	line("cluster", noun(in)+"s", "mean probability")
	for k := range min(r.K, shownClusters) {
		line(strconv.Itoa(k), strconv.Itoa(sizes[k]), fmt.Sprintf("%.2f", sure[k]))
	}
	if more := r.K - shownClusters; more > 0 {
		fmt.Fprintf(w, "  and %d more\t\t\t\n", more)
	}
}

// clusterSizes returns the number of points of each of the k clusters of canonical labels.
func clusterSizes(labels []int32, k int) []int {
	sizes := make([]int, k)
	for _, label := range labels {
		sizes[label]++
	}
	return sizes
}

// writePartitions prints the most probable samples.
func writePartitions(w io.Writer, r *clustering.Result) {
	drawn := 0
	for _, s := range r.Samples {
		drawn += s.Count
	}
	fmt.Fprintf(w, "\nmost probable of %s (%d drawn)\n", text.Count(len(r.Samples), "different sample"), drawn)
	for _, s := range r.Samples[:min(len(r.Samples), shownPartitions)] {
		_, k := metrics.Canonical(s.Labels)
		sizes := clusterSizes(s.Labels, k)
		slices.SortFunc(sizes, func(a, b int) int { return b - a })
		fmt.Fprintf(w, "  log p = %.2f, count %d, K = %d, sizes %s\n", s.LogProb, s.Count, k, text.List(each(sizes, strconv.Itoa), 12))
	}
}

// estimatedBy says how the point estimate was chosen.
func estimatedBy(r *clustering.Result) string {
	switch r.Decode {
	case clustering.DecodeVI, clustering.DecodeSample:
		return "the sample with the least expected VI"
	case clustering.DecodeBinder:
		return "the sample with the least expected Binder loss"
	}
	return r.Decode + " decoding"
}

// writeBall prints how far the samples lie from the clusters.
func writeBall(w io.Writer, r *clustering.Result) {
	b := r.Ball
	if b == nil {
		return
	}
	share := strconv.FormatFloat(100*b.Level, 'g', 6, 64) + " %"
	if b.Radius == 0 {
		fmt.Fprintf(w, "\n%s of the samples or more are these clusters\n", share)
		return
	}
	unit, mean := "nats (VI)", r.ExpectedVI
	if b.Loss == clustering.DecodeBinder {
		unit, mean = "(Binder loss)", r.ExpectedBinder
	}
	fmt.Fprintf(w, "\n%s of the samples lie within %s %s of these clusters; the mean distance of all samples is %s\n",
		share, short(b.Radius), unit, short(mean))
	fmt.Fprintf(w, "  within it the fewest clusters are %d (up to %s away), the most %d (up to %s away); the farthest sample has %d\n",
		b.Upper.K, short(b.Upper.Distance), b.Lower.K, short(b.Lower.Distance), b.Horizontal.K)
}

// short gives a distance two decimals, or two digits below 0.1.
func short(v float64) string {
	if v > 0 && v < 0.1 {
		return fmt.Sprintf("%.2g", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// writeUncertain prints the points whose own cluster is least probable.
func writeUncertain(w io.Writer, in *files.Input, r *clustering.Result) {
	unsure, own := leastCertain(r), ownProbabilities(r)
	if len(unsure) == 0 {
		fmt.Fprintf(w, "\nevery %s is in its cluster with probability %g or more\n", noun(in), canvas.UncertainBelow)
		return
	}
	fmt.Fprintf(w, "\nleast certain of the %s below probability %g\n", text.Count(len(unsure), noun(in)), canvas.UncertainBelow)
	for _, i := range unsure[:min(len(unsure), shownPoints)] {
		fmt.Fprintf(w, "  %s: cluster %d with %.2f, %s\n", whereIs(in, i), r.Labels[i], own[i], runnerUp(r, i))
	}
}

// leastCertain lists the points whose own cluster is less probable than canvas.UncertainBelow, the least probable first, equal
// ones in the order of the points.
func leastCertain(r *clustering.Result) (unsure []int) {
	own := ownProbabilities(r)
	for i, p := range own {
		if p < canvas.UncertainBelow {
			unsure = append(unsure, i)
		}
	}
	slices.SortStableFunc(unsure, func(a, b int) int { return cmp.Compare(own[a], own[b]) })
	return unsure
}

// runnerUp names the most probable other place of point i.
func runnerUp(r *clustering.Result, i int) string {
	others := slices.Clone(r.Probabilities[i])
	others[r.Labels[i]] = -1
	p := slices.Max(others)
	best := slices.Index(others, p)
	if best == r.K {
		return fmt.Sprintf("another with %.2f", p)
	}
	return fmt.Sprintf("cluster %d with %.2f", best, p)
}
