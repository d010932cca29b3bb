package experiments

import (
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
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

// A training differs from the paper in the keys whose values do: in the gauge and the clip, unless it changes others.
func TestDeviations(t *testing.T) {
	for _, c := range []struct {
		name   string
		d      dataset
		m      method
		fixedK int
		change string
		want   string
	}{
		{"the paper's", mnistData, ncp, 0, "seed=2", "train.clip_norm = 1"},
		{"on mixtures", mogData, coldGFNCP, 0, "train.steps=7", "loss.gauge = 1e-06, train.clip_norm = 1"},
		{"true clusters", mogData, ncp, 0, "data.mode=generative", "data.mode = generative, train.clip_norm = 1"},
		{"K free", mnistData, ncp, 6, "data.fixed_k=0", "data.fixed_k = 0, train.clip_norm = 1"},
		{
			"walks", mnistData, extendedNCP, 0, "train.init=a.safetensors",
			"data.neighbors = 15, data.walk = 24, train.clip_norm = 1, train.init = a.safetensors",
		},
	} {
		config := must.M1(Paper.config(c.d, c.m, c.fixedK).Set(c.change))
		if got := c.d.deviations(config, c.fixedK); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
