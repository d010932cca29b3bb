package experiments_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
)

// checkSDPP checks a figure of SDPP with numbers of one model on one data set: every cell stands beside a number of the
// paper, those of the model are in the bounds of 50 orders, and the others say why they are empty. There is a picture
// for each rule, named after the source.
func checkSDPP(t *testing.T, p *table.Table, data, model, why, source string) {
	t.Helper()
	for _, cell := range p.Cells {
		measured := cell.Model == model && strings.HasPrefix(cell.Data, data)
		if cell.Paper == nil || measured != (cell.Ours != nil) || !measured && cell.Note != why {
			t.Errorf("cell %+v", cell)
		}
		most := math.Sqrt(49)
		if strings.HasPrefix(cell.Metric, "share") {
			most = 1
		}
		if v := cell.Ours; v != nil && (v.Mean < 0 || v.Mean > most || cell.TestSets != 8) {
			t.Errorf("%s, %s, %s: %g of %d sets", cell.Data, cell.Model, cell.Metric, v.Mean, cell.TestSets)
		}
	}
	if len(p.Cells) != 36 || len(p.Figures) != 2 || p.Figures[0].Name != source+"-data" ||
		p.Figures[1].Name != source+"-likely" {
		t.Fatalf("%d cells, figures %+v", len(p.Cells), p.Figures)
	}
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
	checkSDPP(t, p, "MNIST, ", "GFNCP (warm start)", "not trained", "mnist")
	checkPicture(t, p, "GFNCP, warm start (ours, 8 sets)")
	checkReused(t, lab, "figure1", p)
}

// checkPicture checks that the first figure's records are the values behind the table's mean and the paper's bars, and
// that it can be drawn.
func checkPicture(t *testing.T, p *table.Table, series string) {
	t.Helper()
	sum, paper := 0.0, map[string]bool{}
	chart := p.Figures[0].Picture
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
	first := p.Cells[0]
	for _, cell := range p.Cells {
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
	lab.Only = []string{"in50-ncp"}
	p := reproduced(t, lab, "figure5")
	checkSDPP(t, p, "IN50 stand-in, ", "NCP", "left out", "standin50")
	if caption := p.Figures[1].Caption; !strings.Contains(caption, "1,000 sets of IN50.") {
		t.Errorf("caption %q", caption)
	}
	checkPicture(t, p, "NCP (ours, 8 sets)")
	if !strings.Contains(strings.Join(p.Footnotes, "\n"), "Stand-in: ") {
		t.Errorf("the footnotes do not name the stand-in: %q", p.Footnotes)
	}
}

// Figure 2 at smoke scale trains, draws the graph and fills every cell; again, it reuses what is there. Without
// weights it draws nothing and says why.
func TestFigure2(t *testing.T) {
	lab := smokeLab(t)
	product := reproduced(t, lab, "figure2")
	if len(product.Cells) != 6*(3*3+6)+2 || len(product.Figures) != 1 {
		t.Fatalf("%d cells, %d figures", len(product.Cells), len(product.Figures))
	}
	for _, cell := range product.Cells {
		if cell.Ours == nil || cell.Model == "all five" && (cell.Ours.Mean < 1-1e-9 || cell.Ours.Mean > 1+1e-9) {
			t.Errorf("cell %+v", cell)
		}
	}
	checkReused(t, lab, "figure2", product)
	must.M(product.Write(t.TempDir()))
	none := smokeLab(t)
	none.Train = experiments.TrainNever
	product = reproduced(t, none, "figure2")
	for _, cell := range product.Cells {
		if cell.Ours != nil || cell.Note != "not trained" {
			t.Errorf("cell without weights: %+v", cell)
		}
	}
	if len(product.Figures) != 0 {
		t.Errorf("%d figures without weights", len(product.Figures))
	}
}

// Without images figures of them have marked cells, no picture, and a remedy; they can be written.
func TestImageFiguresWithoutData(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	for id, cells := range map[string]int{"figure1": 36, "figure3": 7 * 3, "figure4": 6 * 2} {
		product, err := must.M1(experiments.Find(id)).Reproduce(t.Context(), smokeLab(t))
		if !errors.Is(err, sources.ErrMissing) || product == nil {
			t.Fatalf("%s gave the error %v", id, err)
		}
		for _, cell := range product.Cells {
			if cell.Ours != nil || cell.Note != "no data" {
				t.Errorf("%s: cell %+v", id, cell)
			}
		}
		if notes := strings.Join(product.Footnotes, "\n"); len(product.Cells) != cells ||
			len(product.Figures) != 0 || !strings.Contains(notes, "gfncp data fetch") {
			t.Errorf("%s: %d cells, %d figures, notes %s", id, len(product.Cells), len(product.Figures), notes)
		}
		must.M(product.Write(t.TempDir()))
	}
}

// Figures 3 and 4 at smoke scale, from an untrained network that stands in for the shipped ones: full cells, pictures
// of 20 images a panel, and the same again.
func TestImageFigures(t *testing.T) {
	if os.Getenv(sources.DirEnv) == "" {
		t.Skip("needs MNIST and Fashion-MNIST: set GFNCP_DATA to their folder")
	}
	lab := smokeLab(t)
	shipDrawn(lab, "fmnist-gfncp", "mnist-gfncp", "mnist-ncp")
	for id, panels := range map[string]int{"figure3": 3, "figure4": 4} {
		product := reproduced(t, lab, id)
		for _, cell := range product.Cells {
			if cell.Ours == nil {
				t.Errorf("%s: cell %+v", id, cell)
			}
		}
		if len(product.Figures) == 0 {
			t.Fatalf("%s has no figure", id)
		}
		for _, f := range product.Figures {
			shown := map[any]int{}
			for _, row := range f.Picture.Records().Rows {
				shown[row[0]]++
			}
			for panel, images := range shown {
				if images != 20 || len(shown) != panels {
					t.Errorf("%s: panel %v of %d shows %d images", id, panel, len(shown), images)
				}
			}
		}
		checkReused(t, lab, id, product)
		must.M(product.Write(t.TempDir()))
	}
}
