package table

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

var csvHead = []string{
	"table", "data", "metric", "model", "paper_mean", "paper_std", "ours_mean", "ours_std", "ours_n", "difference",
	"note", "scale", "steps", "seconds", "backend", "seeds", "test_sets", "selection", "created", "commit", "machine",
}

// CSV writes one record a cell under a head, in full precision and with provenance in each record, so that tables can
// be concatenated. An unknown number is an empty field; the seeds are separated by blanks.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHead); err != nil {
		return err
	}
	cells := t.Ordered()
	for i := range cells {
		if err := out.Write(t.csvRecord(&cells[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (t *Table) csvRecord(c *Cell) []string {
	paperMean, paperStd := csvValue(c.Paper)
	oursMean, oursStd := csvValue(c.Ours)
	difference := ""
	if d, ok := c.Difference(); ok {
		difference = csvNumber(d)
	}
	seeds := make([]string, len(c.Seeds))
	for i, s := range c.Seeds {
		seeds[i] = strconv.FormatUint(s, 10)
	}
	return []string{
		text.Clean(t.ID), text.Clean(c.Data), text.Clean(c.Metric), text.Clean(c.Model), paperMean, paperStd, oursMean, oursStd,
		csvCount(c.seedCount()), difference, text.Clean(c.Note), text.Clean(c.Scale), csvCount(c.Steps), csvSeconds(c.Seconds),
		text.Clean(c.Backend), strings.Join(seeds, " "), csvCount(c.TestSets), text.Clean(c.Selection),
		text.Clean(t.Provenance.Created), text.Clean(t.Provenance.Commit), text.Clean(t.Provenance.Machine),
	}
}

func csvValue(v *Value) (mean, std string) {
	if v == nil {
		return "", ""
	}
	if v.Std != nil {
		std = csvNumber(*v.Std)
	}
	return csvNumber(v.Mean), std
}

// csvNumber writes the shortest decimal that reads back as the same float64.
func csvNumber(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func csvSeconds(s float64) string {
	if s == 0 {
		return ""
	}
	return csvNumber(s)
}

func csvCount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
