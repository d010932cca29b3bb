package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/usererr"
)

var update = flag.Bool("update", false, "rewrite testdata from the present output; read the diff")

// notBuilt is a note that stands in the place of a number.
const notBuilt = "not built yet"

// sampleTable has the paper's table 3 values of MoG (paper, table 3) beside invented ones of ours, and every kind of
// gap. Its cells are out of order on purpose.
func sampleTable() *Table {
	paper := func(mean, s float64) *Value { return &Value{Mean: mean, Std: &s} }
	ours := func(mean, s float64) *Value { return &Value{Mean: mean, Std: &s, N: 3} }
	run := func(model, metric string, paper, ours *Value) Cell {
		c := Cell{
			Data: "MoG", Model: model, Metric: metric, Paper: paper, Ours: ours,
			Scale: "small", Steps: 300, Seconds: 98.7, Backend: "go:ops_sequential",
			Seeds: []uint64{1, 2, 3}, TestSets: 500, Selection: "lowest validation loss",
		}
		if model == "GFNCP" {
			c.Steps, c.Seconds = 400, 1234.5
		}
		return c
	}
	partial := run("NCP", "ARI", paper(0.89, 0.04), &Value{Mean: 0.8874, N: 1})
	partial.Note, partial.Seeds = "1 of 3 seeds: the others_failed & were dropped at 5% | <none>", []uint64{1}
	return &Table{
		ID: "table3", Title: "Table 3", Caption: "Arbitrary number of clusters, α = 1; 100 % held-out sets.",
		Cells: []Cell{
			{Data: "MoG", Model: "DAC", Metric: "NMI", Paper: paper(0.93, 0.01), Note: notBuilt},
			run("NCP", "NMI", paper(0.92, 0.01), ours(0.9312, 0.0043)),
			run("GFNCP", "NMI", paper(0.93, 0.01), ours(0.9415, 0.0021)),
			{Data: "MNIST", Model: "GFNCP", Metric: "NMI", Paper: paper(0.72, 0.07), Note: notBuilt},
			{Data: "MoG", Model: "DAC", Metric: "ARI", Paper: paper(0.9, 0.01), Note: notBuilt},
			partial,
			run("GFNCP", "ARI", paper(0.91, 0.02), ours(0.9099, 0.003)),
			{Data: "MoG", Model: "DAC", Metric: "MC"},
			run("NCP", "MC", paper(50.8, 7.1), ours(12345.6, 789)),
			run("GFNCP", "MC", paper(41.1, 19.8), ours(6.34, 1.05)),
			run("GFNCP", "MC_eps", nil, &Value{Mean: math.NaN()}),
		},
		Footnotes: []string{"Held-out sets: N = 100, seed 7."},
		Provenance: Provenance{
			Created: "2026-01-02T03:04:05Z", Commit: "0123abc", Machine: "2 cores, no accelerator",
		},
	}
}

// Every format gives the bytes of its golden file, by itself and in a folder that Write makes.
func TestGolden(t *testing.T) {
	table := sampleTable()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	must.M(sampleTable().Write(dir))
	for _, format := range Formats {
		var b bytes.Buffer
		must.M(format.Render(table, &b))
		name := "table3." + format.Extension
		path := filepath.Join("testdata", name)
		if *update {
			must.M(os.WriteFile(path, b.Bytes(), 0o666))
		}
		want := must.M1(os.ReadFile(path))
		if !bytes.Equal(b.Bytes(), want) || !bytes.Equal(must.M1(os.ReadFile(filepath.Join(dir, name))), want) {
			t.Errorf("%s differs from %s (go test ./internal/report/table -update rewrites it):\n%s", name, path, &b)
		}
	}
	if !reflect.DeepEqual(table.Cells[3], sampleTable().Cells[3]) {
		t.Error("rendering reordered the caller's cells")
	}
	file := filepath.Join(dir, "table3.txt")
	if err := sampleTable().Write(file); !usererr.Is(err) || !strings.Contains(err.Error(), file) {
		t.Errorf("a file as folder: %v", err)
	}
}

// A metric's name tells which values are better, also to sweeps, which choose the best setting.
func TestDirection(t *testing.T) {
	for metric, want := range map[string]int{"ARI greedy": 1, "log-prob": 1, "MC_last": -1, "KL a point": -1, "K": 0} {
		if got := Direction(metric); got != want {
			t.Errorf("%s: %d, want %d", metric, got, want)
		}
	}
}

