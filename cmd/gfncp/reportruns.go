package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/report/page"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// mostRuns is the number of run names whose curves the page shows.
const mostRuns = 24

// loggedRun is a run directory with its validations.
type loggedRun struct {
	dir    string
	config train.Config
	valid  []train.Validation
	done   bool
}

// reportRuns draws the learning curves of the runs in a folder, one group for each name, and says what it shows and
// what not.
func reportRuns(folder string) (groups []page.Run, note string, err error) {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Sprintf("There are no training runs in `%s`.", folder), nil
	case err != nil:
		return nil, "", usererr.File(folder, 0, "name the folder of the runs with --runs",
			"cannot be read as a folder (%v)", err)
	}
	named := map[string][]loggedRun{}
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		config, err := train.ReadConfig(dir)
		if err != nil {
			continue // not a run, or one of another version
		}
		valid, err := train.ReadValidations(dir)
		if err != nil {
			continue // not validated yet
		}
		_, unfinished := train.ReadResult(dir)
		name := runHash.ReplaceAllString(e.Name(), "")
		named[name] = append(named[name], loggedRun{dir, config, valid, unfinished == nil})
	}
	names := slices.Sorted(maps.Keys(named))
	if len(names) == 0 {
		return nil, fmt.Sprintf("There are no training runs with validations in `%s`.", folder), nil
	}
	note = fmt.Sprintf("From `%s`: a line for each run.", folder)
	if more := len(names) - mostRuns; more > 0 {
		note += fmt.Sprintf(" The first %d names; %d more are there.", mostRuns, more)
		names = names[:mostRuns]
	}
	for _, name := range names {
		groups = append(groups, runGroup(name, named[name]))
	}
	return groups, note, nil
}

// runHash ends the name of a run that gfncp reproduce trained.
var runHash = regexp.MustCompile(`-[0-9a-f]{10}$`)

// runGroup draws the runs of one name.
func runGroup(name string, runs []loggedRun) page.Run {
	slices.SortStableFunc(runs, func(a, b loggedRun) int { return cmp.Compare(a.config.Seed, b.config.Seed) })
	first, unfinished := runs[0].config, 0
	seeds := map[uint64]int{}
	for _, r := range runs {
		seeds[r.config.Seed]++
		if !r.done {
			unfinished++
		}
	}
	loss := &plot.Curve{Title: "Validation loss", XLabel: "training step", YLabel: "loss"}
	nmi := &plot.Curve{Title: "Greedy decoding against the true clusters", XLabel: "training step", YLabel: "NMI"}
	for _, r := range runs {
		label := fmt.Sprintf("seed %d", r.config.Seed)
		if seeds[r.config.Seed] > 1 {
			label += " " + strings.TrimPrefix(runHash.FindString(r.dir), "-")
		}
		addValidations(loss, label, r.valid, func(v train.Validation) float64 { return v.Loss })
		addValidations(nmi, label, r.valid, func(v train.Validation) float64 { return v.NMI })
	}
	loss.LogY = wide(loss)
	count := text.Count(len(runs), "run")
	if unfinished > 0 {
		count += fmt.Sprintf(", %d unfinished", unfinished)
	}
	group := page.Run{Name: name, Details: fmt.Sprintf("%s on %s, %d steps of %d sets with N = %d..%d; %s",
		strings.ToUpper(first.Model), first.Data.Source, first.Train.Steps,
		first.Data.Batch, first.Data.NMin, first.Data.NMax, count)}
	for _, c := range []*plot.Curve{loss, nmi} {
		if len(c.Series) > 0 {
			group.Curves = append(group.Curves, c)
		}
	}
	return group
}

// addValidations adds a line to a curve, with gaps where a value is not finite or a loss has diverged; a line of
// nothing else is left out.
func addValidations(c *plot.Curve, label string, valid []train.Validation, value func(train.Validation) float64) {
	s := plot.Series{Name: label}
	finite := false
	for _, v := range valid {
		y := value(v)
		if math.Abs(y) >= math.MaxFloat64 {
			y = math.NaN()
		}
		finite = finite || !math.IsNaN(y)
		s.Steps, s.Values = append(s.Steps, v.Step), append(s.Values, y)
	}
	if finite {
		c.Series = append(c.Series, s)
	}
}

// wide reports whether positive values spread over so much that a logarithmic axis shows them better.
func wide(c *plot.Curve) bool {
	least, most := math.Inf(1), 0.0
	for _, s := range c.Series {
		for _, y := range s.Values {
			if !math.IsNaN(y) {
				least, most = min(least, y), max(most, y)
			}
		}
	}
	return least > 0 && most > 50*least
}

// environment says what is known, without starting a backend, about the program and the machine that write a page.
func environment() []page.Fact {
	facts := []page.Fact{{Name: "gfncp", Value: version()}, {Name: "machine", Value: machine()}}
	choice, err := engine.Choose("auto")
	if err != nil {
		return append(facts, page.Fact{Name: "backend", Value: err.Error()})
	}
	d := diagnose(choice)
	facts = append(facts,
		page.Fact{Name: "cores in use", Value: fmt.Sprint(d.Cores)},
		page.Fact{Name: "backend", Value: fmt.Sprintf("%s (%s): %s", d.Backend, d.Config, d.Reason)},
		page.Fact{Name: "SIMD", Value: d.SIMDState()},
		page.Fact{Name: "GODEBUG", Value: os.Getenv("GODEBUG")})
	for _, path := range slices.Sorted(maps.Keys(d.Modules)) {
		facts = append(facts, page.Fact{Name: path, Value: d.Modules[path]})
	}
	return facts
}
