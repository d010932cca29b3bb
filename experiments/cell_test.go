package experiments

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// A cell is trained, tested and kept exactly as the tables do it, so that their runs are the same ones.
func TestCell(t *testing.T) {
	lab := &Lab{Runs: "runs", Scale: Smoke}
	for _, scale := range Scales() {
		for _, d := range tableData {
			for _, m := range tableMethods {
				if m.Model == "" || m.Variant == peers.Anchored || !m.applies(d, m.fixedK()) {
					continue
				}
				cell := must.M1(scale.Cell(m.Model, d.Source, m.Start))
				k := m.fixedK()
				want := scale.config(d, m, k)
				c := cell.Config()
				if c != want {
					t.Errorf("%s, %s at %s: config\n%s\nwant\n%s", d.Name, m.Name, scale, c, want)
				}
				if got, dir := cell.Run(c), filepath.Base(lab.dir(m.run(d, k), want)); got != dir {
					t.Errorf("%s, %s at %s: run %s, want %s", d.Name, m.Name, scale, got, dir)
				}
				if got := cell.Test(c); got != scale.test(d, k) {
					t.Errorf("%s, %s at %s: test %+v", d.Name, m.Name, scale, got)
				}
				if data, model := cell.Names(); data != d.Name || model != m.Name {
					t.Errorf("%s, %s is called %s, %s", d.Name, m.Name, data, model)
				}
			}
		}
	}
	lab.Overrides = []string{"train.steps=30"}
	if _, c, _, err := lab.cell(mogData, warmGFNCP, 0); err != nil || c.Train.WarmupSteps != 15 {
		t.Errorf("a warm start of %d of %d steps, %v", c.Train.WarmupSteps, c.Train.Steps, err)
	}
	dac := must.M1(Smoke.Cell(train.DAC, "", ""))
	anchored := must.M1(dac.Config().Set("peer.variant=anchored"))
	if got, dir := dac.Run(anchored), filepath.Base(lab.dir(dacAnchored.run(mogData, 0), anchored)); got != dir {
		t.Errorf("%s: run %s, want %s", dacAnchored.Name, got, dir)
	}
}

func TestCellRefuses(t *testing.T) {
	for _, words := range [][3]string{
		{"gfn"},
		{"", "cifar"},
		{"", "", "hot"},
		{train.NCP, "", StartWarm},
		{train.CCP, "mnist"},
	} {
		if _, err := Smoke.Cell(words[0], words[1], words[2]); !usererr.Is(err) {
			t.Errorf("%q gives %v", words, err)
		}
	}
	if c := must.M1(Smoke.Cell("", "", "")); c != (Cell{Smoke, mogData, coldGFNCP}) {
		t.Errorf("no words mean %+v", c)
	}
}

// The paper's own setting differs from the paper in what every training here has, and each change of a config is said.
func TestDeviations(t *testing.T) {
	for _, c := range []struct {
		name   string
		d      dataset
		m      method
		fixedK int
		change func(c *train.Config)
		want   []string
	}{
		{"the paper's", mnistData, ncp, 0, func(*train.Config) {}, []string{"gradients clipped to norm 1"}},
		{"without clipping", mnistData, ncp, 0, func(c *train.Config) { c.Train.ClipNorm = 0 }, nil},
		{"on mixtures", mogData, coldGFNCP, 0, func(*train.Config) {}, []string{
			"a gauge term of weight 1e-06", "gradients clipped to norm 1",
		}},
		{"of true clusters", mogData, ncp, 0, func(c *train.Config) { c.Data.Mode = data.ModeGenerative }, []string{
			"true clusters in place of instance discrimination", "gradients clipped to norm 1",
		}},
		{"smaller sets, K free", mnistData, ncp, 6, func(c *train.Config) {
			c.Data.FixedK, c.Data.Batch, c.Data.NMin, c.Data.AlphaMax = 0, 16, 50, 7
		}, []string{
			"free K", "α log-uniform in 1..7", "16 sets of 50..1000 points a step", "gradients clipped to norm 1",
		}},
		{"walks", mnistData, walksNCP, 0, func(c *train.Config) {
			c.Train.Init = "pretrained/weights/a.safetensors"
		}, []string{
			"the ends of random walks of 24 steps over the 15 mutual nearest neighbours of a base image as positives " +
				"beside its augmentations (no label is read)", "gradients clipped to norm 1", "begun from a",
		}},
		{"a stage before", mnistData, ncp, 0, func(c *train.Config) {
			c.Train.Init = "runs/b/best.safetensors"
		}, []string{
			"gradients clipped to norm 1", "begun from a run before it (pretrained/configs)",
		}},
		{"warm start", mnistData, warmGFNCP, 0, func(c *train.Config) { c.Train.WarmupSteps = 7 }, []string{
			"a likelihood term of weight 1", "a gauge term of weight 1e-06", "likelihood alone for the first 7 steps",
			"gradients clipped to norm 1",
		}},
		{"free flows", mnistData, ncp, 0, func(c *train.Config) {
			c.Model, c.Loss = train.GFNCP, losses.FreeFlows()
		}, []string{
			"likelihood, and free flows balanced with weight 0.001", "gradients clipped to norm 1",
		}},
	} {
		config := Paper.config(c.d, c.m, c.fixedK)
		c.change(&config)
		if got := c.d.deviations(config, c.fixedK); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	free := Paper.config(mogData, freeGFNCP, 0)
	if got := strings.Join(mogData.deviations(free, 0), "; "); !strings.Contains(got, "net.moments") {
		t.Errorf("free flows on mixtures: %q", got)
	}
}
