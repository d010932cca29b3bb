package experiments_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
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
	lab.Train = experiments.TrainNever
	lab.Shipped = func(name string) (*train.Model, bool) {
		c := train.DefaultOn(train.GFNCP, data.SourceMNIST)
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 4, 4
		return &train.Model{Config: c, Params: c.Net.Init(data.Rand(1, "init", 0)), Card: train.Card{
			Name: name,
		}}, name == "mnist-gfncp"
	}
	e := must.M1(experiments.Find("figure1"))
	p := must.M1(e.Reproduce(context.Background(), lab))
	notes := checkSDPP(t, p, func(c table.Cell) bool { return c.Model == "GFNCP (warm start)" })
	if len(p.Table.Cells) != 36 || notes["not trained"] != 30 {
		t.Errorf("%d cells, notes %v", len(p.Table.Cells), notes)
	}
	if len(p.Figures) != 2 || p.Figures[0].Name != "mnist-data" || p.Figures[1].Name != "mnist-likely" {
		t.Fatalf("figures %+v", p.Figures)
	}
	checkPicture(t, p, 0, "GFNCP, warm start (ours, 8 sets)")
	before, first := modTimes(t, lab.Runs), tableJSON(t, p)
	if again := tableJSON(t, must.M1(e.Reproduce(context.Background(), lab))); again != first ||
		modTimes(t, lab.Runs) != before {
		t.Error("a second reproduction did not reuse the values")
	}
}

// checkPicture checks that a figure's records are the values behind the table's mean and the paper's bars, and that
// it can be drawn.
func checkPicture(t *testing.T, p *experiments.Product, number int, series string) {
	t.Helper()
	sum, paper := 0.0, map[string]bool{}
	chart := p.Figures[number].Picture.(*figure.Chart)
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

// Without its data, figure 1 says so in every cell, draws nothing, and reports it.
func TestFigure1WithoutData(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	p, err := must.M1(experiments.Find("figure1")).Reproduce(context.Background(), smokeLab(t))
	if !errors.Is(err, sources.ErrMissing) || p == nil || len(p.Figures) != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if notes := checkSDPP(t, p, func(table.Cell) bool { return false }); notes["no data"] != 36 {
		t.Errorf("notes %v", notes)
	}
}

// Figure 5 on a stand-in, which it names, with networks of a few steps; what was not asked for is left out.
func TestFigure5(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	lab := smokeLab(t)
	lab.Only = []string{"in50", "ncp"}
	p := must.M1(must.M1(experiments.Find("figure5")).Reproduce(context.Background(), lab))
	notes := checkSDPP(t, p,
		func(c table.Cell) bool { return c.Model == "NCP" && strings.HasPrefix(c.Data, "IN50 stand-in, ") })
	if len(p.Table.Cells) != 36 || notes["left out"] != 30 {
		t.Errorf("%d cells, notes %v", len(p.Table.Cells), notes)
	}
	if len(p.Figures) != 2 || p.Figures[1].Name != "standin50-likely" ||
		!strings.Contains(p.Figures[1].Caption, "1,000 sets of IN50.") {
		t.Fatalf("figures %+v", p.Figures)
	}
	checkPicture(t, p, 0, "NCP (ours, 8 sets)")
	if !strings.Contains(strings.Join(p.Table.Footnotes, "\n"), "Stand-in: ") {
		t.Errorf("the footnotes do not name the stand-in: %q", p.Table.Footnotes)
	}
}
