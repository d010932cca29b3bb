package experiments_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/report"
	"github.com/gfncp/gfncp/train"
)

func untrained(t *testing.T) *models.Network {
	t.Helper()
	c := models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4}
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	return must.M1(models.NewNetwork(backend, c, c.Init(data.Rand(3, "init", 0))))
}

func smallSets() *data.MoG {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 3, 10, 10, 2, 2, "test"
	return must.M1(data.NewMoG(c))
}

// The registry lists tables 1–6 and figures 1–5 once each, and only what is built can be reproduced.
func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range experiments.All() {
		if seen[e.ID] || e.Title == "" || e.Section == "" || e.Shows == "" {
			t.Errorf("entry %+v is not complete and unique", e)
		}
		seen[e.ID] = true
		if e.Ready() == (e.Built == "") {
			t.Errorf("%s: Ready is %v but Built says %q", e.ID, e.Ready(), e.Built)
		}
		if !e.Ready() {
			if _, err := e.Reproduce(context.Background(), &experiments.Lab{}); !usererr.Is(err) {
				t.Errorf("%s: reproducing what is not built gave %v", e.ID, err)
			}
		}
	}
	if len(seen) != 11 {
		t.Errorf("%d entries, want 6 tables and 5 figures", len(seen))
	}
}

// Every scale trains by a valid config; paper scale is the paper's setting (section "Experiments" and appendix).
func TestScales(t *testing.T) {
	e := must.M1(experiments.Find("table3"))
	for _, scale := range []experiments.Scale{experiments.Smoke, experiments.Small, experiments.Paper} {
		for _, model := range []string{train.NCP, train.GFNCP} {
			if err := e.Config(scale, model).Validate(); err != nil {
				t.Errorf("%s %s: %v", scale, model, err)
			}
		}
	}
	c := e.Config(experiments.Paper, train.GFNCP)
	if c.Train.Steps != 5000 || c.Data.Batch != 64 || c.Data.NMin != 100 || c.Data.NMax != 1000 || c.Data.AlphaMin != 6 ||
		c.Data.AlphaMax != 6 || c.Train.LearningRate != 5e-4 || c.Loss.Beta != 0.999 || c.Loss.NLLWeight != 0 ||
		c.Train.WarmupSteps != 0 || experiments.Paper.Seeds() != 3 {
		t.Errorf("paper scale is not the paper's setting: %s", c)
	}
	if _, err := experiments.ParseScale("huge"); !usererr.Is(err) {
		t.Errorf("an unknown scale gave %v", err)
	}
}

// Evaluate averages over exactly the sets asked for: three sets at once equal the mean of one by one.
func TestEvaluateCounts(t *testing.T) {
	net := untrained(t)
	all := must.M1(experiments.Evaluate(net, smallSets(), 1, 5))
	if all.Sets != 5 || all.Truth < 2 || all.NMI < 0 || all.NMI > 1 {
		t.Errorf("five sets gave %+v", all)
	}
	first := must.M1(experiments.Evaluate(net, smallSets(), 1, 3))
	batch := must.M1(smallSets().Batch(1, 0))
	var mc float64
	for b := range batch.B {
		x, labels := batch.Set(b)
		table := must.M1(net.Tables(x, labels, 1, batch.N))[0]
		mc += must.M1(metrics.MC(table, labels)).MC / 3
	}
	if math.Abs(first.MC-mc) > 1e-4*mc {
		t.Errorf("MC %g, want the mean %g of the three sets", first.MC, mc)
	}
}

// Two orders of a set differ in log p only by the network's order dependence: the identity order's value is among what
// direct evaluation gives, and the number, determinism and spread are as asked.
func TestLogProbsOverOrders(t *testing.T) {
	net := untrained(t)
	batch := must.M1(smallSets().Batch(1, 0))
	x, labels := batch.Set(0)
	logs := must.M1(experiments.LogProbs(net, x, labels, 300, 9))
	again := must.M1(experiments.LogProbs(net, x, labels, 300, 9))
	if len(logs) != 300 {
		t.Fatalf("%d values for 300 orders", len(logs))
	}
	distinct := map[float64]bool{}
	for i := range logs {
		if logs[i] != again[i] || logs[i] > 0 {
			t.Fatalf("order %d: %g and %g", i, logs[i], again[i])
		}
		distinct[logs[i]] = true
	}
	if len(distinct) < 100 {
		t.Errorf("only %d distinct values: are these random orders?", len(distinct))
	}
	if sdpp := must.M1(experiments.MeanSDPP(net, smallSets(), 1, 2)); sdpp <= 0 || sdpp > math.Sqrt(499) {
		t.Errorf("SDPP %g is outside (0, √499]", sdpp)
	}
}

// A table at smoke scale: all cells of the paper are there, ours where it is built; a second call reuses the runs.
func TestTable3Smoke(t *testing.T) {
	lab := &experiments.Lab{
		Backend: must.M1(must.M1(engine.Choose("go")).Open()), BackendName: "go", Runs: t.TempDir(),
		Scale: experiments.Smoke, Seeds: 1, Overrides: []string{"net.hidden=16", "net.embed=8", "train.steps=6", "train.valid_every=3", "train.warmup_steps=2"},
	}
	e := must.M1(experiments.Find("table3"))
	table := must.M1(e.Reproduce(context.Background(), lab))
	ours, missing := 0, 0
	for _, cell := range table.Cells {
		switch {
		case cell.Note == report.NotBuilt && cell.Ours == nil && cell.Paper != nil:
			missing++
		case cell.Ours != nil && cell.Data == "MoG" && cell.Steps > 0 && cell.Scale == "smoke" && cell.Seconds > 0:
			ours++
		default:
			t.Errorf("cell %+v is neither built nor marked", cell)
		}
	}
	if ours != 10 || missing != 18 {
		t.Errorf("%d cells of ours and %d not built, want 10 and 18", ours, missing)
	}
	var first, second bytes.Buffer
	must.M(table.JSON(&first))
	before := modTimes(t, lab.Runs)
	must.M(must.M1(e.Reproduce(context.Background(), lab)).JSON(&second))
	if first.String() != second.String() || before != modTimes(t, lab.Runs) {
		t.Error("a second reproduction did not reuse the runs")
	}
}

// modTimes lists all files below a directory with their times.
func modTimes(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	must.M(filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "lock" {
			text.WriteString(path + " " + must.M1(entry.Info()).ModTime().String() + "\n")
		}
		return err
	}))
	return text.String()
}
