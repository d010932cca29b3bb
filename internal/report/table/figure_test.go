package table_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
)

func curveFigure(name string) table.Figure {
	return table.Figure{Name: name, Caption: "a line", Picture: figure.NewChart("t", "x", "y",
		figure.Series{Name: "a, b", X: []float64{1, 2}, Y: []float64{0.1, math.NaN()}})}
}

// A table's figures are written beside it, as pictures and as data, and its JSON names them.
func TestWriteFigures(t *testing.T) {
	dir := t.TempDir()
	made := &table.Table{ID: "t1", Cells: []table.Cell{{Data: "d", Model: "m", Metric: "x"}}}
	must.M(table.Write(dir, nil, made, curveFigure("one"), curveFigure("")))
	for _, name := range []string{"t1-one.svg", "t1-one.png", "t1-one.csv", "t1-one.json", "t1-figure.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	text := string(must.M1(os.ReadFile(filepath.Join(dir, "t1-one.csv"))))
	if text != "panel,series,x,y\ny,\"a, b\",1,0.1\ny,\"a, b\",2,NaN\n" {
		t.Errorf("CSV %q", text)
	}
	var data struct {
		Rows [][]any `json:"rows"`
	}
	must.M(json.Unmarshal(must.M1(os.ReadFile(filepath.Join(dir, "t1-one.json"))), &data))
	if len(data.Rows) != 2 || data.Rows[0][3] != 0.1 || data.Rows[1][3] != nil {
		t.Errorf("JSON rows %v", data.Rows)
	}
	read := must.M1(table.ReadJSON(bytes.NewReader(must.M1(os.ReadFile(filepath.Join(dir, "t1.json"))))))
	if len(read.Figures) != 2 || read.Figures[0] != (table.FigureRef{Name: "one", Caption: "a line", File: "t1-one"}) {
		t.Errorf("figures read back: %+v", read.Figures)
	}
}

// Two figures of one name, or a name with a path in it, would overwrite other files: nothing is written.
func TestFigureNames(t *testing.T) {
	made := &table.Table{ID: "t1", Cells: []table.Cell{{Data: "d", Model: "m", Metric: "x"}}}
	for _, names := range [][]string{{"a", "a"}, {"../a"}, {strings.Repeat("b", 2) + ".svg"}} {
		dir := t.TempDir()
		var figures []table.Figure
		for _, name := range names {
			figures = append(figures, curveFigure(name))
		}
		if err := table.Write(dir, nil, made, figures...); !usererr.Is(err) || len(must.M1(os.ReadDir(dir))) > 0 {
			t.Errorf("names %q gave %v", names, err)
		}
	}
}
