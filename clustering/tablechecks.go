package clustering

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// addChecks fills Groups. It warns if clusters may be parts of one group, several groups, or segments of a time series.
func (r *Result) addChecks(checks *fit.Checks) {
	names := r.Table.Clusters
	r.Groups = make([]int, r.K)
	for k, group := range checks.Groups {
		if names[k] != None {
			r.Groups[names[k]] = group
		}
	}
	var joined []string
	for _, group := range checks.Unseparated() {
		var labels []string
		for _, k := range group {
			labels = append(labels, fmt.Sprint(names[k]))
		}
		joined = append(joined, "clusters "+english.WordSeries(labels, "and"))
	}
	pieces := "pieces of one skewed or bent group"
	if checks.Score {
		pieces = "steps of one trait, such as an ability or an attitude"
	}
	r.warn(joined != nil, "no valley between %s: they may be %s; %s in %s", strings.Join(joined, ", and none between "),
		pieces, text.Count(r.K, "cluster"), text.Count(checks.Separated, "separated group"))
	var humps []string
	for _, hump := range checks.Humps {
		humps = append(humps, fmt.Sprintf("column %s in cluster %d", text.Quote(r.Table.Columns[hump.Column].Name),
			names[hump.Cluster]))
	}
	r.warn(humps != nil, "rows of one cluster form several groups in a column, so there may be more clusters: %s; "+
		"cluster by that column alone (FileOptions.Columns)", text.List(humps, 5))
	r.warn(checks.Alike(), "neighbouring rows of the file are alike: they may be sorted, or a time series whose "+
		"stretches the clusters are")
}

// warnDisputed warns of rows whose given labels or pairs the table alone contradicts.
func (r *Result) warnDisputed(t *tabular.Table, rows []int) {
	var names []string
	for _, i := range rows {
		names = append(names, t.RowName(i))
	}
	r.warn(rows != nil, "the table contradicts the given labels or pairs of %s, which it would put apart from most "+
		"rows that are known to be with it, or with rows that are known to be apart; are they right? %s",
		text.Count(len(rows), "row"), text.List(names, 5))
}

// warnGaps warns of the first two columns that are never both filled, though chance would fill both in many rows. The
// sampler takes gaps as missing by chance, so they tell nothing of the clusters.
func (r *Result) warnGaps(t *tabular.Table) {
	const sure = 15 // rows with both, by chance
	filled := func(columns ...tabular.Column) (rows int) {
		for i := range t.Len() {
			if !slices.ContainsFunc(columns, func(c tabular.Column) bool { return math.IsNaN(c.Values[i]) }) {
				rows++
			}
		}
		return rows
	}
	gappy := slices.DeleteFunc(slices.Clone(t.Columns), func(c tabular.Column) bool { return filled(c) == t.Len() })
	for j, second := range gappy {
		for _, first := range gappy[:j] {
			if filled(first, second) == 0 && filled(first)*filled(second) >= sure*t.Len() {
				r.warn(true, "columns %s and %s are never both filled, but gaps tell nothing of the clusters; add a "+
					"column that says which of them is", text.Quote(first.Name), text.Quote(second.Name))
				return
			}
		}
	}
}

// warnTies warns of values that nearly all rows of a cluster have: they may be codes, defaults or missing cells.
func (r *Result) warnTies(ties []tables.Tie) {
	var said []string
	for _, tie := range ties {
		var values, clusters []string
		for i, k := range tie.Clusters {
			values = text.AppendNew(values, fmt.Sprint(tie.Values[i]))
			clusters = append(clusters, fmt.Sprint(r.Table.Clusters[k]))
		}
		said = append(said, fmt.Sprintf("%s of column %s in nearly all rows of %s %s", text.List(values, 5),
			text.Quote(r.Table.Columns[tie.Column].Name), english.PluralWord(len(clusters), "cluster", ""),
			english.WordSeries(clusters, "and")))
	}
	r.warn(said != nil, "codes, defaults, or missing cells? %s; cluster again with such values as missing "+
		"(FileOptions.Missing), or with the columns as categories or left out (FileOptions.Categorical, "+
		"FileOptions.Ignore)", text.List(said, 5))
}

// warn adds a warning if there is a doubt.
func (r *Result) warn(doubt bool, format string, args ...any) {
	if doubt {
		r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
	}
}
