package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/report/table"
)

// digits shows three significant digits, never an exponent, and a dash for nothing.
func digits(v float64) string {
	switch {
	case v == 0:
		return "–"
	case math.Abs(v) >= 100:
		return humanize.Comma(int64(math.RoundToEven(v)))
	}
	rounded := must.M1(strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64))
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// benchSamples are the repeats of a benchmark in a file of results: seconds, rising, and its other numbers by unit.
type benchSamples struct {
	name    []string // Step, gfncp, 64x75
	seconds []float64
	values  map[string]float64
}

// readBenchmarks reads lines in the format of Go's benchmarks: settings, and the samples in the order of the file.
func readBenchmarks(path string) (settings map[string]string, all []*benchSamples) {
	settings = map[string]string{}
	at := map[string]*benchSamples{}
	for line := range strings.Lines(string(must.M1(os.ReadFile(path)))) {
		name, is := strings.CutPrefix(line, "Benchmark")
		if !is {
			if key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); settings[key] == "" {
				settings[key] = value // memory, appended later, has its own
			}
			continue
		}
		fields := strings.Split(strings.TrimSpace(name), "\t")
		bare, _, _ := strings.Cut(fields[0], "-")
		if at[bare] == nil {
			at[bare] = &benchSamples{name: strings.Split(bare, "/"), values: map[string]float64{}}
			all = append(all, at[bare])
		}
		for _, field := range fields[2:] {
			number, unit, _ := strings.Cut(field, " ")
			value := must.M1(strconv.ParseFloat(number, 64))
			if unit == "ns/op" {
				at[bare].seconds = append(at[bare].seconds, value/1e9)
			} else {
				at[bare].values[unit] = value
			}
		}
	}
	for _, s := range all {
		slices.Sort(s.seconds)
	}
	return settings, all
}

// publishedSeconds are the times of the published PyTorch code, measured for this project on a machine of two cores.
var publishedSeconds = map[string]float64{"gfncp/64x75": 21, "gfncp/16x300": 82}

// benchPart is the table "step" of the stored benchmarks, or the sentence "where" about them.
func benchPart(group string) (string, error) {
	settings, all := readBenchmarks(filepath.Join(docsRoot, "benchmarks/results/go-2cores.txt"))
	switch group {
	case "where":
		return fmt.Sprintf("%s; backend `%s`;\ncommit %s, %s; load average at the start %s.\n", settings["cpu"],
			settings["backend"], settings["commit"], settings["created"][:10], settings["load"]), nil
	case "step":
	default:
		return "", fmt.Errorf("no group is called %q", group)
	}
	rows := [][]string{{
		"model", "B × N", "seconds", "µs a point", "K of the negative sample", "resident, MB", "estimated, MB",
		"published, s", "faster",
	}}
	for _, s := range all {
		if s.name[0] != "Step" {
			continue
		}
		median := s.seconds[len(s.seconds)/2]
		var sets, points int
		must.M1(fmt.Sscanf(s.name[2], "%dx%d", &sets, &points))
		published, faster := publishedSeconds[s.name[1]+"/"+s.name[2]], "–"
		if published > 0 {
			faster = fmt.Sprintf("%.0f×", math.Round(published/median/10)*10)
		}
		rows = append(rows, []string{
			s.name[1], strings.ReplaceAll(s.name[2], "x", " × "), fmt.Sprintf("%s (%s to %s)", digits(median),
				digits(s.seconds[0]), digits(s.seconds[len(s.seconds)-1])),
			digits(1e6 * median / float64(sets*points)), digits(s.values["K"]), digits(s.values["resident-MB"]),
			digits(s.values["estimated-MB"]), digits(published), faster,
		})
	}
	return markdownTable(rows), nil
}

// markdownTable writes rows, the first of them as the head.
func markdownTable(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			out.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return out.String()
}

// cardsPart is a table of numbers from model cards: "NAME NAME… ; TITLE = KEY / KEY ; …".
func cardsPart(what string) (string, error) {
	fields := strings.Split(what, ";")
	rows := [][]string{{"model"}}
	for _, name := range strings.Fields(fields[0]) {
		rows = append(rows, []string{"`" + name + "`"})
	}
	for _, column := range fields[1:] {
		title, keys, ok := strings.Cut(column, "=>")
		if !ok {
			return "", fmt.Errorf("%q has no title => keys", column)
		}
		rows[0] = append(rows[0], strings.TrimSpace(title))
		for i, name := range strings.Fields(fields[0]) {
			m, err := root.Find(name)
			if err != nil {
				return "", err
			}
			var cells []string
			for _, key := range strings.Split(keys, "/") {
				v, ok := m.Card.Metrics[strings.TrimSpace(key)]
				if !ok {
					return "", fmt.Errorf("the card of %s has no %q", name, strings.TrimSpace(key))
				}
				cells = append(cells, cardNumber(v))
			}
			rows[i+1] = append(rows[i+1], strings.Join(cells, " / "))
		}
	}
	return markdownTable(rows), nil
}

func cardNumber(v float64) string {
	switch {
	case math.Abs(v) >= 1e5:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case math.Abs(v) >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// tablePart is a table of results/night, else of results/small, with ours and the paper's number: "ID" or "ID METRIC,
// METRIC…". "; without MODEL" leaves out a column, "; only DATA" keeps the rows of one data set; each may be repeated.
func tablePart(what string) (string, error) {
	what, choice, _ := strings.Cut(what, "; ")
	id, names, _ := strings.Cut(what, " ")
	t, err := readTable(filepath.Join(docsRoot, "results/night"), id)
	if t == nil && err == nil {
		t, err = readTable(filepath.Join(docsRoot, "results/small"), id)
	}
	if t == nil || err != nil {
		return "", cmp.Or(err, fmt.Errorf("there is no table %s", id))
	}
	t.Cells = chosenCells(t.Cells, strings.Split(choice, "; "))
	var metrics []string
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			metrics = append(metrics, name)
		}
	}
	return pivot(t, metrics)
}

// pivot is the grid of a table's Markdown without notes, of some metrics in their order, or of all without any.
func pivot(t *table.Table, metrics []string) (string, error) {
	const longestInlineNote = 19
	some := &table.Table{ID: t.ID}
	for _, c := range t.Ordered() {
		if len(metrics) > 0 && !slices.Contains(metrics, c.Metric) {
			continue
		}
		if c.Ours != nil || utf8.RuneCountInString(c.Note) > longestInlineNote {
			c.Note = ""
		}
		some.Cells = append(some.Cells, c)
	}
	slices.SortStableFunc(some.Cells, func(a, b table.Cell) int {
		return slices.Index(metrics, a.Metric) - slices.Index(metrics, b.Metric)
	})
	var whole, grid strings.Builder
	err := some.Markdown(&whole)
	for line := range strings.Lines(whole.String()) {
		if strings.HasPrefix(line, "|") {
			grid.WriteString(line)
		}
	}
	return grid.String(), err
}

// chosenCells returns the cells that a list of "without MODEL" and "only DATA" keeps.
func chosenCells(cells []table.Cell, choice []string) []table.Cell {
	without, only := map[string]bool{}, map[string]bool{}
	for _, c := range choice {
		if name, ok := strings.CutPrefix(c, "without "); ok {
			without[name] = true
		}
		if name, ok := strings.CutPrefix(c, "only "); ok {
			only[name] = true
		}
	}
	return slices.DeleteFunc(cells, func(c table.Cell) bool {
		return without[c.Model] || len(only) > 0 && !only[c.Data]
	})
}
