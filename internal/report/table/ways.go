package table

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// WayTable says how the numbers of each model came about, in the columns for which anything is known.
type WayTable struct {
	Heads []wayHead
	Rows  [][]wayField
}

type wayHead struct {
	Name   string
	Number bool
}

type wayField struct {
	Text   string
	Number bool
}

// The columns of a wayTable.
var wayHeads = [wayColumns]wayHead{
	{"Model", false},
	{"Data", false},
	{"Scale", false},
	{"Seeds", false},
	{"Steps", true},
	{"Training, s", true},
	{"Test sets", true},
	{"Backend", false},
	{"Weights of", false},
}

const (
	wayColumns = 9
	wayData    = 1
)

// Ways lists each distinct way of each model once, with the data sets that it holds for.
func (t *Table) Ways() WayTable {
	var all []string
	var ways [][wayColumns]string
	data := map[[wayColumns]string][]string{}
	cells := t.Ordered()
	for i := range cells {
		c := &cells[i]
		all = text.AppendNew(all, c.Data)
		if c.Ours == nil {
			continue
		}
		way := c.wayFields()
		if data[way] == nil {
			ways = append(ways, way)
		}
		data[way] = text.AppendNew(data[way], c.Data)
	}
	for i, way := range ways {
		ways[i][wayData] = text.Clean(strings.Join(data[way], ", "))
		if len(all) > 1 && len(data[way]) == len(all) {
			ways[i][wayData] = "all"
		}
	}
	return newWayTable(ways)
}

// wayFields are the columns of a cell, but for its data set.
func (c *Cell) wayFields() [wayColumns]string {
	seeds := make([]string, len(c.Seeds))
	for i, s := range c.Seeds {
		seeds[i] = strconv.FormatUint(s, 10)
	}
	return [wayColumns]string{
		text.Clean(c.Model), "", orDash(text.Clean(c.Scale)), orDash(strings.Join(seeds, ", ")), text.Number(c.Steps), formatSeconds(c.Seconds),
		text.Number(c.TestSets), orDash(text.Clean(c.Backend)), orDash(text.Clean(c.Selection)),
	}
}

// newWayTable leaves out the columns that hold nothing but dashes.
func newWayTable(ways [][wayColumns]string) WayTable {
	t := WayTable{Rows: make([][]wayField, len(ways))}
	for j, head := range wayHeads {
		if !slices.ContainsFunc(ways, func(way [wayColumns]string) bool { return way[j] != text.Dash }) {
			continue
		}
		t.Heads = append(t.Heads, head)
		for i := range ways {
			t.Rows[i] = append(t.Rows[i], wayField{ways[i][j], head.Number})
		}
	}
	return t
}