func TestHostileNames(t *testing.T) {
	table := &Table{ID: "t", Title: "a\x1b[31m\nb", Cells: []Cell{
		{Data: "a|b\r\nc", Metric: `m_{\x}$&#%~^`, Model: "M", Note: "x\x00y"},
	}}
	var text, md, tex bytes.Buffer
	must.M(errors.Join(table.Text(&text), table.Markdown(&md), table.LaTeX(&tex)))
	if strings.ContainsAny(text.String(), "\x1b\r\x00") {
		t.Errorf("control characters reach the terminal: %q", text.String())
	}
	if !strings.Contains(md.String(), `| a\|b c |`) {
		t.Errorf("a bar breaks the Markdown row:\n%s", md.String())
	}
	want := `m\_\{\textbackslash{}x\}\$\&\#\%\textasciitilde{}\textasciicircum{}`
	if !strings.Contains(tex.String(), want) {
		t.Errorf("LaTeX lacks %s:\n%s", want, tex.String())
	}
}

// A table that cannot be named, or has a fault, and figures that would overwrite other files: nothing is written.
func TestWriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(*Table)
		figures []Figure
	}{
		"no id":            {func(x *Table) { x.ID = "" }, nil},
		"path":             {func(x *Table) { x.ID = "../t" }, nil},
		"duplicate":        {func(x *Table) { x.Cells = append(x.Cells, x.Cells[2]) }, nil},
		"no metric":        {func(x *Table) { x.Cells[0].Metric = "" }, nil},
		"figures twice":    {func(*Table) {}, []Figure{curveFigure("a"), curveFigure("a")}},
		"path of a figure": {func(*Table) {}, []Figure{curveFigure("../a")}},
		"figure.svg":       {func(*Table) {}, []Figure{curveFigure("bb.svg")}},
	} {
		table, dir := sampleTable(), t.TempDir()
		c.spoil(table)
		table.Figures = c.figures
		if err := table.Write(dir); !usererr.Is(err) || len(must.M1(os.ReadDir(dir))) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A model that only later data sets have stands behind the one that it follows there, and the others stay.
func TestLateModelsStandInPlace(t *testing.T) {
	of := func(byModel bool, data string, models ...string) (cells []Cell) {
		for i := range 2 * len(models) {
			metric, model := i/len(models), i%len(models)
			if byModel {
				metric, model = i%2, i/2
			}
			cells = append(cells, Cell{Data: data, Metric: []string{"NMI", "ARI"}[metric], Model: models[model]})
		}
		return cells
	}
	want := []string{"NCP", "NCP (walks)", "GFNCP", "late", "Oracle"}
	for _, byModel := range []bool{false, true} {
		cells := append(of(byModel, "MoG", "NCP", "GFNCP", "Oracle"),
			of(byModel, "MNIST", "NCP", "NCP (walks)", "GFNCP", "late")...)
		if heads := modelsOf((&Table{ID: "t", Cells: cells}).Ordered()); !slices.Equal(heads, want) {
			t.Errorf("by model %v: columns %q, want %q", byModel, heads, want)
		}
	}
}

func curveFigure(name string) Figure {
	return Figure{Name: name, Caption: "a line", Picture: figure.NewChart("t", "x", "y",
		figure.Series{Name: "a, b", X: []float64{1, 2}, Y: []float64{0.1, math.NaN()}})}
}

// A table's figures are written beside it, as pictures and as data, and its JSON names them.
func TestWriteFigures(t *testing.T) {
	dir := t.TempDir()
	made := &Table{ID: "t1", Cells: []Cell{{Data: "d", Model: "m", Metric: "x"}}}
	made.Figures = []Figure{curveFigure("one"), curveFigure("")}
	must.M(made.Write(dir))
	for _, name := range []string{"t1-one.svg", "t1-one.png", "t1-one.json", "t1-figure.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var data struct {
		Rows [][]any `json:"rows"`
	}
	must.M(json.Unmarshal(must.M1(os.ReadFile(filepath.Join(dir, "t1-one.json"))), &data))
	if len(data.Rows) != 2 || data.Rows[0][3] != 0.1 || data.Rows[1][3] != nil {
		t.Errorf("JSON rows %v", data.Rows)
	}
	read := must.M1(ReadJSON(must.M1(os.ReadFile(filepath.Join(dir, "t1.json")))))
	if len(read.Figures) != 2 || read.Figures[0] != (Figure{Name: "one", Caption: "a line", File: "t1-one"}) {
		t.Errorf("figures read back: %+v", read.Figures)
	}
}
