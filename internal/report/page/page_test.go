package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// manyModels has more models than fit side by side.
func manyModels() *table.Table {
	t := &table.Table{ID: "ablation", Title: "Weights", Cells: []table.Cell{}}
	for i := range 12 {
		for _, metric := range []string{"NMI", "E[K]"} {
			t.Cells = append(t.Cells, table.Cell{
				Data: "MoG", Model: fmt.Sprintf("λ = %d", i), Metric: metric, Ours: &table.Value{
					Mean: 0.5 + float64(i)/100,
					N:    1,
				}, Seeds: []uint64{1},
			})
		}
	}
	return t
}

// samplePage has every kind of part: tables of both orientations, figures, gaps, runs.
func samplePage() *Page {
	svg := must.M1(plot.Render(lineFigure("one").Picture.(*plot.Curve), "svg"))
	return &Page{
		Title: "All results", Lead: "Made by `gfncp`.", Scale: "small",
		Sections: []Section{
			{
				ID: "table3", Where: "section 5.3", Command: "gfncp reproduce table3 --scale small",
				Table: paperTable(), KeyMetrics: []string{"NMI", "ARI"},
				Files: []Link{{"CSV", "table3.csv"}},
			},
			{
				ID: "table4", Title: "ImageNet", Absent: "Not computed here: run `gfncp reproduce table4`.",
				KeyMetrics: []string{"NMI", "ARI"},
			},
			{
				ID: "ablation", Beyond: true, Table: manyModels(),
				Figures: []Figure{{
					Name: "one", Caption: "a line", Data: svg, Files: []Link{{"SVG", "ablation-one.svg"}},
				}},
			},
		},
		Runs: []Run{{
			Name: "mog-gfncp", Details: "2 runs",
			Curves: []*plot.Curve{{
				Title: "Validation loss", XLabel: "step", YLabel: "loss",
				Series: []plot.Series{{Name: "seed 1", Steps: []int{1, 2}, Values: []float64{2, 1}}},
			}},
		}},
		RunsNote: "From `runs`.", Environment: []Fact{{"backend", "go"}},
	}
}

// refused is what the template engine makes of a link that would run a script.
const refused = "#ZgotmplZ"

