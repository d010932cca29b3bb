package table

import (
	"regexp"
	"slices"
	"strings"
)

// KeepFrom takes cells that have no value here as an earlier table has them, with when and by which source they were
// computed (Cell.Computed). It returns how many there are. Cells that this table does not ask for stay behind.
func (t *Table) KeepFrom(earlier *Table) (kept int) {
	for i := range t.Cells {
		c := &t.Cells[i]
		if e := earlier.find(c); c.Ours == nil && e != nil && e.Ours != nil {
			paper := c.Paper
			*c = e.dated(earlier.Provenance)
			c.Paper = paper
			kept++
		}
	}
	return kept
}

// KeepLimits is for a table that was limited to some cells and kept the others: what is in neither says why as the
// earlier table does. Of the earlier footnotes only what was changed for kept cells stays, before those of this table,
// which are about all of its cells, without the one that says how it was limited.
func (t *Table) KeepLimits(earlier *Table) {
	for i := range t.Cells {
		c := &t.Cells[i]
		if e := earlier.find(c); c.Note == LeftOut && e != nil && e.Ours == nil {
			c.Note = e.Note
		}
	}
	var notes []string
	for _, note := range earlier.Footnotes {
		if strings.HasPrefix(note, Changed) && !slices.Contains(t.Footnotes, note) {
			notes = append(notes, note)
		}
	}
	for _, note := range t.Footnotes {
		if !strings.HasPrefix(note, LimitedTo) {
			notes = append(notes, note)
		}
	}
	t.Footnotes = notes
}

// LimitedTo begins the footnote of a table that was limited to some cells, and LeftOut is the note of the others.
// Changed begins that of cells whose trainings are not a scale's own.
const (
	LimitedTo = "Limited to "
	LeftOut   = "left out"
	Changed   = "Changed from the scale's own setting"
)

// find returns the cell in the same place; nil if there is none.
func (t *Table) find(c *Cell) *Cell {
	at := slices.IndexFunc(t.Cells, func(e Cell) bool {
		return e.Data == c.Data && e.Metric == c.Metric && e.Model == c.Model
	})
	if at < 0 {
		return nil
	}
	return &t.Cells[at]
}

// dated is the cell of a table of that origin with its date, unless it has an older one.
func (c *Cell) dated(p Provenance) Cell {
	kept := *c
	kept.Derived = nil
	if kept.Ours == nil {
		return kept
	}
	if found := datedNote.FindStringSubmatch(kept.Note); found != nil { // as it was written until 2026-11-24
		kept.Note, kept.Computed = strings.TrimSuffix(kept.Note, found[0]), found[1]+", "+found[2]
	}
	if kept.Computed == "" {
		date, _, _ := strings.Cut(p.Created, "T")
		kept.Computed = strings.TrimSuffix(date+", "+p.Commit, ", ")
	}
	return kept
}

var datedNote = regexp.MustCompile(`(?:^|; )computed on (\S+), commit (\w+)$`)
