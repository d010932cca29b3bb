package plot

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/report/table"
)

func value(mean, std float64) table.Value { return table.Value{Mean: mean, Std: &std, N: 3} }

func sweepPicture() *Multiples {
	return &Multiples{
		Title: "How often to explore", XLabel: "beta", Places: []string{"0.9", "0.99", "0.999", "1"}, X: []float64{
			0.9,
			0.99, 0.999, 1,
		},
		Panels: []Panel{
			{YLabel: "NMI", Series: []SpreadSeries{
				{
					Name:   "alpha = 1",
					Values: []table.Value{value(0.5, 0.05), value(0.6, 0.02), value(0.62, 0.03), value(0.4, 0.1)},
				},
				{Name: "alpha = 6", Values: []table.Value{
					value(0.6, 0.05), value(0.7, 0.02),
					{Mean: math.NaN()},
					{Mean: 0.5, N: 1},
				}},
			}},
			{YLabel: "ARI", Series: []SpreadSeries{
				{
					Name:   "alpha = 1",
					Values: []table.Value{value(0.3, 0.05), value(0.4, 0.02), value(0.42, 0.03), value(0.2, 0.1)},
				},
				{
					Name:   "alpha = 6",
					Values: []table.Value{value(0.4, 0.05), value(0.5, 0.02), value(0.5, 0.02), value(0.5, 0.02)},
				},
			}},
			{YLabel: "MC", Series: []SpreadSeries{
				{
					Name:   "alpha = 1",
					Values: []table.Value{value(3e4, 5e4), value(800, 200), value(90, 30), value(12, 3)},
				},
				{
					Name:   "alpha = 6",
					Values: []table.Value{value(2e4, 1e4), value(400, 200), value(50, 30), value(22, 3)},
				},
			}},
		},
	}
}

// The picture shows each panel, each place and each series by name, and is the same each time.
func TestMultiplesDraws(t *testing.T) {
	for _, format := range []string{"svg", "png"} {
		one, two := mustRender(t, sweepPicture(), format), mustRender(t, sweepPicture(), format)
		if len(one) < 1000 || !bytes.Equal(one, two) {
			t.Errorf("%s: %d bytes, the same again: %v", format, len(one), bytes.Equal(one, two))
		}
	}
	svg := string(mustRender(t, sweepPicture(), "svg"))
	for _, text := range []string{
		"How often to explore", "NMI", "ARI", "MC (log)", "beta (evenly spaced)", "0.999", "alpha = 1", "alpha = 6",
	} {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("the picture lacks %q", text)
		}
	}
	scores := Panel{Series: []SpreadSeries{{Values: []table.Value{{Mean: 0.001}, {Mean: 0.9}}}}}
	if scores.wide() || !sweepPicture().Panels[2].wide() {
		t.Error("a logarithmic axis is for errors that differ by much, not for scores")
	}
	rows := sweepPicture().Records().Rows
	if len(rows) != 24 || rows[1][0] != "NMI" || rows[1][2] != "0.99" ||
		rows[1][3] != 0.6 || rows[1][4] != 0.02 || rows[1][5] != 3 {
		t.Errorf("%d rows, the second %v", len(rows), rows[1])
	}
	if std := rows[7][4].(float64); !math.IsNaN(std) {
		t.Errorf("an unknown deviation is %v", std)
	}
}

// Values stand at their places on the axis unless some would run into each other; then by their logarithms, then
// evenly.
func TestSpacing(t *testing.T) {
	for _, test := range []struct {
		x    []float64
		word string
		last float64
	}{
		{[]float64{0.1, 0.2, 0.4}, "", 0.4},
		{[]float64{16, 32, 64, 128, 256}, " (log)", math.Log10(256)},
		{[]float64{30, 100, 300, 1000}, " (log)", 3},
		{[]float64{0.9, 0.99, 0.999, 1}, " (evenly spaced)", 3},
		{[]float64{0, 0.001, 1}, " (evenly spaced)", 2},
		{[]float64{3, 1, 2}, " (evenly spaced)", 2},
		{[]float64{1000, 10, 1}, " (log)", 0},
		{nil, "", 2},
	} {
		at, word := spacing(test.x, max(len(test.x), 3))
		if word != test.word || math.Abs(at[len(at)-1]-test.last) > 1e-12 {
			t.Errorf("%v stands at %v%s", test.x, at, word)
		}
	}
}

func TestMultiplesRefuses(t *testing.T) {
	uneven, unknown, places := sweepPicture(), sweepPicture(), sweepPicture()
	uneven.Panels[0].Series[0].Values = nil
	for i := range unknown.Panels[1].Series {
		unknown.Panels[1].Series[i].Values = []table.Value{
			{Mean: math.NaN()},
			{Mean: math.Inf(1)},
			{Mean: math.NaN()},
			{Mean: math.NaN()},
		}
	}
	places.X = places.X[:2]
	for name, p := range map[string]*Multiples{
		"uneven lengths": uneven, "no finite value": unknown, "two values for four places": places, "nothing": {},
	} {
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}

// One place and one setting is a picture too.
func TestMultiplesOfOne(t *testing.T) {
	p := &Multiples{
		Places: []string{"only"},
		Panels: []Panel{{YLabel: "NMI", Series: []SpreadSeries{{Values: []table.Value{{Mean: 0.5, N: 1}}}}}},
	}
	mustRender(t, p, "png")
}
