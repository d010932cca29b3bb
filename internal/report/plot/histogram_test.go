package plot

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/plotter"

	"github.com/gfncp/gfncp/internal/report/table"
)

var _ table.Picture = &Histogram{}

// skewed returns n values above 0 with a long tail, the quantiles of an exponential law times scale, not in order.
func skewed(n int, scale float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[(7*i)%n] = -scale * math.Log(1-(float64(i)+0.5)/float64(n))
	}
	return values
}

func spreadPicture() *Histogram {
	return &Histogram{Title: "Spread", XLabel: "SDPP", XMax: 4, Series: []HistogramSeries{
		{Name: "one (ours)", Values: skewed(300, 1)},
		{Name: "two (ours)", Values: skewed(100, 0.5), Color: 1},
		{
			Name: "two (paper)", Edges: []float64{0.5, 1, 3, 3.5, 9}, Counts: []float64{20, 70, 0, 10},
			Color: 1, Behind: true,
		},
	}}
}

// A histogram is a density: whatever the bins, its outline encloses an area of 1. So samples of 100 and of 300 compare.
func TestHistogramDensityIntegratesToOne(t *testing.T) {
	for _, b := range spreadPicture().bins() {
		area, line := 0.0, b.density()
		for i := range len(line) - 1 {
			area += (line[i+1].X - line[i].X) * (line[i].Y + line[i+1].Y) / 2
		}
		if math.Abs(area-1) > 1e-12 || line[0].Y != 0 || line[len(line)-1].Y != 0 {
			t.Errorf("%s: area %v of %v", b.Name, area, line)
		}
	}
}

// An empirical distribution function never falls, starts at 0 and ends at 1; at a value it is the share of values up to
// there, at an edge the share of the bins before it.
func TestHistogramECDF(t *testing.T) {
	all := spreadPicture().bins()
	for _, b := range all {
		line := b.ecdf(20)
		last := line[len(line)-1]
		if line[0].Y != 0 || last.Y != 1 || last.X != 20 {
			t.Errorf("%s: from %v to %v", b.Name, line[0], last)
		}
		for i := range len(line) - 1 {
			if line[i+1].X < line[i].X || line[i+1].Y < line[i].Y {
				t.Errorf("%s: falls from %v to %v", b.Name, line[i], line[i+1])
			}
		}
	}
	values := skewed(300, 1)
	for i, p := range all[0].ecdf(20)[:600] {
		upTo := 0.0
		for _, v := range values {
			if v < p.X || i%2 == 1 && v == p.X {
				upTo++
			}
		}
		if math.Abs(p.Y-upTo/300) > 1e-12 {
			t.Fatalf("point %d: %v, want the share %v", i, p, upTo/300)
		}
	}
	want := plotter.XYs{{X: 0.5}, {X: 1, Y: 0.2}, {X: 3, Y: 0.9}, {X: 3.5, Y: 0.9}, {X: 9, Y: 1}, {X: 20, Y: 1}}
	for i, p := range all[2].ecdf(20) {
		if p.X != want[i].X || math.Abs(p.Y-want[i].Y) > 1e-12 {
			t.Errorf("binned: point %d is %v, want %v", i, p, want[i])
		}
	}
}

