package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

const (
	shownClusters   = 20 // rows of the cluster table
	shownPartitions = 3  // most probable samples
	shownPoints     = 5  // least certain points
	shownCoords     = 4  // coordinates of a point

	shownProbability = 0.005 // of a number of clusters: what is not 0.00
)

// clusterView is what a person wants to know of a clustering.
type clusterView struct {
	clusterOutput
	In              *files.Input
	Estimate, Table string
	LogName         string // what the log-probabilities are of
	Drawn           int    // samples
	Partitions      []partition
	Unsure          []int // points that are probably elsewhere
	Shown           []string
	Noun            string  // of a point
	UncertainBelow  float64 // probability
	Ball            *ballView
}

// ballView is a credible ball with its unit.
type ballView struct {
	*clustering.Ball
	Share, Unit string
	Mean        float64 // distance of all samples
}

// newBallView returns nil if there is no ball.
func newBallView(r *clustering.Result) *ballView {
	if r.Ball == nil {
		return nil
	}
	share := strconv.FormatFloat(100*r.Ball.Level, 'g', 6, 64) + " %"
	return &ballView{r.Ball, share, "nats (VI)", r.ExpectedVI}
}

// partition is a sampled clustering.
type partition struct {
	posterior.Distinct
	Sizes []string // of its clusters, the largest first
}

func newClusterView(in *files.Input, out clusterOutput) clusterView {
	r := out.Result
	v := clusterView{
		clusterOutput: out, In: in, Estimate: estimatedBy(r), Table: lawAndSizes(in, r), Noun: noun(in),
		UncertainBelow: figure.UncertainBelow, Ball: newBallView(r), LogName: "log p",
	}
	if len(r.Samples) == 0 { // nothing is known of how sure the model is
		return v
	}
	for i, s := range r.Samples {
		v.Drawn += s.Count
		if i < shownPartitions {
			_, k := metrics.Canonical(s.Labels)
			sizes := clusterSizes(s.Labels, k)
			slices.SortFunc(sizes, func(a, b int) int { return b - a })
			v.Partitions = append(v.Partitions, partition{s, each(sizes, strconv.Itoa)})
		}
	}
	v.Unsure = leastCertain(r)
	own := ownProbabilities(r)
	for _, i := range v.Unsure[:min(len(v.Unsure), shownPoints)] {
		line := fmt.Sprintf("%s: %s with %.2f%s", whereIs(in, i), clusterName(r.Labels[i]), own[i], runnerUp(r, i))
		v.Shown = append(v.Shown, line)
	}
	return v
}

// lawAndSizes aligns P(K) and the clusters.
func lawAndSizes(in *files.Input, r *clustering.Result) string {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 3, ' ', tabwriter.AlignRight)
	if len(r.Samples) > 0 {
		prior := map[int]float64{}
		for _, k := range r.KPrior {
			prior[k.K] = k.P
		}
		fmt.Fprint(table, "\n  K\tP(K)\tprior\t\n")
		for _, k := range r.KPosterior {
			if k.P >= shownProbability {
				fmt.Fprintf(table, "  %d\t%.2f\t%.2f\t\n", k.K, k.P, prior[k.K])
			}
		}
		_ = table.Flush() // a buffer takes everything
		b.WriteString(labelledClusters(r))
	}
	writeSizes(table, in, r)
	_ = table.Flush()
	return b.String()
}

// labelledClusters says why the labels have another number of clusters than is most probable, if they do.
func labelledClusters(r *clustering.Result) string {
	peak := likeliest(r.KPosterior).K
	if r.K == peak || r.Decode == clustering.DecodeGreedy {
		return ""
	}
	return fmt.Sprintf("  the labels have %d, not %d: they are the sample that is nearest to all others\n", r.K, peak)
}

// writeSizes prints the clusters with their sizes and, if there are samples, how sure their points are on average.
func writeSizes(w io.Writer, in *files.Input, r *clustering.Result) {
	sizes, sure := clusterSizes(r.Labels, r.K), make([]float64, r.K)
	for i, p := range ownProbabilities(r) {
		if label := r.Labels[i]; label != root.None {
			sure[label] += p / float64(sizes[label])
		}
	}
	line := func(k, size, mean string) {
		fmt.Fprintf(w, "  %s\t%s\t", k, size)
		if len(r.Samples) > 0 {
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

// clusterSizes returns the number of points of each of the k clusters.
func clusterSizes(labels []int32, k int) []int {
	sizes := make([]int, k)
	for _, label := range labels {
		if label != root.None {
			sizes[label]++
		}
	}
	return sizes
}

// estimatedBy says how the point estimate was chosen.
func estimatedBy(r *clustering.Result) string {
	if r.Decode == clustering.DecodeVI {
		return "the sample with the least expected VI"
	}
	return r.Decode + " decoding"
}

// short gives a distance two decimals, or two digits below 0.1.
func short(v float64) string {
	if v > 0 && v < 0.1 {
		return fmt.Sprintf("%.2g", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// likeliest returns the most probable number of clusters, of equal ones the smallest.
func likeliest(law []posterior.KProb) posterior.KProb {
	return slices.MaxFunc(law, func(a, b posterior.KProb) int { return cmp.Compare(a.P, b.P) })
}

// leastCertain lists the points whose own cluster is less probable than figure.UncertainBelow, the least probable
// first, equal ones in the order of the points.
func leastCertain(r *clustering.Result) (unsure []int) {
	own := ownProbabilities(r)
	for i, p := range own {
		if p < figure.UncertainBelow {
			unsure = append(unsure, i)
		}
	}
	slices.SortStableFunc(unsure, func(a, b int) int { return cmp.Compare(own[a], own[b]) })
	return unsure
}

// clusterName names a label for people.
func clusterName(label int32) string {
	if label == root.None {
		return "none"
	}
	return fmt.Sprintf("cluster %d", label)
}

// runnerUp names the most probable other place of point i, if it is known.
func runnerUp(r *clustering.Result, i int) string {
	if r.Probabilities == nil {
		return ""
	}
	others := slices.Clone(r.Probabilities[i])
	others[columnOf(r.Labels[i], r.K)] = -1
	p := slices.Max(others)
	best := slices.Index(others, p)
	if best == r.K {
		return fmt.Sprintf(", another with %.2f", p)
	}
	return fmt.Sprintf(", cluster %d with %.2f", best, p)
}
