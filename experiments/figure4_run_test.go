package experiments_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// Figure 2 at smoke scale trains, draws both graphs and fills every cell; again, it reuses what is there. Without
// weights it draws nothing and says why.
func TestFigure2(t *testing.T) {
	lab := smokeLab(t)
	e := must.M1(experiments.Find("figure2"))
	product := must.M1(e.Reproduce(context.Background(), lab))
	if len(product.Table.Cells) != 6*(3*3+6)+2 || len(product.Figures) != 2 {
		t.Fatalf("%d cells, %d figures", len(product.Table.Cells), len(product.Figures))
	}
	for _, cell := range product.Table.Cells {
		if cell.Ours == nil || cell.Model == "all five" && (cell.Ours.Mean < 1-1e-9 || cell.Ours.Mean > 1+1e-9) {
			t.Errorf("cell %+v", cell)
		}
	}
	first, before := tableJSON(t, product), modTimes(t, lab.Runs)
	must.M(table.Write(t.TempDir(), nil, product.Table, product.Figures...))
	if again := must.M1(e.Reproduce(context.Background(), lab)); first != tableJSON(t, again) ||
		before != modTimes(t, lab.Runs) {
		t.Error("a second reproduction did not reuse the first")
	}
	none := smokeLab(t)
	none.Train = experiments.TrainNever
	product = must.M1(e.Reproduce(context.Background(), none))
	for _, cell := range product.Table.Cells {
		if cell.Ours != nil || cell.Note != "not trained" {
			t.Errorf("cell without weights: %+v", cell)
		}
	}
	if len(product.Figures) != 0 {
		t.Errorf("%d figures without weights", len(product.Figures))
	}
}

// Without images figures 3 and 4 have marked cells, no picture, and a remedy.
func TestImageFiguresWithoutData(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	for id, cells := range map[string]int{"figure3": 8*3 + 2, "figure4": 8 * 2} {
		product, err := must.M1(experiments.Find(id)).Reproduce(context.Background(), smokeLab(t))
		if !errors.Is(err, sources.ErrMissing) || product == nil {
			t.Fatalf("%s gave the error %v", id, err)
		}
		for _, cell := range product.Table.Cells {
			if cell.Ours != nil || cell.Note != "no data" {
				t.Errorf("%s: cell %+v", id, cell)
			}
		}
		if notes := strings.Join(product.Table.Footnotes, "\n"); len(product.Table.Cells) != cells ||
			len(product.Figures) != 0 || !strings.Contains(notes, "gfncp data fetch") {
			t.Errorf("%s: %d cells, %d figures, notes %s", id, len(product.Table.Cells), len(product.Figures), notes)
		}
	}
}

var outside = regexp.MustCompile(`href="(?:[^d]|d[^a])`)

// Figures 3 and 4 at smoke scale, from an untrained network that stands in for the shipped ones: full cells, pictures
// of 20 images a panel that need no other file, and the same bytes again.
func TestImageFigures(t *testing.T) {
	if os.Getenv(sources.DirEnv) == "" {
		t.Skip("needs MNIST and Fashion-MNIST: set GFNCP_DATA to their folder")
	}
	lab := smokeLab(t)
	lab.Train = experiments.TrainNever
	lab.Shipped = func(name string) (*train.Model, bool) {
		source, model, _ := strings.Cut(name, "-")
		c := train.DefaultOn(model, source)
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 4, 4
		return &train.Model{Config: c, Params: c.Net.Init(data.Rand(1, name, 0)), Card: train.Card{Name: name}}, true
	}
	for id, panels := range map[string]int{"figure3": 3, "figure4": 4} {
		e := must.M1(experiments.Find(id))
		product := must.M1(e.Reproduce(context.Background(), lab))
		for _, cell := range product.Table.Cells {
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
		first, before := tableJSON(t, product), modTimes(t, lab.Runs)
		dir := t.TempDir()
		must.M(table.Write(dir, nil, product.Table, product.Figures...))
		for _, path := range must.M1(filepath.Glob(filepath.Join(dir, "*.svg"))) {
			if m := outside.Find(must.M1(os.ReadFile(path))); m != nil {
				t.Errorf("%s refers to a file outside: %s", path, m)
			}
		}
		if again := must.M1(e.Reproduce(context.Background(), lab)); first != tableJSON(t, again) ||
			before != modTimes(t, lab.Runs) {
			t.Errorf("%s: a second reproduction did not reuse the first", id)
		}
	}
}
