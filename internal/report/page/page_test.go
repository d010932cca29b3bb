package page

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
)

// writeSample writes a table with a figure.
func writeSample(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	made := &table.Table{ID: "table3", Title: "A <table>", Footnotes: []string{"see `gfncp list`"}, Cells: []table.Cell{
		{Data: "MoG", Metric: "NMI", Model: "NCP", Ours: &table.Value{Mean: 0.5}, Paper: &table.Value{Mean: 0.92}},
		{Data: "MoG", Metric: "NMI", Model: "DAC", Note: "not trained"},
	}}
	chart := figure.NewChart("t", "x", "y", figure.Series{Name: "s", X: []float64{1, 2}, Y: []float64{1, 2}})
	must.M(table.Write(dir, nil, made, table.Figure{Name: "one", Caption: "a line", Picture: chart}))
	return dir
}

// A page shows tables with the paper's numbers, figures and links, and says what is missing. It needs nothing else.
func TestPage(t *testing.T) {
	dir := writeSample(t)
	p := &Page{Title: "Results", Lead: "Made by `gfncp`.", Sections: []Section{
		{ID: "table3", Where: "section 5.3", Command: "gfncp reproduce table3"},
		{ID: "table4", Name: "ImageNet", Absent: "Not computed here."},
		{ID: "exactness", Name: "How close"},
	}}
	must.M(p.Sections[0].Read(dir, "data"))
	must.M(p.Sections[1].Read(dir, "data"))
	var b bytes.Buffer
	must.M(p.HTML(&b))
	for _, want := range []string{
		"Table 3: A &lt;table&gt;", "(0.92)", "not trained", `src="data:image/svg`, `href="data/table3.csv"`,
		"see <code>gfncp list</code>", "Table 4: ImageNet", "Not computed here.", ">How close<",
		`class="number bad"`, "a line",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, outside := range []string{"<script", "http://", "https://", "<link"} {
		if strings.Contains(b.String(), outside) {
			t.Errorf("the page holds %q", outside)
		}
	}
}

// A broken table and a figure that is missing are faults that name the file.
func TestReadFaults(t *testing.T) {
	dir := writeSample(t)
	must.M(os.Remove(filepath.Join(dir, "table3-one.svg")))
	s := Section{ID: "table3"}
	if must.M(s.Read(dir, ".")); !bytes.HasPrefix(s.Figures[0].Data, []byte("\x89PNG")) {
		t.Error("a figure without an SVG is not its PNG")
	}
	must.M(os.Remove(filepath.Join(dir, "table3-one.png")))
	if err := s.Read(dir, "."); !usererr.Is(err) || !strings.Contains(err.Error(), "table3-one") {
		t.Errorf("a missing figure: %v", err)
	}
	path := filepath.Join(dir, "table3.json")
	must.M(os.WriteFile(path, []byte("{"), 0o644))
	if err := s.Read(dir, "."); !usererr.Is(err) || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken table: %v", err)
	}
}