// markup writes the page and holds it to what every page must be: well-formed, and in need of nothing but itself.
func markup(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	must.M(p.HTML(&b))
	text := b.String()
	decoder := xml.NewDecoder(&b)
	ids, targets := map[string]bool{}, []string{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch element.Name.Local {
		case "script", "link", "iframe", "object", "embed", "base", "form":
			t.Errorf("the page holds a %s", element.Name.Local)
		}
		for _, a := range element.Attr {
			switch name := strings.ToLower(a.Name.Local); {
			case name == "id" && ids[a.Value]:
				t.Errorf("id %q comes twice", a.Value)
			case name == "id":
				ids[a.Value] = true
			case name == "src" && !strings.HasPrefix(a.Value, "data:image/"),
				name == "srcset", strings.HasPrefix(name, "on"):
				t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
			case name == "href" && strings.HasPrefix(a.Value, "#") && a.Value != refused:
				targets = append(targets, a.Value[1:])
			}
		}
	}
	for _, target := range targets {
		if !ids[target] {
			t.Errorf("a link leads to #%s, which is not there", target)
		}
	}
	for _, bad := range []string{"http:", "https:", "@import", "url(", "ZgotmplZ"} {
		if strings.Contains(strings.ReplaceAll(text, `href="`+refused+`"`, ""), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	return text
}

// Every number of the tables is in the page, as the other renderings print it; the same page has the same bytes.
func TestPageHoldsEveryCell(t *testing.T) {
	page := markup(t, samplePage())
	if page != markup(t, samplePage()) {
		t.Error("a second writing differs from the first")
	}
	for _, section := range samplePage().Sections {
		if section.Table == nil {
			continue
		}
		for _, c := range section.Table.Cells {
			tip := html.EscapeString(c.Tip())
			_, cell, found := strings.Cut(page[strings.Index(page, `<section id="`+section.ID):], `title="`+tip+`"`)
			cell, _, _ = strings.Cut(cell, "</td>")
			cell = strings.ReplaceAll(strings.ReplaceAll(html.UnescapeString(cell), ` <span class="std">`, " "),
				"</span></span>", "</span>")
			if !found {
				t.Errorf("no cell with the tip %q", tip)
			}
			for _, want := range []string{table.FormatValue(c.Metric, c.Ours,
				false), table.FormatValue(c.Metric, c.Paper, true), table.FormatDifference(&c)} {
				if want != text.Dash && !strings.Contains(cell, ">"+want+"<") {
					t.Errorf("the cell %q lacks %q: %s", tip, want, cell)
				}
			}
			if c.Ours == nil && c.Note != "" && !strings.Contains(cell, c.Note) {
				t.Errorf("the cell %q does not say %q", tip, c.Note)
			}
		}
	}
}

// The parts that are not cells: states, commands, links, pictures.
func TestPageParts(t *testing.T) {
	page := strings.ReplaceAll(markup(t, samplePage()), "&#43;", "+")
	for id, wants := range map[string][]string{
		"table3": {
			`<span class="label">Table 3.</span>`, "section 5.3", "gfncp reproduce table3 --scale small",
			`href="table3.csv"`, "<sup>a</sup> 1 of 3 seeds",
		},
		"table4": {"ImageNet", "Not computed here: run <code>gfncp reproduce table4</code>."},
		"ablation": {
			`<img src="data:image/svg+xml;base64,`, `alt="a line" width="576" height="432" loading="lazy"`,
			`href="ablation-one.svg"`,
		},
		"runs":        {"mog-gfncp", "2 runs", `<img src="data:image/svg+xml;base64,`},
		"environment": {"<dt>backend</dt><dd>go</dd>"},
	} {
		_, part, found := strings.Cut(page, `<section id="`+id+`"`)
		part, _, _ = strings.Cut(part, `<section id=`)
		for _, want := range wants {
			if !found || !strings.Contains(part, want) {
				t.Errorf("section %s lacks %q:\n%s", id, want, part)
			}
		}
	}
	for _, want := range []string{
		`<div><dt>Tables and figures</dt><dd>2 of 3</dd></div>`,
		`<a href="#table4" class="absent" title="not computed">`, "prefers-color-scheme: dark",
		"@media print", "default-src 'none'",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Text from files stays text, whatever it holds.
func TestPageEscapes(t *testing.T) {
	const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)> & ` + "\x1b[31m`</code><b>`]]>"
	p := samplePage()
	p.Title, p.Lead, p.Scale, p.RunsNote = evil, evil, evil, evil
	p.Environment = []Fact{{evil, evil}}
	p.Runs[0].Name, p.Runs[0].Details = evil, evil
	p.Runs[0].Curves[0].Title, p.Runs[0].Curves[0].Series[0].Name = evil, evil
	for i := range p.Sections {
		s := &p.Sections[i]
		s.Title, s.Where, s.Command, s.Absent = evil, evil, evil, evil
		s.Files = []Link{{evil, "javascript:alert(1)"}, {evil, evil}}
		for j := range s.Figures {
			s.Figures[j].Name, s.Figures[j].Caption, s.Figures[j].Files = evil, evil, s.Files
		}
		if s.Table == nil {
			continue
		}
		s.Table.Title, s.Table.Caption, s.Table.Footnotes, s.Table.Provenance = evil,
			evil, []string{evil}, table.Provenance{Created: evil, Commit: evil, Machine: evil}
		for j := range s.Table.Cells {
			c := &s.Table.Cells[j]
			c.Data, c.Model, c.Metric = evil+c.Data, evil+c.Model, c.Metric+evil
			c.Note, c.Scale, c.Backend, c.Selection = evil, evil, evil, evil
		}
	}
	page := markup(t, p)
	for _, bad := range []string{"<script", "<img src=x", "javascript:", "\x1b", "</code><b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

// The sentence over the summary counts each cell that the paper has once.
func TestSummaryCounts(t *testing.T) {
	std := 0.02
	cell := func(model string, ours float64) table.Cell {
		return table.Cell{
			Data: "d", Model: model, Metric: "NMI", Paper: &table.Value{Mean: 0.9, Std: &std},
			Ours: &table.Value{Mean: ours},
		}
	}
	absent := cell("e", 0)
	absent.Ours = nil
	other := cell("f", 0.1)
	other.Paper = nil
	standIn := cell("g", 0.95)
	standIn.Incomparable = true
	p := &Page{Sections: []Section{{
		ID: "table2", KeyMetrics: []string{"NMI"},
		Table: &table.Table{ID: "table2", Cells: []table.Cell{
			cell("a", 0.91), cell("b", 0.8999), cell("c", 0.89), cell("d", 0.7), absent, other, standIn,
		}},
	}}}
	s := p.summary()
	const want = "4 comparisons: 2 at least as good as printed in the paper, " +
		"1 lower by at most its standard deviation, 1 lower by more; 1 on other data, not compared; 1 not computed."
	if s.Counts != want {
		t.Errorf("counts: %s", s.Counts)
	}
	entries := s.Tables[0].Blocks[0].Rows[0].Entries
	if len(entries) != 6 || *barOf(entries[0]) != (bar{91, 90}) || barOf(entries[4]) != nil ||
		barOf(entries[5]) != nil ||
		!entries[5].Apart || entries[5].Good {
		t.Errorf("entries: %+v", entries)
	}
}

// A section read from a folder is what Write wrote there, with links to the files that exist, from where the page
// lies.
func TestReadSection(t *testing.T) {
	dir := t.TempDir()
	made := paperTable()
	must.M(table.Write(dir, nil, made, lineFigure("one"), lineFigure("two")))
	s := Section{ID: "table3"}
	must.M(s.Read(dir, "../my results#1"))
	if s.Table == nil || len(s.Table.Cells) != len(made.Cells) || len(s.Figures) != 2 ||
		s.Figures[1].Caption != "a line" {
		t.Fatalf("read %+v", s)
	}
	if len(s.Files) != 5 || s.Files[0] != (Link{"TXT", "../my%20results%231/table3.txt"}) ||
		len(s.Figures[0].Files) != 4 {
		t.Errorf("files %v, %v", s.Files, s.Figures[0].Files)
	}
	if want := must.M1(os.ReadFile(filepath.Join(dir, "table3-one.svg"))); !bytes.Equal(s.Figures[0].Data, want) {
		t.Error("the figure is not its SVG")
	}
	missing := Section{ID: "table9"}
	if err := missing.Read(dir, ""); err != nil || missing.Table != nil {
		t.Errorf("a table that is not there: %v", err)
	}
	must.M(os.WriteFile(filepath.Join(dir, "table9.json"), []byte("{"), 0o644))
	if err := missing.Read(dir, ""); !usererr.Is(err) ||
		!strings.Contains(err.Error(), filepath.Join(dir, "table9.json")) {
		t.Errorf("a broken table: %v", err)
	}
	must.M(os.Remove(filepath.Join(dir, "table3-one.svg")))
	bitmap := Section{ID: "table3"}
	must.M(bitmap.Read(dir, ""))
	if want := must.M1(os.ReadFile(filepath.Join(dir, "table3-one.png"))); !bytes.Equal(bitmap.Figures[0].Data, want) {
		t.Error("without its SVG the figure is not its PNG")
	}
	must.M(os.Remove(filepath.Join(dir, "table3-one.png")))
	if err := (&Section{ID: "table3"}).Read(dir, ""); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "table3-one.svg") {
		t.Errorf("a missing figure: %v", err)
	}
	path := filepath.Join(dir, "table3.json")
	text := must.M1(os.ReadFile(path))
	must.M(os.WriteFile(filepath.Join(dir, "table3-one.svg"), s.Figures[0].Data, 0o644))
	for _, name := range []string{"../table3-two", "sub/table3-two", "..", ""} {
		must.M(os.WriteFile(path, bytes.ReplaceAll(text, []byte(`"table3-two"`), []byte(`"`+name+`"`)), 0o644))
		if err := (&Section{ID: "table3"}).Read(dir, ""); !usererr.Is(err) ||
			!strings.Contains(err.Error(), "no file name") {
			t.Errorf("a figure called %q: %v", name, err)
		}
	}
}

// Pictures of a table that names none are found in a folder whatever its name.
func TestReadOldSectionInBrackets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my [results]*")
	must.M(os.Mkdir(dir, 0o755))
	must.M(table.Write(dir, nil, paperTable(), lineFigure("one")))
	path := filepath.Join(dir, "table3.json")
	var old map[string]any
	must.M(json.Unmarshal(must.M1(os.ReadFile(path)), &old))
	delete(old, "figures")
	must.M(os.WriteFile(path, must.M1(json.Marshal(old)), 0o644))
	s := Section{ID: "table3"}
	must.M(s.Read(dir, ""))
	if len(s.Table.Figures) != 0 || len(s.Figures) != 1 || s.Figures[0].Name != "one" {
		t.Errorf("it names %v and shows %v", s.Table.Figures, s.Figures)
	}
}

// A vector picture of very many points gives way to its smaller PNG.
func TestReadLargeFigure(t *testing.T) {
	dir := t.TempDir()
	must.M(table.Write(dir, nil, paperTable(), lineFigure("one")))
	path := filepath.Join(dir, "table3-one.svg")
	must.M(os.WriteFile(path, append(must.M1(os.ReadFile(path)), bytes.Repeat([]byte("<!-- -->"), largestSVG/8)...),
		0o644))
	s := Section{ID: "table3"}
	must.M(s.Read(dir, ""))
	page := markup(t, &Page{Sections: []Section{s}})
	m := regexp.MustCompile(`src="data:image/png;base64,([^"]+)" alt="a line" width="1200" height="900"`).
		FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page does not show the PNG")
	}
	shown := must.M1(base64.StdEncoding.DecodeString(html.UnescapeString(m[1])))
	if !bytes.Equal(shown, must.M1(os.ReadFile(filepath.Join(dir, "table3-one.png")))) {
		t.Error("the PNG in the page is another one")
	}
}

