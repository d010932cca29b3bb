package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// pageView is what the template shows, beside what the page itself holds. Texts are cleaned and escaped there.
type pageView struct {
	*Page
	Style       template.CSS
	Facts       []Fact
	Summary     *summary
	Parts       []partView
	Runs        []runView
	Environment []Fact
}

// partView is a part of the page: the paper's results, or those beyond it.
type partView struct {
	ID, Title string
	Sections  []sectionView
}

type sectionView struct {
	*Section
	Label, Title string
	FiguresFirst bool // it is a figure of the paper
	Figures      []figureView

	Grid *table.Pivot // of the table, as the rest; nil if not computed
	Ways table.WayTable
}

type runView struct {
	Run
	Figures []figureView
}

func (p *Page) view() (*pageView, error) {
	v := &pageView{
		Page: p, Style: template.CSS(pageStyle), Facts: p.facts(), Summary: p.summary(),
		Parts: []partView{
			{ID: "paper", Title: "Tables and figures of the paper"}, {ID: "beyond", Title: "Beyond the paper"},
		},
		Environment: cleanFacts(p.Environment),
	}
	for i := range p.Sections {
		s, err := p.Sections[i].view()
		if err != nil {
			return nil, err
		}
		part := &v.Parts[0]
		if s.Beyond {
			part = &v.Parts[1]
		}
		part.Sections = append(part.Sections, s)
	}
	v.Parts = slices.DeleteFunc(v.Parts, func(part partView) bool { return len(part.Sections) == 0 })
	for _, r := range p.Runs {
		run := runView{Run: r}
		for _, c := range r.Curves {
			data, err := plot.Render(c, "svg")
			if err != nil {
				return nil, fmt.Errorf("learning curves of %s: %w", r.Name, err)
			}
			f, err := newFigureView(Figure{Caption: r.Name + ": " + c.Title, Data: data})
			if err != nil {
				return nil, err
			}
			run.Figures = append(run.Figures, f)
		}
		v.Runs = append(v.Runs, run)
	}
	return v, nil
}

func (s *Section) view() (sectionView, error) {
	v := sectionView{Section: s, Label: sectionLabel(s.ID), Title: s.title()}
	v.FiguresFirst = strings.HasPrefix(v.Label, "Figure")
	for _, f := range s.Figures {
		figure, err := newFigureView(f)
		if err != nil {
			return v, fmt.Errorf("figure %s of %s: %w", f.Name, s.ID, err)
		}
		v.Figures = append(v.Figures, figure)
	}
	if s.Table != nil {
		v.Grid, v.Ways = s.Table.Pivot(), s.Table.Ways()
	}
	return v, nil
}

func (s *Section) title() string {
	if s.Table != nil && text.Clean(s.Table.Title) != "" {
		return text.Clean(s.Table.Title)
	}
	return text.Clean(s.Title)
}

// sectionLabel is "Table 3" for table3, and "" for an ID that the paper does not number.
func sectionLabel(id string) string {
	for _, kind := range []string{"table", "figure"} {
		number, found := strings.CutPrefix(id, kind)
		if found && number != "" && !strings.ContainsFunc(number, func(r rune) bool { return !unicode.IsDigit(r) }) {
			return strings.ToUpper(kind[:1]) + kind[1:] + " " + number
		}
	}
	return ""
}

// facts is what the head of the page says about all results.
func (p *Page) facts() []Fact {
	var days, commits, machines, backends []string
	computed := 0
	for _, s := range p.Sections {
		if s.Table == nil {
			continue
		}
		computed++
		days = text.AppendNew(days, day(s.Table.Provenance.Created))
		commits = text.AppendNew(commits, s.Table.Provenance.Commit)
		machines = text.AppendNew(machines, s.Table.Provenance.Machine)
		for _, c := range s.Table.Cells {
			if c.Ours != nil {
				backends = text.AppendNew(backends, c.Backend)
			}
		}
	}
	return cleanFacts([]Fact{
		{"Scale", p.Scale},
		{"Tables and figures", fmt.Sprintf("%d of %d", computed, len(p.Sections))},
		{"Date", span(days)},
		{"Commit", first(commits)},
		{"Backend", first(backends)},
		{"Machine", first(machines)},
	})
}

// day is the date of an RFC 3339 time; other texts stay as they are.
func day(created string) string {
	if t, err := time.Parse(time.RFC3339, created); err == nil {
		return t.Format(time.DateOnly)
	}
	return text.Clean(created)
}

// span is the first and last of some dates.
func span(days []string) string {
	days = text.CleanAll(days)
	if len(days) == 0 {
		return ""
	}
	first, last := slices.Min(days), slices.Max(days)
	if first == last {
		return first
	}
	return first + " to " + last
}

// first is the first of the known texts, with the number of the others.
func first(all []string) string {
	all = text.CleanAll(all)
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return fmt.Sprintf("%s and %d more", all[0], len(all)-1)
}

// cleanFacts leaves out what has no value.
func cleanFacts(facts []Fact) []Fact {
	var known []Fact
	for _, f := range facts {
		if f = (Fact{text.Clean(f.Name), text.Clean(f.Value)}); f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

// piece is a part of a text, plain or in the typeface of code.
type piece struct {
	Text string
	Code bool
}

// prose cuts a text at its backquotes. One without a partner stays a character.
func prose(s string) (pieces []piece) {
	for s = text.Clean(s); s != ""; {
		before, rest, opened := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			return append(pieces, piece{Text: s})
		}
		if before != "" {
			pieces = append(pieces, piece{Text: before})
		}
		pieces, s = append(pieces, piece{code, true}), after
	}
	return pieces
}
