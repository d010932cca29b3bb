package experiments_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
)

// Figure 2 at smoke scale trains, draws both graphs and fills every cell; again, it reuses what is there. Without
// weights it draws nothing and says why.
func TestFigure2(t *testing.T) {
	lab := smokeLab(t)
	product := reproduced(t, lab, "figure2")
	if len(product.Table.Cells) != 6*(3*3+6)+2 || len(product.Figures) != 2 {
		t.Fatalf("%d cells, %d figures", len(product.Table.Cells), len(product.Figures))
	}
	for _, cell := range product.Table.Cells {
		if cell.Ours == nil || cell.Model == "all five" && (cell.Ours.Mean < 1-1e-9 || cell.Ours.Mean > 1+1e-9) {
			t.Errorf("cell %+v", cell)
		}
	}
	checkReused(t, lab, "figure2", product)
	must.M(table.Write(t.TempDir(), nil, product.Table, product.Figures...))
	none := smokeLab(t)
	none.Train = experiments.TrainNever
	product = reproduced(t, none, "figure2")
	for _, cell := range product.Table.Cells {
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
	for id, cells := range map[string]int{"figure1": 36, "figure3": 8*3 + 2, "figure4": 8 * 2} {
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
		must.M(table.Write(t.TempDir(), nil, product.Table, product.Figures...))
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
		checkReused(t, lab, id, product)
		must.M(table.Write(t.TempDir(), nil, product.Table, product.Figures...))
	}
}
