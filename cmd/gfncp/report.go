package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/page"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
)

func reportFlags() []cli.Flag {
	return []cli.Flag{
		resultsFlag(), stringFlag("out"), stringFlag("formats"), stringFlag("title"), boolFlag("quiet"),
	}
}

// resultsFlag names folders of tables; of a table that several hold the first one's counts.
func resultsFlag() cli.Flag {
	folder := func(s experiments.Scale) string { return filepath.Join("results", string(s)) }
	return &cli.StringSliceFlag{
		Name: "results", Value: cli.NewStringSlice(folder(experiments.Night), folder(experiments.Small)),
	}
}

func report(c *cli.Context) error {
	if list := c.String("formats"); list != "" {
		for _, folder := range c.StringSlice("results") {
			if err := renderAgain(c, folder, list); err != nil {
				return err
			}
		}
	}
	return writePage(c, reportOf{results: c.StringSlice("results"), out: c.String("out"), title: c.String("title")})
}

// reportOf says what a page of results is made of. An empty out, title or scale is found out.
type reportOf struct {
	results    []string // folders; of a table that several hold, the first one's counts
	out, title string
	scale      experiments.Scale
	link       string // from the page to the numbers of these folders; empty: to the folders, from out
}

// scaleMeaning says what numbers of a scale are worth.
var scaleMeaning = map[experiments.Scale]string{
	experiments.Smoke: "Scale smoke only shows that everything runs.",
	experiments.Small: "Scale small is for two CPU cores: fewer steps and smaller sets than the paper's, " +
		"or pretrained weights.",
	experiments.Night: "Scale night is for two CPU cores too, hours a training, one after another.",
	experiments.Paper: "Scale paper has the paper's own settings.",
}

// writePage writes the page of the results in folders, by default into the last one.
func writePage(c *cli.Context, r reportOf) error {
	r.out = cmp.Or(r.out, filepath.Join(r.results[len(r.results)-1], "report.html"))
	html, err := newPage(r)
	if err != nil {
		return err
	}
	if err := html.Save(r.out); err != nil {
		return err
	}
	if info, err := os.Stat(r.out); err == nil {
		say(c, "written: %s (%.1f MB)", r.out, float64(info.Size())/1e6)
	}
	if found := standing(html.Sections); found != "" {
		say(c, "%s", found)
	}
	return nil
}

// newPage makes the page of the results in folders.
func newPage(r reportOf) (*page.Page, error) {
	html := &page.Page{Title: r.title}
	sections, folders, err := r.sections()
	if err != nil {
		return nil, err
	}
	html.Sections = sections
	r.scale = cmp.Or(r.scale, scaleOf(html.Sections))
	for i, e := range experiments.All() {
		r.describe(&html.Sections[i], e, folders[i])
	}
	if html.Title == "" {
		html.Title = "GFNCP, reproduced"
		if r.scale != "" {
			html.Title += " at scale " + string(r.scale)
		}
	}
	html.Lead = "The tables and figures of “Consistent Amortized Clustering via Generative Flow Networks” " +
		"(AISTATS 2025), computed by `gfncp`. " + scaleMeaning[r.scale]
	if found := standing(html.Sections); found != "" {
		html.Lead += " " + found
	}
	return html, nil
}

// standing is a sentence on how the tables stand beside the paper's, "" if none compares with it.
func standing(sections []page.Section) string {
	var tables []*table.Table
	for _, s := range sections {
		if s.Table != nil {
			tables = append(tables, s.Table)
		}
	}
	return experiments.StandingText(tables...)
}

// renderAgain writes renderings of the tables in a folder.
func renderAgain(c *cli.Context, folder, list string) error {
	kept, err := table.ParseKept(list)
	if err != nil {
		return err
	}
	for _, e := range experiments.All() {
		s := page.Section{ID: e.ID}
		if err := s.Read(folder, "."); err != nil {
			return err
		}
		if s.Table == nil {
			continue
		}
		if err := s.Table.Render(folder, kept); err != nil {
			return err
		}
		say(c, "written: %s.%s", filepath.Join(folder, e.ID), kept.TableFiles())
	}
	return nil
}

// sections reads a section for each experiment, from the first folder that has its table, and returns these folders,
// of others the last one. No table at all is the user's fault.
func (r reportOf) sections() (sections []page.Section, folders []string, err error) {
	links := make([]string, len(r.results))
	for i, folder := range r.results {
		if links[i] = r.link + "/" + strconv.Itoa(i); r.link != "" {
			continue
		}
		if links[i], err = relativeLink(filepath.Dir(r.out), folder); err != nil {
			return nil, nil, err
		}
	}
	computed := false
	for _, e := range experiments.All() {
		s, from := page.Section{ID: e.ID, Name: e.Title}, 0
		for i, folder := range r.results {
			if err := s.Read(folder, links[i]); err != nil {
				return nil, nil, err
			}
			if from = i; s.Table != nil {
				break
			}
		}
		computed = computed || s.Table != nil
		sections, folders = append(sections, s), append(folders, r.results[from])
	}
	if !computed {
		return nil, nil, usererr.File(strings.Join(r.results, ", "), 0,
			"run `gfncp reproduce all`, or name its folder with --results", "holds no results")
	}
	return sections, folders, nil
}

// relativeLink is the way from one folder to another, with slashes.
func relativeLink(from, to string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	if way, err := filepath.Rel(from, to); err == nil {
		to = way
	}
	return filepath.ToSlash(to), nil
}

// scaleOf is the scale that cells name; those of shipped weights name these instead.
func scaleOf(sections []page.Section) experiments.Scale {
	for _, s := range sections {
		if s.Table == nil {
			continue
		}
		for _, cell := range s.Table.Cells {
			if scale, err := experiments.ParseScale(cell.Scale); err == nil {
				return scale
			}
		}
	}
	return ""
}

// describe says where an experiment stands in the paper and how to compute it into a folder.
func (r reportOf) describe(s *page.Section, e experiments.Experiment, folder string) {
	s.Where = place(e)
	s.Command = "gfncp reproduce " + e.ID
	scale := r.scale
	if named, err := experiments.ParseScale(filepath.Base(folder)); err == nil {
		scale = named
	}
	if scale != "" {
		s.Command += " --scale " + string(scale)
	}
	if filepath.Clean(folder) != filepath.Join("results", string(scale)) {
		s.Command += " --out " + folder
	}
	s.Absent = "Not computed here: run `" + s.Command + "`."
}
