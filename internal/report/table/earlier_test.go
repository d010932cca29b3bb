package table

import (
	"slices"
	"testing"
)

// What was not computed is kept with its date; what was, or is not asked for, is not; an older date stays.
func TestKeepFrom(t *testing.T) {
	value := func(v float64) *Value { return &Value{Mean: v, N: 1} }
	earlier := &Table{ID: "t", Provenance: Provenance{Created: "2026-11-21T10:06:55Z", Commit: "c94eb8"}, Cells: []Cell{
		{Data: "MoG", Metric: "NMI", Model: "NCP", Ours: value(0.1), Steps: 7},
		{Data: "MoG", Metric: "NMI", Model: "GFNCP", Ours: value(0.2), Steps: 8, Note: "1 of 2 seeds"},
		{Data: "MoG", Metric: "NMI", Model: "DAC", Note: "not trained"},
		{Data: "MoG", Metric: "NMI", Model: "ST", Ours: value(0.3)},
	}}
	now := &Table{ID: "t", Provenance: Provenance{Created: "2026-11-23T01:00:00Z", Commit: "ffffff"}, Cells: []Cell{
		{Data: "MoG", Metric: "NMI", Model: "NCP", Ours: value(0.9)},
		{Data: "MoG", Metric: "NMI", Model: "GFNCP", Paper: value(0.7), Note: "not trained"},
		{Data: "MoG", Metric: "NMI", Model: "DAC", Note: "not trained"},
	}}
	if n := now.KeepFrom(earlier); n != 1 || len(now.Cells) != 3 || now.Cells[0].Ours.Mean != 0.9 ||
		now.Cells[2].Note != "not trained" {
		t.Errorf("%d cells were kept: %+v", n, now.Cells)
	}
	c := now.Cells[1]
	if c.Ours == nil || c.Ours.Mean != 0.2 || c.Steps != 8 || c.Paper.Mean != 0.7 ||
		c.Note != "1 of 2 seeds" || c.Computed != "2026-11-21, c94eb8" {
		t.Errorf("the cell that was kept is %+v", c)
	}
	later := &Table{Cells: []Cell{{Data: "MoG", Metric: "NMI", Model: "GFNCP"}}}
	if later.KeepFrom(now); later.Cells[0].Computed != c.Computed {
		t.Errorf("kept twice, the date is %q", later.Cells[0].Computed)
	}
	c.Note, c.Computed = "1 of 2 seeds; computed on 2026-11-20, commit 123abc", ""
	if old := c.dated(now.Provenance); old.Note != "1 of 2 seeds" || old.Computed != "2026-11-20, 123abc" {
		t.Errorf("an older table's date: %+v", old)
	}
}

// A table that was limited to some cells and kept the others has the earlier reasons, and of the earlier footnotes what
// was changed: the others may be out of date.
func TestKeepLimits(t *testing.T) {
	cell := func(model, note string) Cell { return Cell{Data: "MoG", Metric: "NMI", Model: model, Note: note} }
	now := &Table{
		Cells:     []Cell{cell("NCP", LeftOut), cell("GFNCP", "not trained"), cell("new", LeftOut)},
		Footnotes: []string{LimitedTo + "gfncp", "all", Changed + ": a"},
	}
	now.KeepLimits(&Table{
		Cells:     []Cell{cell("NCP", "no data"), cell("GFNCP", "no data")},
		Footnotes: []string{Changed + ": b", "outdated", Changed + ": a"},
	})
	if want := []string{Changed + ": b", "all", Changed + ": a"}; !slices.Equal(now.Footnotes, want) {
		t.Errorf("footnotes %q", now.Footnotes)
	}
	for i, want := range []string{"no data", "not trained", LeftOut} {
		if now.Cells[i].Note != want {
			t.Errorf("note %q, want %q", now.Cells[i].Note, want)
		}
	}
}
