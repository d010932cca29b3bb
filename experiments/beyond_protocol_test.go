package experiments_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// Both rows score the weights of every sixth step, and the published rule keeps the largest value.
func TestProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two models, and scores some 500 sets")
	}
	lab := ablationLab(t)
	lab.Only = []string{"mog"}
	lab.Overrides = append(lab.Overrides, "train.steps=12", "train.valid_every=6")
	p := reproduced(t, lab, "protocol")
	runs := must.M1(filepath.Glob(filepath.Join(lab.Runs, "mog-*published-*")))
	for _, run := range runs {
		if kept := must.M1(train.Kept(run)); len(kept) != 2 {
			t.Errorf("%s kept %v", run, kept)
		}
	}
	if len(runs) != 2 || len(p.Figures) != 1 {
		t.Fatalf("%d runs, %d figures", len(runs), len(p.Figures))
	}
	last := map[string]float64{} // of each line
	for _, row := range p.Figures[0].Picture.Records().Rows {
		line, value := row[0].(string)+", "+row[1].(string), row[3].(float64)
		if before, known := last[line]; known && strings.HasSuffix(line, "published rule") && value < before {
			t.Errorf("%s falls from %g to %g", line, before, value)
		}
		last[line] = value
	}
	for _, cell := range p.Table.Cells {
		metric, published := strings.CutSuffix(cell.Metric, " published")
		if cell.Data == "MoG" && published && cell.Ours.Mean != last[metric+", "+cell.Model+", published rule"] {
			t.Errorf("%s of %s is %g, the line ends at %v", cell.Metric, cell.Model, cell.Ours.Mean, last)
		}
	}
}
