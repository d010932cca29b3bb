package clustering

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// addChecks fills Groups. It warns if clusters may be parts of one group, or segments of a time series, and of ties.
func (r *Result) addChecks(checks *fit.Checks) {
	names := r.Table.Clusters
	r.Groups = make([]int, r.K)
	for k, group := range checks.Groups {
		if names[k] != None {
			r.Groups[names[k]] = group
		}
	}
	if joined := checks.Unseparated(); len(joined) > 0 {
		var said []string
		for _, group := range joined {
			said = append(said, namedClusters(names, group...))
		}
		pieces := "pieces of one skewed or bent group"
		if checks.Score {
			pieces = "steps of one trait, such as an ability or an attitude"
		}
		r.warn("no valley between %s: they may be %s; %s in %s", strings.Join(said, ", and none between "), pieces,
			text.Count(r.K, "cluster"), text.Count(checks.Separated, "separated group"))
	}
	switch {
	case checks.Alike() && r.K == 1:
		r.warn("neighbouring rows of the file are alike: the rows may be a time series, or sorted")
	case checks.Alike():
		r.warn("neighbouring rows of the file are alike within clusters: of a time series, the clusters may be its " +
			"stretches")
	}
	if r.K > 1 {
		r.warnTies(checks.Ties)
	}
}

// warnDisputed warns of rows whose given labels or pairs the table alone contradicts.
func (r *Result) warnDisputed(t *tabular.Table, rows []int) {
	var names []string
	for _, i := range rows {
		names = append(names, t.RowName(i))
	}
	r.warn("the table contradicts the given labels or pairs of %s, which it would put apart from most rows that are "+
		"known to be with it, or with rows that are known to be apart; are they right? %s",
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
	var gappy []tabular.Column
	for _, second := range t.Columns {
		if filled(second) == t.Len() {
			continue
		}
		for _, first := range gappy {
			if filled(first, second) == 0 && filled(first)*filled(second) >= sure*t.Len() {
				r.warn("columns %s and %s are never both filled, but gaps tell nothing of the clusters; add a column "+
					"that says which of them is", text.Quote(first.Name), text.Quote(second.Name))
				return
			}
		}
		gappy = append(gappy, second)
	}
}

const mostTieLines = 2

// warnTies warns of clusters in which nearly all rows have one value of a column: it may be a code or a default.
func (r *Result) warnTies(ties []tables.Tie) {
	var names []string
	for _, tie := range ties {
		names = append(names, text.Quote(r.Table.Columns[tie.Column].Name))
	}
	if len(ties) > mostTieLines {
		r.warn("in nearly all rows of some clusters %d columns have one value: codes, or defaults? "+
			"cluster again with them as categories or left out (FileOptions.Categorical, FileOptions.Ignore): %s",
			len(ties), text.List(names, 5))
		return
	}
	for i, tie := range ties {
		have, each := "has", ""
		if len(tie.Clusters) > 1 {
			have, each = "have", " each"
		}
		value, missing := fmt.Sprintf("one value%s of column %s", each, names[i]), ""
		if slices.Min(tie.Values) == slices.Max(tie.Values) {
			value = fmt.Sprintf("the value %g of column %s", tie.Values[0], names[i])
			missing = fmt.Sprintf(", or with %[1]g as missing (FileOptions.Missing %[1]g)", tie.Values[0])
		}
		r.warn("%s %s %s in nearly all rows: a code, or a default? cluster again with the column as categories or "+
			"left out (FileOptions.Categorical or FileOptions.Ignore %s)%s",
			namedClusters(r.Table.Clusters, tie.Clusters...), have, value, names[i], missing)
	}
}

// warnCodes warns of values that may stand for missing cells, unless a warning of ties names them.
func (r *Result) warnCodes(codes []tables.Code, checks *fit.Checks) {
	places := map[float64][]string{}
	for _, code := range codes {
		named := func(t tables.Tie) bool { return t.Column == code.Column && slices.Contains(t.Values, code.Value) }
		tied := checks != nil && r.K > 1 && len(checks.Ties) <= mostTieLines && slices.ContainsFunc(checks.Ties, named)
		if of := r.Table.Columns[code.Column]; of.Kind == tabular.Number && !tied {
			places[code.Value] = append(places[code.Value], fmt.Sprintf("%d rows of column %s", code.Rows,
				text.Quote(of.Name)))
		}
	}
	for _, value := range slices.Sorted(maps.Keys(places)) {
		r.warn("the value %g lies beyond a gap in %s: does it stand for missing cells? cluster again with it as "+
			"missing (FileOptions.Missing %[1]g)", value, text.List(places[value], 5))
	}
}

// namedClusters lists clusters of a fit by their labels.
func namedClusters(names []int32, clusters ...int) string {
	var said []string
	for _, k := range clusters {
		said = append(said, fmt.Sprint(names[k]))
	}
	return english.PluralWord(len(said), "cluster", "") + " " + english.WordSeries(said, "and")
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}
