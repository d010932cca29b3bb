package table

import (
	"fmt"
	"slices"
	"strings"
)

// KeepFrom takes cells that have no value here as an earlier table has them, with a note on when and by which source
// they were computed. It returns how many there are. Cells that this table does not ask for stay behind.
func (t *Table) KeepFrom(earlier *Table) (kept int) {
	p := earlier.Provenance
	for i := range t.Cells {
		c := &t.Cells[i]
		if c.Ours != nil {
			continue
		}
		at := slices.IndexFunc(earlier.Cells, func(e Cell) bool {
			return e.Data == c.Data && e.Metric == c.Metric && e.Model == c.Model && e.Ours != nil
		})
		if at < 0 {
			continue
		}
		paper := c.Paper
		*c = earlier.Cells[at]
		c.Paper, c.Derived = paper, nil
		if !strings.Contains(c.Note, keptWord) { // else it is older than that table
			date, _, _ := strings.Cut(p.Created, "T")
			c.Note = strings.TrimPrefix(fmt.Sprintf("%s; %s %s, commit %s", c.Note, keptWord, date, p.Commit), "; ")
		}
		kept++
	}
	return kept
}

const keptWord = "computed on"
