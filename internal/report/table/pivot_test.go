package table

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"
)

// ablationTable has more models than fit side by side.
func ablationTable() *Table {
	t := &Table{ID: "ablation", Title: "Weights", Cells: []Cell{}}
	for i := range 12 {
		for _, metric := range []string{"NMI", "E[K]"} {
			t.Cells = append(t.Cells, Cell{
				Data: "MoG", Model: fmt.Sprintf("λ = %d", i), Metric: metric, Ours: &Value{
					Mean: 0.5 + float64(i)/100,
					N:    1,
				}, Seeds: []uint64{1},
			})
		}
	}
	return t
}

// The best of a row is the best as printed, on the metric's own side, among at least two trained models.
func TestBestOfARow(t *testing.T) {
	cell := func(metric, model string, mean float64) Cell {
		return Cell{Data: "d", Model: model, Metric: metric, Ours: &Value{Mean: mean}}
	}
	nan := cell("NMI", "nan", math.NaN())
	cells := []Cell{
		cell("NMI", "a", 0.7), cell("NMI", "b", 0.90001), cell("NMI", "c", 0.90002), cell("NMI", "Oracle", 0.99), nan,
		{Data: "d", Model: "e", Metric: "NMI"},
		cell("MC_eps", "a", 3), cell("MC_eps", "b", 2),
		cell("E[K]", "a", 1), cell("E[K]", "b", 2),
		cell("MCX", "a", 1), cell("MCX", "b", 2),
		cell("ARI", "a", 1), cell("ARI", "Gibbs", 2),
	}
	want := []bool{false, true, true, false, false, false, false, true, false, false, false, false, false, false}
	for i, got := range bestCells(cells) {
		if got != want[i] {
			t.Errorf("%s of %s: best is %v", cells[i].Metric, cells[i].Model, got)
		}
	}
}

// Many models become rows, and one row for each block needs no heading of its own. Either way each cell stands under
// its head.
func TestGridOrientation(t *testing.T) {
	g := ablationTable().Pivot()
	if len(g.Heads) != 2 || len(g.Blocks) != 1 || len(g.Blocks[0].Rows) != 12 ||
		g.Blocks[0].Rows[3].Name != "λ = 3" || g.Blocks[0].Rows[3].Entries[0].Ours != "0.530" {
		t.Errorf("turned grid: %+v", g)
	}
	g = sampleTable().Pivot()
	if len(g.Heads) != 3 || len(g.Blocks) != 2 || g.Flat {
		t.Fatalf("grid: %+v", g)
	}
	for j, want := range []string{notBuilt, "0.931 ± 0.004", "0.942 ± 0.002"} {
		if got := g.Blocks[0].Rows[0].Entries[j].Ours; got != want {
			t.Errorf("column %s: %q, want %q", g.Heads[j].Name, got, want)
		}
	}
	if g.Blocks[1].Rows[0].Entries[0].Cell != nil || g.Blocks[1].Rows[0].Entries[2].Cell == nil {
		t.Error("MNIST has a cell of GFNCP alone")
	}
	flat := (&Table{Cells: []Cell{
		{Data: "a", Model: "m", Metric: "SDPP"},
		{Data: "b", Model: "m", Metric: "SDPP"},
	}}).Pivot()
	if !flat.Flat {
		t.Errorf("flat grid: %+v", flat)
	}
}

// How models were made: each way once, with its data sets, in the columns that say something.
func TestWays(t *testing.T) {
	cell := func(data, model, metric string, steps int) Cell {
		return Cell{Data: data, Model: model, Metric: metric, Ours: &Value{}, Steps: steps, Seeds: []uint64{1, 2}}
	}
	got := (&Table{Cells: []Cell{
		cell("d", "a", "NMI", 100), cell("d", "a", "ARI", 100), cell("e", "a", "NMI", 100),
		cell("d", "b", "NMI", 1000), cell("e", "b", "NMI", 2000),
		{Data: "e", Model: "c", Metric: "NMI"},
	}}).Ways()
	want := WayTable{
		Heads:  []WayHead{{"Model", false}, {"Data", false}, {"Steps", true}},
		Rows:   [][]string{{"a", "all", "100"}, {"b", "d", "1,000"}, {"b", "e", "2,000"}},
		Common: "seeds 1, 2",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// Numbers on different data do not compare: no difference is formed, and the JSON keeps that.
func TestIncomparable(t *testing.T) {
	cell := Cell{Data: "d", Model: "m", Metric: "x", Paper: &Value{Mean: 1}, Ours: &Value{Mean: 3, N: 1}}
	if d, ok := cell.Difference(); !ok || d != 2 {
		t.Fatalf("difference %g, %v", d, ok)
	}
	cell.Incomparable = true
	var b bytes.Buffer
	must.M((&Table{ID: "t1", Cells: []Cell{cell}}).JSON(&b))
	read := must.M1(ReadJSON(&b)).Cells[0]
	if _, ok := read.Difference(); ok || !read.Incomparable {
		t.Errorf("read back: %+v", read)
	}
}

// Cells that were trained in the same way share a line, each model with its data sets; what has no value or nothing to
// tell has none.
func TestTrainings(t *testing.T) {
	one := &Value{Mean: 1, N: 1}
	table := &Table{Cells: []Cell{
		{Data: "a", Metric: "NMI", Model: "m", Ours: one, Trained: "clipped"},
		{Data: "a", Metric: "NMI", Model: "o", Ours: one, Trained: "longer; clipped"},
		{Data: "a", Metric: "NMI", Model: "p", Ours: one},
		{Data: "b", Metric: "NMI", Model: "m", Ours: one, Trained: "clipped"},
		{Data: "b", Metric: "NMI", Model: "o", Ours: one, Trained: "clipped"},
		{Data: "b", Metric: "NMI", Model: "p", Trained: "never"},
	}}
	want := []string{
		"Trained otherwise than the paper says, by the configs:",
		"m on a, b; o on b: clipped.", "o on a: longer; clipped.",
	}
	if got := table.trainings(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&Table{}).trainings(); got != nil {
		t.Errorf("an empty table has %q", got)
	}
}
