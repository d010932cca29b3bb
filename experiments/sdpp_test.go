package experiments_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
)

// checkSDPP checks the cells of a figure of SDPP: every one stands beside a number of the paper, and those that
// measured says are in the bounds of 50 orders. It returns how many there are of each note.
func checkSDPP(t *testing.T, p *experiments.Product, measured func(c table.Cell) bool) map[string]int {
	t.Helper()
	notes := map[string]int{}
	for _, cell := range p.Table.Cells {
		if cell.Ours == nil {
			notes[cell.Note]++
		}
		if cell.Paper == nil || measured(cell) != (cell.Ours != nil) {
			t.Errorf("cell %+v", cell)
			continue
		}
		if cell.Ours == nil {
			continue
		}
		most := math.Sqrt(49)
		if strings.HasPrefix(cell.Metric, "share") {
			most = 1
		}
		if cell.Ours.Mean < 0 || cell.Ours.Mean > most || cell.TestSets != 8 {
			t.Errorf("%s, %s, %s: %g of %d sets", cell.Data, cell.Model, cell.Metric, cell.Ours.Mean, cell.TestSets)
		}
	}
	return notes
}

// Figure 1 with one shipped network of random weights: its cells and both pictures are there, the others say that
// they are not trained, and a second call computes nothing.
func TestFigure1(t *testing.T) {
	if os.Getenv(sources.DirEnv) == "" {
		t.Skip("needs MNIST: set GFNCP_DATA to its folder")
	}
	lab := smokeLab(t)
	shipDrawn(lab, "mnist-gfncp")
	p := reproduced(t, lab, "figure1")
	notes := checkSDPP(t, p, func(c table.Cell) bool { return c.Model == "GFNCP (warm start)" })
	if len(p.Table.Cells) != 36 || notes["not trained"] != 30 {
		t.Errorf("%d cells, notes %v", len(p.Table.Cells), notes)
	}
	if len(p.Figures) != 2 || p.Figures[0].Name != "mnist-data" || p.Figures[1].Name != "mnist-likely" {
		t.Fatalf("figures %+v", p.Figures)
	}
	checkPicture(t, p, "GFNCP, warm start (ours, 8 sets)")
	checkReused(t, lab, "figure1", p)
}

// checkPicture checks that the first figure's records are the values behind the table's mean and the paper's bars, and
// that it can be drawn.
func checkPicture(t *testing.T, p *experiments.Product, series string) {
	t.Helper()
	sum, paper := 0.0, map[string]bool{}
	chart := p.Figures[0].Picture.(*figure.Chart)
	for _, s := range chart.Panels[1].Series {
		switch {
		case s.Name == series:
			for _, x := range s.X[1 : len(s.X)-1] { // between the ends of the axis
				sum += x / 8
			}
		case strings.Contains(s.Name, "(paper"):
			paper[s.Name] = true
		}
	}
	first := p.Table.Cells[0]
	for _, cell := range p.Table.Cells {
		same := cell.Data == first.Data && cell.Metric == first.Metric
		if same && cell.Ours != nil && math.Abs(cell.Ours.Mean-sum) > 1e-12 {
			t.Errorf("the picture's mean is %g, the table's %g", sum, cell.Ours.Mean)
		}
	}
	if sum <= 0 || len(paper) != 2 {
		t.Errorf("mean %g, of the paper %v", sum, paper)
	}
	must.M(plot.Save(chart, filepath.Join(t.TempDir(), "figure.svg")))
}

// Figure 5 on a stand-in, which it names, with networks of a few steps; what was not asked for is left out.
func TestFigure5(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	lab := smokeLab(t)
	lab.Only = []string{"in50", "ncp"}
	p := reproduced(t, lab, "figure5")
	notes := checkSDPP(t, p,
		func(c table.Cell) bool { return c.Model == "NCP" && strings.HasPrefix(c.Data, "IN50 stand-in, ") })
	if len(p.Table.Cells) != 36 || notes["left out"] != 30 {
		t.Errorf("%d cells, notes %v", len(p.Table.Cells), notes)
	}
	if len(p.Figures) != 2 || p.Figures[1].Name != "standin50-likely" ||
		!strings.Contains(p.Figures[1].Caption, "1,000 sets of IN50.") {
		t.Fatalf("figures %+v", p.Figures)
	}
	checkPicture(t, p, "NCP (ours, 8 sets)")
	if !strings.Contains(strings.Join(p.Table.Footnotes, "\n"), "Stand-in: ") {
		t.Errorf("the footnotes do not name the stand-in: %q", p.Table.Footnotes)
	}
}
