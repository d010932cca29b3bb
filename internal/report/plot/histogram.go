package plot

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/internal/report/table"
)

// HistogramSeries is one sample in a Histogram: its Values, or, where those are not known, the Counts [M] of values in
// bins with rising Edges [M+1].
type HistogramSeries struct {
	Name   string
	Values []float64 // finite
	Edges  []float64 // with Counts, instead of Values
	Counts []float64 // 0 or more each
	Color  int       // place in the palette; what belongs together shares it
	Behind bool      // drawn as a pale outline, behind the others
}

// Histogram is a picture of how values are distributed: above, histograms as densities, so that samples of different
// sizes and bins compare; below, the empirical distribution functions. Values are binned alike for all series
// (binEdges). Of a series with Counts the distribution function is a line from edge to edge.
type Histogram struct {
	Title, XLabel string
	XMax          float64 // where the axis ends, whatever lies beyond; 0: at the largest value
	Series        []HistogramSeries
}

// Save writes the picture to path, in the format of its extension: see Curve.Save. It fails when there is nothing to
// draw, and on values or bins that are no distribution.
func (p *Histogram) Save(path string) error { return save(p, path) }

// Records has one row a bin and one a value: series, kind ("bin" or "value"), number, from, to, and the share of the
// series that lies there. A value lies at from = to. Values keep the order in which they were given.
func (p *Histogram) Records() *table.Records {
	r := &table.Records{Columns: []string{"series", "kind", "number", "from", "to", "share"}}
	for _, b := range p.bins() {
		for i, share := range b.share {
			r.Rows = append(r.Rows, []any{b.Name, "bin", i, b.edges[i], b.edges[i+1], share})
		}
	}
	for _, s := range p.Series {
		for i, v := range s.Values {
			r.Rows = append(r.Rows, []any{s.Name, "value", i, v, v, 1 / float64(len(s.Values))})
		}
	}
	return r
}

func (p *Histogram) check() error {
	if len(p.Series) == 0 {
		return fmt.Errorf("histogram: nothing to draw")
	}
	if p.XMax < 0 || !finite(p.XMax) {
		return fmt.Errorf("histogram: the axis cannot end at %v", p.XMax)
	}
	for i, s := range p.Series {
		if err := s.check(); err != nil {
			return fmt.Errorf("histogram: series %d (%s) %w", i, s.Name, err)
		}
	}
	return nil
}

func (s HistogramSeries) check() error {
	if s.Color < 0 {
		return fmt.Errorf("has colour %d", s.Color)
	}
	if (len(s.Values) > 0) == (len(s.Counts) > 0) {
		return fmt.Errorf("has %d values and %d counts: give one of the two", len(s.Values), len(s.Counts))
	}
	for _, v := range slices.Concat(s.Values, s.Edges) {
		if !finite(v) {
			return fmt.Errorf("has the value %v", v)
		}
	}
	if len(s.Counts) == 0 {
		return nil
	}
	if len(s.Edges) != len(s.Counts)+1 {
		return fmt.Errorf("has %d edges for %d bins", len(s.Edges), len(s.Counts))
	}
	total := 0.0
	for i, count := range s.Counts {
		if s.Edges[i+1] <= s.Edges[i] {
			return fmt.Errorf("has a bin from %v to %v", s.Edges[i], s.Edges[i+1])
		}
		if count < 0 || !finite(count) {
			return fmt.Errorf("has the count %v", count)
		}
		total += count
	}
	if total == 0 {
		return fmt.Errorf("has no counts above 0")
	}
	return nil
}
