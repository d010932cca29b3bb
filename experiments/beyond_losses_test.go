package experiments_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/train"
)

// ablationLab trains each row of an ablation for a moment.
func ablationLab(t *testing.T) *experiments.Lab {
	lab := smokeLab(t)
	lab.Overrides = []string{
		"net.hidden=8", "net.embed=4", "net.global=4", "data.batch=4",
		"data.n_min=12", "data.n_max=12", "train.steps=4", "train.valid_every=2", "train.valid_sets=2",
	}
	return lab
}

// values lists a table's numbers by "data, model" and metric.
func values(t *testing.T, table *table.Table) map[string]map[string]float64 {
	t.Helper()
	must.M(table.Check())
	rows := map[string]map[string]float64{}
	for _, cell := range table.Cells {
		row := cell.Data + ", " + cell.Model
		if rows[row] == nil {
			rows[row] = map[string]float64{}
		}
		if cell.Ours == nil || math.IsNaN(cell.Ours.Mean) || math.IsInf(cell.Ours.Mean, 0) {
			t.Errorf("cell %+v has no number", cell)
			continue
		}
		rows[row][cell.Metric] = cell.Ours.Mean
	}
	return rows
}

// The ablation is complete, each of its rows is a run of its own, and a second call computes nothing.
func TestAblationLoss(t *testing.T) {
	short.Skip(t, "trains nine models")
	lab := ablationLab(t)
	loss := reproduced(t, lab, "ablation-loss")
	rows := values(t, loss)
	for row, numbers := range rows {
		for metric, value := range numbers {
			isError := metric != "NMI" && metric != "ARI" // an error of an untrained model is far from 0
			if isError && value <= 0 || metric == "MC" && value < numbers["MC_last"] {
				t.Errorf("%s: %s is %v", row, metric, value)
			}
		}
	}
	runs := must.M1(filepath.Glob(filepath.Join(lab.Runs, "*", "result.json")))
	if len(rows) != 3*9 || len(runs) != 9 || len(loss.Cells) != 9*7 {
		t.Errorf("%d rows with %d cells from %d runs, want 3 parts of 9 rows, 63 and 9",
			len(rows), len(loss.Cells), len(runs))
	}
	for _, other := range []string{
		"TB", "SubTB(0.9)", "MC, warm start", "Likelihood (NCP)", "MC (published)", "Flow consistency",
	} {
		if rows["MoG, "+other]["MC"] == rows["MoG, MC (paper)"]["MC"] {
			t.Errorf("%s ends where MC does: is it trained by another loss?", other)
		}
	}
	if tb, both := rows["MoG, TB"]["MC"], rows["MoG, TB, warm start"]["MC"]; tb == both {
		t.Error("the warm start of TB changes nothing")
	}
	checkReused(t, lab, "ablation-loss", loss)
}

// A run whose loss is no longer a number is a result: its row says at which step, and the table is there without an
// error.
func TestAblationDiverges(t *testing.T) {
	lab := ablationLab(t)
	lab.Overrides = append(lab.Overrides, "train.learning_rate=1e9", "train.valid_every=1", "train.clip_norm=0")
	product := reproduced(t, lab, "ablation-loss")
	diverged := 0
	for _, cell := range product.Cells {
		if cell.Ours == nil && !strings.HasPrefix(cell.Note, "diverged, step 2") {
			t.Errorf("cell %+v", cell)
		}
		if cell.Ours == nil {
			diverged++
		}
	}
	notes := strings.Join(product.Footnotes, "\n")
	if diverged < 6 || !strings.Contains(notes, "MoG, TB: seed 1 diverged at step 2 (loss ") {
		t.Errorf("%d cells of diverged runs, notes:\n%s", diverged, notes)
	}
}

// At scale small the rows are smaller, and at paper scale the row of the paper has the paper's setting.
func TestAblationScales(t *testing.T) {
	configs := must.M1(experiments.Find("ablation-loss")).Configs
	for _, row := range configs(experiments.Small) {
		if c := row.Config; c.Train.Steps != 300 || c.Data.Batch != 16 || c.Data.NMin != 20 || c.Data.NMax != 50 {
			t.Errorf("%s: %s", row.Name, c)
		}
	}
	if paper := configs(experiments.Paper)[1]; paper.Name != "MoG, MC (paper)" || paper.Config != paperGFNCP() {
		t.Errorf("%s at paper scale is\n%s\nand in table 3\n%s", paper.Name, paper.Config, paperGFNCP())
	}
}

// All rows score the weights of every sixth step, and the published rule keeps the largest value.
func TestProtocol(t *testing.T) {
	short.Skip(t, "trains three models, and scores some 700 sets")
	lab := ablationLab(t)
	lab.Only = []string{"mog-*"}
	lab.Overrides = append(lab.Overrides, "train.steps=12", "train.valid_every=6")
	p := reproduced(t, lab, "protocol")
	runs := must.M1(filepath.Glob(filepath.Join(lab.Runs, "mog-*-*-*")))
	for _, run := range runs {
		if kept := train.Kept(run); len(kept) != 2 {
			t.Errorf("%s kept %v", run, kept)
		}
	}
	if len(runs) != 3 || len(p.Figures) != 1 {
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
	for _, cell := range p.Cells {
		metric, published := strings.CutSuffix(cell.Metric, " published")
		if cell.Data == "MoG" && published && cell.Ours.Mean != last[metric+", "+cell.Model+", published rule"] {
			t.Errorf("%s of %s is %g, the line ends at %v", cell.Metric, cell.Model, cell.Ours.Mean, last)
		}
	}
}
