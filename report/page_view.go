package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode"
)

// pageView is what the template shows. Texts are plain and escaped by it.
type pageView struct {
	Title, Lead string
	Style       template.CSS
	Facts       []Fact
	Summary     *pageSummary
	Parts       []partView
	Runs        []runView
	RunsNote    string
	Environment []Fact
}

// partView is a part of the page: the paper's results, or those beyond it.
type partView struct {
	ID, Title string
	Sections  []sectionView
}

type sectionView struct {
	ID, Label, Title, Where, Caption string
	Command, Absent                  string
	Computed                         bool
	FiguresFirst                     bool // it is a figure of the paper
	Grid                             grid
	Notes                            []noteView
	Remarks                          []string
	Ways                             wayTable
	Provenance                       string
	Figures                          []figureView
	Files                            []PageLink
}

type noteView struct{ Mark, Text string }

type runView struct {
	Name, Details string
	Figures       []figureView
}

func (p *Page) view() (*pageView, error) {
	v := &pageView{
		Title: clean(p.Title), Lead: clean(p.Lead), Style: template.CSS(pageStyle), Facts: p.facts(), Summary: p.summary(),
		RunsNote: clean(p.RunsNote), Environment: cleanFacts(p.Environment),
		Parts: []partView{{ID: "paper", Title: "Tables and figures of the paper"}, {ID: "beyond", Title: "Beyond the paper"}},
	}
	for i := range p.Sections {
		s, err := p.Sections[i].view()
		if err != nil {
			return nil, err
		}
		part := &v.Parts[0]
		if p.Sections[i].Beyond {
			part = &v.Parts[1]
		}
		part.Sections = append(part.Sections, s)
	}
	v.Parts = slices.DeleteFunc(v.Parts, func(part partView) bool { return len(part.Sections) == 0 })
	for _, r := range p.Runs {
		run := runView{Name: clean(r.Name), Details: clean(r.Details)}
		for _, c := range r.Curves {
			data, err := render(c, "svg")
			if err != nil {
				return nil, fmt.Errorf("learning curves of %s: %w", r.Name, err)
			}
			f, err := newFigureView(PageFigure{Caption: r.Name + ": " + c.Title, Data: data})
			if err != nil {
				return nil, err
			}
			run.Figures = append(run.Figures, f)
		}
		v.Runs = append(v.Runs, run)
	}
	return v, nil
}

func (s *PageSection) view() (sectionView, error) {
	v := sectionView{
		ID: s.ID, Label: sectionLabel(s.ID), Title: s.title(), Where: clean(s.Where), Command: clean(s.Command),
		Files: cleanLinks(s.Files),
	}
	v.FiguresFirst = strings.HasPrefix(v.Label, "Figure")
	for _, f := range s.Figures {
		figure, err := newFigureView(f)
		if err != nil {
			return v, fmt.Errorf("figure %s of %s: %w", f.Name, s.ID, err)
		}
		v.Figures = append(v.Figures, figure)
	}
	if s.Table == nil {
		v.Absent = clean(s.Absent)
		return v, nil
	}
	var l layout
	v.Computed, v.Caption, v.Grid = true, clean(s.Table.Caption), s.Table.grid(&l)
	for i, note := range l.notes {
		v.Notes = append(v.Notes, noteView{markLetter(i), note})
	}
	v.Remarks, v.Ways, v.Provenance = cleanAll(s.Table.Footnotes), s.Table.ways(), s.Table.Provenance.line()
	return v, nil
}

func (s *PageSection) title() string {
	if s.Table != nil && clean(s.Table.Title) != "" {
		return clean(s.Table.Title)
	}
	return clean(s.Title)
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
		days = appendNew(days, day(s.Table.Provenance.Created))
		commits = appendNew(commits, s.Table.Provenance.Commit)
		machines = appendNew(machines, s.Table.Provenance.Machine)
		for _, c := range s.Table.Cells {
			if c.Ours != nil {
				backends = appendNew(backends, c.Backend)
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
	return clean(created)
}

// span is the first and last of some dates.
func span(days []string) string {
	days = cleanAll(days)
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
	all = cleanAll(all)
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return fmt.Sprintf("%s and %d more", all[0], len(all)-1)
}

// cleanFacts leaves out what has no value.
func cleanFacts(facts []Fact) []Fact {
	var known []Fact
	for _, f := range facts {
		if f = (Fact{clean(f.Name), clean(f.Value)}); f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

func cleanLinks(links []PageLink) []PageLink {
	all := make([]PageLink, len(links))
	for i, l := range links {
		all[i] = PageLink{clean(l.Text), clean(l.Target)}
	}
	return all
}