// What is no picture is refused, not embedded.
func TestPageRefusesOtherFiles(t *testing.T) {
	for _, data := range []string{
		"", "text", "<html/>", "<svg/>", `<svg width="-1" height="3"/>`, "\x89PNG\r\n\x1a\n",
	} {
		p := &Page{Sections: []Section{{ID: "t", Figures: []Figure{{Name: "f", Data: []byte(data)}}}}}
		if err := p.HTML(io.Discard); err == nil {
			t.Errorf("%q was taken for a picture", data)
		}
	}
}

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "a `b` c": "a [b] c", "`b`": "[b]", "a `b": "a `b", "`a` `b": "[a] `b",
	} {
		got := ""
		for _, p := range prose(in) {
			if p.Code {
				got += "[" + p.Text + "]"
			} else {
				got += p.Text
			}
		}
		if got != want {
			t.Errorf("prose(%q) = %q, want %q", in, got, want)
		}
	}
}

// paperTable is the table that the goldens of package table show.
func paperTable() *table.Table {
	return must.M1(table.ReadJSON(bytes.NewReader(must.M1(os.ReadFile(filepath.Join("..", "table", "testdata",
		"table3.json"))))))
}

func lineFigure(name string) table.Figure {
	return table.Figure{Name: name, Caption: "a line", Picture: &plot.Curve{
		Title: "t", XLabel: "x", YLabel: "y", Series: []plot.Series{{
			Name: "a, b", Steps: []int{1, 2},
			Values: []float64{0.1, math.NaN()},
		}},
	}}
}
