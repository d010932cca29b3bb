// Package page writes one HTML file of all results: tables, figures, learning curves and the environment.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// Page is one HTML file of all results: a summary of the key numbers, a section for each table or figure, learning
// curves and the environment. It needs no network, no script and no other file; only the links to the data lead beside
// it. In Lead, RunsNote and the sections' Absent, words in backquotes are shown as code.
type Page struct {
	Title       string
	Lead        string // a sentence or two below the title
	Scale       string // of the results, for example "small"
	Sections    []Section
	Runs        []Run  // learning curves
	RunsNote    string // said above them, or in their place
	Environment []Fact // the program and the machine that wrote the page
}

// Fact is a name with its value.
type Fact struct{ Name, Value string }

// Section is a table or figure with all that belongs to it. Read sets Table, Figures and Files.
type Section struct {
	ID      string // of the table; also the anchor in the page
	Title   string // shown while there is no table, which has its own
	Where   string // in the paper, for example "section 5.3"
	Beyond  bool   // not in the paper
	Command string // makes the table
	Absent  string // said in place of a missing table
	// metrics of the summary, for the cells that the paper has too; empty: the summary passes the table over
	KeyMetrics []string

	Table   *table.Table // nil: not computed
	Figures []Figure
	Files   []Link
}

// Figure is a picture with its caption.
type Figure struct {
	Name, Caption string
	Data          []byte // an SVG or PNG file
	Files         []Link
}

// Link leads to a file beside the page.
type Link struct{ Text, Target string }

// Run is a group of training runs with its learning curves.
type Run struct {
	Name, Details string
	Curves        []*plot.Curve
}

//go:embed page.html.tmpl
var pageSource string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"prose":    prose,
	"clean":    text.Clean,
	"cleanAll": text.CleanAll,
	"letter":   table.MarkLetter,
	"bar":      barOf,
}).Parse(pageSource))

// HTML writes the page. The same page gives the same bytes, and they are well-formed XML too. It fails on a curve that
// cannot be drawn and on a figure that is neither SVG nor PNG.
func (p *Page) HTML(w io.Writer) error {
	view, err := p.view()
	if err != nil {
		return err
	}
	if err := pageTemplate.Execute(w, view); err != nil {
		return fmt.Errorf("write the page of results: %w", err)
	}
	return nil
}

// Save writes the page to path; the file is replaced as a whole. Errors as for HTML.
func (p *Page) Save(path string) error { return table.WriteRendered(path, p.HTML) }
