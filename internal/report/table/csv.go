package table

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
)

var csvHead = []string{
	"table", "data", "metric", "model", "paper_mean", "paper_std", "ours_mean", "ours_std", "ours_n", "difference",
	"note", "scale", "steps", "seconds", "backend", "seeds", "test_sets", "selection", "created", "commit", "machine",
}

// CSV writes a head and one record for each cell, in full precision and with provenance in each record, so that tables
// can be concatenated. An unknown number is an empty field; the seeds are separated by blanks.
func (t *Table) CSV(w io.Writer) error {
	r := &figure.Records{Columns: csvHead}
	for _, c := range t.Ordered() {
		r.Rows = append(r.Rows, t.csvRow(&c))
	}
	return recordsCSV(r, w)
}

func (t *Table) csvRow(c *Cell) []any {
	unknown := &Value{Mean: math.NaN()}
	paper, ours := cmp.Or(c.Paper, unknown), cmp.Or(c.Ours, unknown)
	difference, ok := c.Difference()
	if !ok {
		difference = math.NaN()
	}
	return []any{
		text.Clean(t.ID), text.Clean(c.Data), text.Clean(c.Metric), text.Clean(c.Model),
		known(paper.Mean), known(paper.Spread()), known(ours.Mean), known(ours.Spread()), knownCount(c.seedCount()),
		known(difference), text.Clean(c.Note), text.Clean(c.Scale), knownCount(c.Steps), knownCount(float64(c.Seconds)),
		text.Clean(c.Backend), strings.Trim(fmt.Sprint(c.Seeds), "[]"), knownCount(c.TestSets), text.Clean(c.Selection),
		text.Clean(t.Provenance.Created), text.Clean(t.Provenance.Commit), text.Clean(t.Provenance.Machine),
	}
}

// known returns x, or "" if it is NaN.
func known(x float64) any {
	if math.IsNaN(x) {
		return ""
	}
	return x
}

// knownCount returns n, or "" if it is NaN or 0, which stands for unknown.
func knownCount[N int | float64](n N) any {
	if n == 0 || math.IsNaN(float64(n)) {
		return ""
	}
	return n
}
