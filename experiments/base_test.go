package experiments

import (
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// A base is trained, tested and kept exactly as the cell of the tables that it names, so that their runs are the same
// ones.
func TestBaseIsACell(t *testing.T) {
	lab := &Lab{Runs: "runs"}
	for _, scale := range Scales() {
		for _, d := range tableData {
			for _, m := range tableMethods {
				if m.Model == "" || m.Variant == peers.Anchored || !m.applies(d, m.fixedK()) {
					continue
				}
				b := Base{Model: m.Model, Data: d.Source}
				b.Start = m.Start
				k := m.fixedK()
				want := scale.config(d, m, k)
				c := must.M1(b.Config(scale))
				if c != want {
					t.Errorf("%s, %s at %s: config\n%s\nwant\n%s", d.Name, m.Name, scale, c, want)
				}
				if got, dir := must.M1(b.Run(c)), filepath.Base(lab.dir(m.run(d, k), want)); got != dir {
					t.Errorf("%s, %s at %s: run %s, want %s", d.Name, m.Name, scale, got, dir)
				}
				if got := must.M1(b.Test(scale, c)); got != scale.test(d, k) {
					t.Errorf("%s, %s at %s: test %+v", d.Name, m.Name, scale, got)
				}
				if data, model := b.Names(); data != d.Name || model != m.Name {
					t.Errorf("%s, %s is called %s, %s", d.Name, m.Name, data, model)
				}
			}
		}
	}
	anchored := must.M1(must.M1(Base{Model: train.DAC}.Config(Smoke)).Set("peer.variant=anchored"))
	for _, m := range tableMethods {
		if m.Variant == peers.Anchored {
			if got, dir := must.M1(Base{Model: train.DAC}.Run(anchored)), filepath.Base(
				lab.dir(m.run(tableData[0], 0), anchored),
			); got != dir {
				t.Errorf("%s: run %s, want %s", m.Name, got, dir)
			}
		}
	}
}

func TestBaseRefuses(t *testing.T) {
	for _, b := range []Base{
		{Model: "gfn"},
		{Data: "cifar"},
		{Start: "hot"},
		{Model: train.NCP, Start: StartWarm},
		{Model: train.CCP, Data: "mnist"},
	} {
		if _, err := b.Filled(); !usererr.Is(err) {
			t.Errorf("%+v gives %v", b, err)
		}
	}
	if b := must.M1(Base{}.Filled()); b != (Base{train.GFNCP, "mog", StartPaper}) {
		t.Errorf("the empty base is %+v", b)
	}
}
