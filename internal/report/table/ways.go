package table

import (
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// WayTable says how the numbers of each model came about, in the columns for which anything is known and that differ.
// Common says in words what holds for all.
type WayTable struct {
	Heads  []WayHead
	Rows   [][]string // [rows][Heads]
	Common string     // for example "scale small; seeds 1, 2"; "" if nothing is common
}

// WayHead is the head of a column of a WayTable.
type WayHead struct {
	Name   string
	Number bool
}

// wayHeads are the columns of a WayTable.
var wayHeads = [wayColumns]WayHead{
	{"Model", false},
	{"Data", false},
	{"Scale", false},
	{"Seeds", false},
	{"Steps", true},
	{"Training, s", true},
	{"Test sets", true},
	{"Backend", false},
	{"Weights of", false},
	{"Computed", false},
}

const (
	wayColumns = 10
	wayData    = 1
	wayScale   = 2
)

// Ways lists each distinct way of each model once, with the data sets that it holds for. If there is but one way, no
// rows are left.
func (t *Table) Ways() WayTable {
	type madeBy struct {
		way     [wayColumns]string
		data    []string            // sets that it holds for
		metrics map[string][]string // of a data set
	}
	var all []string
	var found []*madeBy
	for _, c := range t.Ordered() {
		all = text.AppendNew(all, c.Data)
		way := c.wayFields()
		if c.Ours == nil || !slices.ContainsFunc(way[wayScale+1:], func(s string) bool { return s != text.Dash }) {
			continue // not there, derived, or given
		}
		i := slices.IndexFunc(found, func(f *madeBy) bool { return f.way == way })
		if i < 0 {
			i, found = len(found), append(found, &madeBy{way: way, metrics: map[string][]string{}})
		}
		f := found[i]
		f.data = text.AppendNew(f.data, c.Data)
		f.metrics[c.Data] = text.AppendNew(f.metrics[c.Data], c.Metric)
	}
	ways := make([][wayColumns]string, len(found))
	for i, f := range found {
		several := false
		names := slices.Clone(f.data)
		for j, d := range names {
			other := func(g *madeBy) bool { return g != f && g.way[0] == f.way[0] && g.metrics[d] != nil }
			if slices.ContainsFunc(found, other) {
				several = true
				names[j] += " (" + strings.Join(f.metrics[d], ", ") + ")"
			}
		}
		ways[i] = f.way
		ways[i][wayData] = text.Clean(strings.Join(names, ", "))
		if len(all) > 1 && len(names) == len(all) && !several {
			ways[i][wayData] = "all"
		}
	}
	return newWayTable(ways)
}

// wayFields are the columns of a cell, but for its data set.
func (c *Cell) wayFields() [wayColumns]string {
	return [wayColumns]string{
		text.Clean(c.Model), "", orDash(text.Clean(c.Scale)), orDash(strings.Join(c.seedTexts(), ", ")),
		text.Number(c.Steps), formatSeconds(float64(c.Seconds)),
		text.Number(c.TestSets), orDash(text.Clean(c.Backend)), orDash(text.Clean(c.Selection)),
		orDash(text.Clean(c.Computed)),
	}
}

// newWayTable leaves out the columns that hold nothing but dashes, and says in words what is the same in all rows.
func newWayTable(ways [][wayColumns]string) WayTable {
	var t WayTable
	var common []string
	rows := make([][]string, len(ways))
	for j, head := range wayHeads {
		same := len(ways) > 0 &&
			!slices.ContainsFunc(ways, func(way [wayColumns]string) bool { return way[j] != ways[0][j] })
		switch {
		case same && j > wayData && ways[0][j] != text.Dash:
			common = append(common, strings.ToLower(head.Name)+" "+ways[0][j])
		case !same || j == 0:
			t.Heads = append(t.Heads, head)
			for i := range ways {
				rows[i] = append(rows[i], ways[i][j])
			}
		}
	}
	if t.Common = strings.Join(common, "; "); len(t.Heads) > 1 && len(ways) > 1 {
		t.Rows = rows
	}
	return t
}

// Line is the provenance in one line, "" when nothing is known.
func (p Provenance) Line() string {
	var parts []string
	for _, f := range [][2]string{{"Created", p.Created}, {"commit", p.Commit}, {"machine", p.Machine}} {
		if s := text.Clean(f[1]); s != "" {
			parts = append(parts, f[0]+" "+s)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	line := strings.Join(parts, "; ") + "."
	return strings.ToUpper(line[:1]) + line[1:]
}

func orDash(s string) string {
	if s == "" {
		return text.Dash
	}
	return s
}
