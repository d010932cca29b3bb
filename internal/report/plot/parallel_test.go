package plot

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func parallelPicture() *Parallel {
	p := &Parallel{
		Title: "Weights of the objective",
		Axes: []ParallelAxis{
			{"beta", []string{"0.9", "0.99", "1"}},
			{"lambda", []string{"0", "0.4"}},
			{"explore", []string{"uniform-labels", "uniform-actions", "merge-blocks"}},
		},
		Metrics: []string{"NMI", "MC"},
	}
	for i := range 3 {
		for j := range 2 {
			for k := range 3 {
				p.Lines = append(p.Lines, ParallelLine{
					[]int{i, j, k},
					[]float64{0.2 + 0.1*float64(i) + 0.2*float64(j) + 0.03*float64(k), float64(40 * (i + 1) * (k + 2))},
				})
			}
		}
	}
	return p
}

// The picture names every axis, place and metric, leaves out what has no value, and is the same each time.
func TestParallelDraws(t *testing.T) {
	for _, format := range []string{"svg", "png"} {
		one, two := mustRender(t, parallelPicture(), format), mustRender(t, parallelPicture(), format)
		if len(one) < 1000 || !bytes.Equal(one, two) {
			t.Errorf("%s: %d bytes, the same again: %v", format, len(one), bytes.Equal(one, two))
		}
	}
	svg := string(mustRender(t, parallelPicture(), "svg"))
	for _, text := range []string{
		"Weights of the objective", "beta", "lambda", "explore", "merge-blocks", "0.99", "NMI", "MC",
	} {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("the picture lacks %q", text)
		}
	}
	gap := parallelPicture()
	gap.Lines[3].Values[0] = math.NaN()
	if drawn := len(gap.inOrder()); drawn != 17 {
		t.Errorf("%d lines are drawn, want 17", drawn)
	}
	if order := parallelPicture().inOrder(); order[17].Values[0] < order[0].Values[0] {
		t.Error("the best line is drawn first")
	}
}

func TestParallelRefuses(t *testing.T) {
	beyond, short, none := parallelPicture(), parallelPicture(), parallelPicture()
	beyond.Lines[0].At[1] = 2
	short.Lines[0].Values = nil
	none.Colour = 2
	for name, p := range map[string]*Parallel{
		"a place beyond the axis": beyond, "no values": short, "no such metric": none, "nothing": {},
	} {
		if err := p.Save(filepath.Join(t.TempDir(), "x.svg")); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}