// Bins are multiples of 1, 2 or 5 times a power of ten, common to all series with values, and hold all of them, each in
// the bin from its lower edge on.
func TestHistogramBins(t *testing.T) {
	all := spreadPicture().bins()
	edges := all[0].edges
	if !slices.Equal(edges, all[1].edges) || !slices.Equal(all[2].edges, []float64{0.5, 1, 3, 3.5, 9}) {
		t.Errorf("bins %v, %v and %v", edges, all[1].edges, all[2].edges)
	}
	// Freedman and Diaconis: the quartiles of skewed(100, 0.5) are 0.5·log 4 and 0.5·log(4/3), so 2·0.549/∛100 = 0.237;
	// of skewed(300, 1) 2·1.099/∛300 = 0.328.
	if width := edges[1] - edges[0]; math.Abs(width-0.5) > 1e-12 || edges[0] != 0 {
		t.Errorf("bins of width %v from %v, want 0.5 from 0", width, edges[0])
	}
	atEdges := (&Histogram{Series: []HistogramSeries{{Values: []float64{0, 0.9, 1, 1, 2.5}}}}).bins()[0]
	for i, share := range atEdges.share {
		want := 0.0
		for _, v := range atEdges.Values {
			if atEdges.edges[i] <= v && v < atEdges.edges[i+1] {
				want++
			}
		}
		if math.Abs(5*share-want) > 1e-12 {
			t.Errorf("bin %d from %v has %v values, want %v", i, atEdges.edges[i], 5*share, want)
		}
	}
	for v, want := range map[float64]float64{0.237: 0.5, 1: 1, 1.01: 2, 0.2: 0.2, 70: 100, 0.02 * (1 + 1e-12): 0.02} {
		if got := roundedUp(v, 1e-9); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v rounds up to %v, want %v", v, got, want)
		}
	}
	for name, values := range map[string][]float64{
		"one": {3}, "equal": {2, 2, 2}, "zero": {0, 0}, "far": {1e9, 1e9 + 1, 0}, "negative": {-3.2, -1, 0.5},
	} {
		for _, end := range []float64{0, 1} {
			b := (&Histogram{XMax: end, Series: []HistogramSeries{{Values: values}}}).bins()[0]
			low, high := b.edges[0], b.edges[len(b.edges)-1]
			if low > slices.Min(values) || high <= slices.Max(values) ||
				len(b.share) > allBins+1 || !slices.IsSorted(b.edges) {
				t.Errorf("%s, axis to %v: %d bins from %v to %v", name, end, len(b.share), low, high)
			}
		}
	}
}

// The records hold every value in its order and every bin; both kinds sum to 1 for each series that has them.
func TestHistogramRecords(t *testing.T) {
	p := spreadPicture()
	r := p.Records()
	total := map[string]float64{}
	var values []float64
	for _, row := range r.Rows {
		if len(row) != len(r.Columns) {
			t.Fatalf("row %v under %v", row, r.Columns)
		}
		total[row[0].(string)+" "+row[1].(string)] += row[5].(float64)
		if row[0] == "two (ours)" && row[1] == "value" {
			values = append(values, row[3].(float64))
		}
	}
	if !slices.Equal(values, p.Series[1].Values) {
		t.Errorf("the values came back as %v", values)
	}
	for _, key := range []string{
		"one (ours) bin", "one (ours) value", "two (ours) bin", "two (ours) value", "two (paper) bin",
	} {
		if math.Abs(total[key]-1) > 1e-9 {
			t.Errorf("%s: the shares sum to %v", key, total[key])
		}
	}
	if len(total) != 5 {
		t.Errorf("series and kinds %v", total)
	}
}

func TestHistogramDrawsBothFormats(t *testing.T) {
	for _, format := range []string{"svg", "png"} {
		one, two := mustRender(t, spreadPicture(), format), mustRender(t, spreadPicture(), format)
		if len(one) < 1000 || !bytes.Equal(one, two) {
			t.Errorf("%s: %d bytes, the same again: %v", format, len(one), bytes.Equal(one, two))
		}
	}
	svg := string(mustRender(t, spreadPicture(), "svg"))
	for _, text := range []string{"Spread", "SDPP", "density", "one (ours)", "two (ours)", "two (paper)", "4"} {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("the picture lacks %q", text)
		}
	}
	if strings.Contains(svg, ">5<") {
		t.Error("the axis goes on beyond XMax")
	}
	must.M((&Histogram{Series: []HistogramSeries{{
		Name:   "one value",
		Values: []float64{2},
	}}}).Save(filepath.Join(t.TempDir(), "x.png")))
}

func TestHistogramRefuses(t *testing.T) {
	for name, s := range map[string]HistogramSeries{
		"neither":         {},
		"both":            {Values: []float64{1}, Edges: []float64{0, 1}, Counts: []float64{1}},
		"not a number":    {Values: []float64{math.NaN()}},
		"too few edges":   {Edges: []float64{0, 1}, Counts: []float64{1, 2}},
		"falling edges":   {Edges: []float64{0, 2, 1}, Counts: []float64{1, 2}},
		"nothing counted": {Edges: []float64{0, 1}, Counts: []float64{0}},
		"negative count":  {Edges: []float64{0, 1, 2}, Counts: []float64{3, -1}},
		"no colour":       {Values: []float64{1}, Color: -1},
	} {
		p := &Histogram{Series: []HistogramSeries{s}}
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s: was drawn", name)
		}
	}
	for name, p := range map[string]*Histogram{
		"empty": {}, "endless": {XMax: math.Inf(1), Series: spreadPicture().Series},
	} {
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s: was drawn", name)
		}
	}
}
