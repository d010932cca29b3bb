package table

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/gfncp/gfncp/internal/text"
)

// markup is how a rendering writes text and numbers, and the signs around a number of ours.
type markup struct {
	text, number      func(string) string
	best, apart, mark string // best and mark are formats
	repeatNames       bool   // the data set stands in every row, not only in the first of its block
}

// document is what the renderings for readers show, in this order.
type document struct {
	ID             string
	Title, Caption string
	Pivot          grid
	Notes, Signs   []string
	Ways           grid
	Remarks        []string
}

// parse reads the template of a document, whose actions stand between << and >>.
func parse(source string) *template.Template {
	return template.Must(template.New("").Delims("<<", ">>").Funcs(template.FuncMap{
		"clean":    text.Clean,
		"letter":   MarkLetter,
		"label":    func(id string) string { return unlabel.ReplaceAllString(id, "-") },
		"sentence": sentence,
	}).Parse(source))
}

func (t *Table) document(m markup) document {
	p, ways := t.Pivot(), t.Ways()
	all := func(lines []string) []string {
		out := make([]string, len(lines))
		for i, s := range lines {
			out[i] = m.text(s)
		}
		return out
	}
	return document{
		t.ID, m.text(text.Clean(t.Title)), m.text(text.Clean(t.Caption)),
		p.grid(m), all(p.Notes), all(p.signs(ways)), ways.grid(m), all(t.remarks()),
	}
}

// grid is a table of texts, in the markup of its rendering. Its first columns hold names.
type grid struct {
	Heads []WayHead
	names int
	Rows  []row
	Ruled []bool // [rows] a rule stands above
}

type row []field

// Texts are the fields, each with what stands beside it.
func (r row) Texts() []string {
	all := make([]string, len(r))
	for i, f := range r {
		all[i] = f.text + f.beside
	}
	return all
}

// field is a text with the paper's number, if there is one, beside it.
type field struct {
	text, beside string
	entry        Entry // of a pivot
}

// grid writes ours with the paper's number in brackets.
func (p *Pivot) grid(m markup) grid {
	g := grid{Heads: []WayHead{{Name: "Data"}, {Name: m.text(p.Corner)}}, names: 2}
	for _, h := range p.Heads {
		g.Heads = append(g.Heads, WayHead{m.text(withArrow(h.Name, h.Arrow)), true})
	}
	for _, b := range p.Blocks {
		for i, r := range b.Rows {
			fields := row{{}, {text: m.text(withArrow(r.Name, r.Arrow))}}
			if i == 0 || m.repeatNames {
				fields[0].text = m.text(b.Name)
			}
			for _, e := range r.Entries {
				fields = append(fields, m.field(e))
			}
			g.Ruled = append(g.Ruled, i == 0 && (!p.Flat || len(g.Rows) == 0))
			g.Rows = append(g.Rows, fields)
		}
	}
	return g
}

func withArrow(name, arrow string) string { return strings.TrimSpace(name + " " + arrow) }

func (m markup) field(e Entry) field {
	f := field{entry: e}
	if e.Cell == nil {
		return f
	}
	if f.text = m.text(e.Ours); !e.Missing {
		f.text = m.number(e.Ours)
	}
	if e.Best {
		f.text = fmt.Sprintf(m.best, f.text)
	}
	if e.Apart {
		f.text += m.apart
	}
	if e.Mark != "" {
		f.text += fmt.Sprintf(m.mark, e.Mark)
	}
	if e.Paper != "" {
		f.beside = " (" + m.number(e.PaperMean()) + ")"
	}
	return f
}

func (w WayTable) grid(m markup) grid {
	g := grid{names: 1, Ruled: make([]bool, len(w.Rows))}
	for _, h := range w.Heads {
		g.Heads = append(g.Heads, WayHead{m.text(h.Name), h.Number})
	}
	for i, texts := range w.Rows {
		g.Ruled[i] = i == 0
		fields := make(row, len(texts))
		for j, s := range texts {
			fields[j].text = m.text(s)
		}
		g.Rows = append(g.Rows, fields)
	}
	return g
}
