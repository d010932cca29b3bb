package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/mixture"
	"github.com/gfncp/gfncp/mixture/tables"
	"github.com/gfncp/gfncp/posterior"
)

// ReportLines is the largest number of lines of a report, except with many warnings.
const ReportLines = 15

const (
	usualLines    = 8 // that every report has, beside the clusters
	listedMost    = 5 // clusters with a line of their own; more are told in one line
	leastClusters = 3 // lines of clusters, however much else there is to say
	shownRivals   = 4 // other numbers of clusters
	shownCoords   = 4 // coordinates of a point

	shownProbability = 0.005 // of a number of clusters that is not printed as 0.00
)

// View holds the texts of a report about a clustering, by the mixture or by a network.
type View struct {
	Output
	In                                       *files.Input
	Noun                                     string // of a point
	Warnings                                 []string
	Found, Scale, Sizes, Sure, Chains, Apart string
	Next                                     []string
	Labelled                                 string // rows with a known label, if not all
}

// NewView returns the view of a clustering of an input, with notes; its Output is the JSON.
func NewView(in *files.Input, r *clustering.Result, notes []string) (View, error) {
	said := *r
	said.Warnings = AllFlags(r.Warnings)
	r = &said
	v := View{Output: Output{Result: r, Notes: AllFlags(notes)}, In: in, Noun: Noun(in), Apart: setApart(r.Columns)}
	if in.IsImages() {
		v.Names = in.Names
	}
	if r.Chains != nil { // a table: no network has told its warnings
		v.Noun, v.Warnings, v.Chains = "row", r.Warnings, howFar(r.Chains)
	} else if !in.IsImages() {
		v.Scale = fmt.Sprintf(", scale factor %.4g", r.ScaleFactor)
	}
	if n := len(labelledRows(in)); n < len(in.Labels) {
		v.Labelled = " of " + text.Count(n, v.Noun)
	}
	v.Found, v.Sizes = text.Count(r.K, "cluster"), clusterSizes(r, v.Noun, v.room())
	if len(r.Samples) > 0 { // else nothing is known of how sure a network is
		v.Found += ", " + rivalNumbers(r)
		v.Sure = howSure(in, r, v.Noun)
	}
	if c := r.Chains; c != nil && !c.Agree && c.Ending == mixture.Budget {
		v.Next = append(v.Next, "--time 60s samples longer")
	}
	return v, v.compare(in)
}

// room is the number of lines that are left for the clusters.
func (v View) room() int {
	room := ReportLines - usualLines - len(v.Warnings)
	for _, said := range []bool{len(v.Notes) > 0, v.Apart != "", v.Result.Subset != nil, v.In.Labels != nil} {
		if said {
			room--
		}
	}
	return max(room, leastClusters)
}

// rivalNumbers tells how probable K is, and the likeliest other numbers.
func rivalNumbers(r *clustering.Result) string {
	own, rivals := 0.0, []posterior.KProb{}
	for _, k := range r.KPosterior {
		switch {
		case k.K == r.K:
			own = k.P
		case k.P >= shownProbability:
			rivals = append(rivals, k)
		}
	}
	slices.SortStableFunc(rivals, func(a, b posterior.KProb) int { return cmp.Compare(b.P, a.P) })
	rivals = rivals[:min(len(rivals), shownRivals)]
	slices.SortFunc(rivals, func(a, b posterior.KProb) int { return a.K - b.K })
	others := Each(rivals, func(k posterior.KProb) string { return fmt.Sprintf("%d: %.2f", k.K, k.P) })
	out := fmt.Sprintf("probability %.2f", own)
	if len(others) > 0 {
		out += "; " + strings.Join(others, ", ")
	}
	return out
}

// clusterSizes aligns the clusters, with how sure their points are on average if there are samples, in at most so many
// lines below the head.
func clusterSizes(r *clustering.Result, noun string, room int) string {
	sizes, sure := make([]int, r.K), make([]float64, r.K)
	for i, p := range OwnProbabilities(r) {
		if label := r.Labels[i]; label != clustering.None {
			sizes[label]++
			sure[label] += p
		}
	}
	var b strings.Builder
	line := func(cluster string, size any, mean string) {
		fmt.Fprintf(&b, "  %7s  %8v", cluster, size)
		if mean != "" && len(r.Samples) > 0 {
			fmt.Fprintf(&b, "  %16s", mean)
		}
		b.WriteString("\n")
	}
	if r.Outlying > 0 {
		room--
	}
	shown := r.K
	if r.K > min(room, listedMost+1) { // a line for one more is no longer than that it is left out
		shown = min(room-1, listedMost)
	}
	line("cluster", noun+"s", "mean probability")
	for k := range shown {
		line(fmt.Sprint(k), sizes[k], fmt.Sprintf("%.2f", sure[k]/float64(sizes[k])))
	}
	if more := r.K - shown; more > 0 {
		rest := sizes[shown:]
		fmt.Fprintf(&b, "  and %d more with %d to %d %ss\n", more, slices.Min(rest), slices.Max(rest), noun)
	}
	if r.Outlying > 0 {
		line("none", r.Outlying, "too few for a cluster")
	}
	return b.String()
}

// howSure names the points that may well be elsewhere.
func howSure(in *files.Input, r *clustering.Result, noun string) string {
	own, least, unsure := OwnProbabilities(r), 0, 0
	for i, p := range own {
		if p < figure.UncertainBelow {
			unsure++
		}
		if p < own[least] {
			least = i
		}
	}
	if unsure == 0 {
		return fmt.Sprintf("every %s is where it is with probability %g or more", noun, figure.UncertainBelow)
	}
	are := "are where they are"
	if unsure == 1 {
		are = "is where it is"
	}
	return fmt.Sprintf("%d of %d %ss %s with a probability below %g; the least certain is %s: %s with %.2f%s",
		unsure, len(r.Labels), noun, are, figure.UncertainBelow, WhereIs(in, least), ClusterName(r.Labels[least]),
		own[least], runnerUp(r, least))
}

// ClusterName names a label for people.
func ClusterName(label int32) string {
	if label == clustering.None {
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
	others[clustering.ColumnOf(r.Labels[i], r.K)] = -1
	p := slices.Max(others)
	best := slices.Index(others, p)
	if best == r.K {
		return fmt.Sprintf(", elsewhere with %.2f", p)
	}
	return fmt.Sprintf(", cluster %d with %.2f", best, p)
}

// howFar describes the sampling of the chains.
func howFar(c *clustering.Chains) string {
	said := fmt.Sprintf("%d chains of %d sweeps %s (R-hat of K %s, of the log density %s)",
		c.Chains, c.Sweeps, c.Verdict(), clustering.RHatText(c.RHatK), clustering.RHatText(c.RHatDensity))
	if c.Restarts > 0 {
		said += "; before, some were at far worse answers and began anew from the best one"
	}
	return said
}

// setApart names the columns that are not used as they stand.
func setApart(columns []clustering.ColumnUse) string {
	var said []string
	for _, c := range columns {
		if c.Use != tables.Number && c.Use != tables.CategoryOf {
			said = append(said, fmt.Sprintf("%s (%s)", c.Name, c.Use))
		}
	}
	return text.List(said, 8)
}
