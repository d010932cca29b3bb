// Package page writes one HTML file of all results: tables and figures beside the paper's numbers.
package page

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/web"
)

// Page is one HTML file of results. It needs no network, no script and no other file; only the links to the data lead
// beside it. In Lead and the sections' Absent, words in backquotes are shown as code.
type Page struct {
	Title    string
	Lead     string // a sentence or two below the title
	Sections []Section
}

// Section is a table or figure with all that belongs to it. Read sets Table, Figures and Files.
type Section struct {
	ID      string // of the table; also the anchor in the page
	Name    string // shown while there is no table, which has its own title
	Where   string // in the paper, for example "section 5.3"
	Command string // makes the table
	Absent  string // said in place of a missing table

	Table   *table.Table // nil: not computed
	Figures []Figure
	Files   []Link
}

// Figure is a picture with its caption.
type Figure struct {
	Caption string
	Data    []byte // an SVG or PNG file
	Files   []Link
}

// Link leads to a file beside the page.
type Link struct{ Text, Target string }

//go:embed page.html.tmpl
var source string

//go:embed page.css
var style string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"prose":  prose,
	"clean":  text.Clean,
	"letter": table.MarkLetter,
	"policy": func() string { return web.Policy(nil) },
	"style":  func() template.CSS { return template.CSS(web.Style + style) },
}).Parse(source))

// HTML writes the page. The same page gives the same bytes.
func (p *Page) HTML(w io.Writer) error {
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write the page of results: %w", err)
	}
	return nil
}

// Save writes the page to path; the file is replaced as a whole.
func (p *Page) Save(path string) error { return table.WriteRendered(path, p.HTML) }

// Title is that of the table, with "Table 3:" before it for table3.
func (s Section) Title() string {
	title := s.Name
	if s.Table != nil && text.Clean(s.Table.Title) != "" {
		title = s.Table.Title
	}
	title = text.Clean(title)
	if number := label(s.ID); number != "" {
		return number + ": " + title
	}
	return title
}

// label is "Table 3" for table3, and "" for an ID that the paper does not number.
func label(id string) string {
	for _, kind := range []string{"table", "figure"} {
		number, found := strings.CutPrefix(id, kind)
		if found && number != "" && !strings.ContainsFunc(number, func(r rune) bool { return !unicode.IsDigit(r) }) {
			return strings.ToUpper(kind[:1]) + kind[1:] + " " + number
		}
	}
	return ""
}

// Source is the picture as a URL of the page's own.
func (f Figure) Source() template.URL {
	kind := "image/svg+xml"
	if http.DetectContentType(f.Data) == "image/png" {
		kind = "image/png"
	}
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(f.Data))
}

var code = regexp.MustCompile("`([^`]*)`")

// prose is text in which backquotes mark code.
func prose(words string) template.HTML {
	var b bytes.Buffer
	template.HTMLEscape(&b, []byte(text.Clean(words)))
	return template.HTML(code.ReplaceAllString(b.String(), "<code>$1</code>"))
}
