package main

import (
	"fmt"
	"slices"
	"strings"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/mixture"
)

const (
	reportLines   = 15 // of a report, but for one with many warnings
	tableLines    = 8  // that every report has, beside the clusters
	tableClusters = 5  // clusters with a line of their own; more are told in one line
	leastClusters = 3  // lines of clusters, however much else there is to say
	tableRivals   = 4  // other numbers of clusters
)

// tableView is what a person wants to know of a clustering of a table.
type tableView struct {
	clusterOutput
	In                                        *files.Input
	Found, Rivals, Sizes, Sure, Chains, Apart string
	Next                                      []string
}

func newTableView(in *files.Input, out clusterOutput, wanted outputs) tableView {
	r := out.Result
	v := tableView{
		clusterOutput: out, In: in, Found: text.Count(r.K, "cluster"), Rivals: rivalNumbers(r),
		Sure: howSure(in, r), Chains: howFar(r.Chains), Apart: setApart(r.Columns),
	}
	v.Sizes = tableSizes(r, v.room())
	if !r.Chains.Agree && r.Chains.Ending == mixture.Budget {
		v.Next = append(v.Next, "--time 60s samples longer")
	}
	if wanted.html == "" {
		v.Next = append(v.Next, "--html look.html shows every row")
	}
	if wanted.saved == "" {
		v.Next = append(v.Next, "--save clusters.json keeps the clusters for gfncp predict")
	}
	return v
}

// room is the number of lines that are left for the clusters.
func (v tableView) room() int {
	room := reportLines - tableLines - len(v.Result.Warnings)
	for _, said := range []bool{len(v.In.Notes) > 0, v.Apart != "", v.Result.Subset != nil, v.In.Labels != nil} {
		if said {
			room--
		}
	}
	return max(room, leastClusters)
}

// rivalNumbers tells how probable K is, and the likeliest other numbers.
func rivalNumbers(r *clustering.Result) string {
	own, others := 0.0, []string{}
	for _, k := range r.KPosterior {
		switch {
		case k.K == r.K:
			own = k.P
		case k.P >= shownProbability && len(others) < tableRivals:
			others = append(others, fmt.Sprintf("%d: %.2f", k.K, k.P))
		}
	}
	out := fmt.Sprintf("probability %.2f", own)
	if len(others) > 0 {
		out += "; " + strings.Join(others, ", ")
	}
	return out
}

// tableSizes aligns the clusters, with how sure their rows are on average, in at most so many lines below the head.
func tableSizes(r *clustering.Result, room int) string {
	sizes, sure := clusterSizes(r.Labels, r.K), make([]float64, r.K)
	for i, p := range ownProbabilities(r) {
		if label := r.Labels[i]; label != root.None {
			sure[label] += p / float64(sizes[label])
		}
	}
	var b strings.Builder
	if r.Outlying > 0 {
		room--
	}
	shown := r.K
	if r.K > min(room, tableClusters+1) { // a line for one more is no longer than that it is left out
		shown = min(room-1, tableClusters)
	}
	fmt.Fprintf(&b, "  %7s  %8s  %16s\n", "cluster", "rows", "mean probability")
	for k := range shown {
		fmt.Fprintf(&b, "  %7d  %8d  %16.2f\n", k, sizes[k], sure[k])
	}
	if more := r.K - shown; more > 0 {
		rest := sizes[shown:]
		fmt.Fprintf(&b, "  and %d more with %d to %d rows\n", more, slices.Min(rest), slices.Max(rest))
	}
	if r.Outlying > 0 {
		fmt.Fprintf(&b, "  %7s  %8d\n", "none", r.Outlying)
	}
	return b.String()
}

// howSure names the rows that may well be elsewhere.
func howSure(in *files.Input, r *clustering.Result) string {
	unsure := leastCertain(r)
	if len(unsure) == 0 {
		return fmt.Sprintf("every row is where it is with probability %g or more", figure.UncertainBelow)
	}
	i := unsure[0]
	are := "are where they are"
	if len(unsure) == 1 {
		are = "is where it is"
	}
	return fmt.Sprintf("%d of %d rows %s with a probability below %g; the least certain is %s: %s with %.2f%s",
		len(unsure), len(r.Labels), are, figure.UncertainBelow, whereIs(in, i), clusterName(r.Labels[i]),
		ownProbabilities(r)[i], runnerUp(r, i))
}

// howFar tells how far the chains came.
func howFar(c *clustering.Chains) string {
	said := "do not agree"
	if c.Agree {
		said = "agree"
	}
	return fmt.Sprintf("%d chains of %d sweeps %s (R-hat of K %s, of the log density %s)",
		c.Chains, c.Sweeps, said, clustering.Reduction(c.RHatK), clustering.Reduction(c.RHatDensity))
}

// setApart names the columns that are not used as they stand.
func setApart(columns []clustering.ColumnUse) string {
	var said []string
	for _, c := range columns {
		if c.Use != mixture.Number && c.Use != mixture.CategoryOf {
			said = append(said, fmt.Sprintf("%s (%s)", c.Name, c.Use))
		}
	}
	return text.List(said, 8)
}
