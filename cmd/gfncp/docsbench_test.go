package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/internal/report/table"
)

// benchColumn is a column of a table of benchmarks.
type benchColumn struct {
	title string
	show  func(r benchmarks.Result) string
}

// digits shows three significant digits, never an exponent, and a dash for nothing.
func digits(v float64) string {
	switch {
	case v == 0:
		return "–"
	case math.Abs(v) >= 100:
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	rounded := must.M1(strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64))
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// thousands puts a comma before every third digit from the end.
func thousands(whole string) string {
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return whole
}

func number(title string, value func(r benchmarks.Result) float64) benchColumn {
	return benchColumn{title, func(r benchmarks.Result) string { return digits(value(r)) }}
}

func count(title string, value func(r benchmarks.Result) int) benchColumn {
	return benchColumn{title, func(r benchmarks.Result) string { return strconv.Itoa(value(r)) }}
}

func textual(title string, show func(r benchmarks.Result) string) benchColumn {
	return benchColumn{title, show}
}

var (
	benchB     = count("B", func(r benchmarks.Result) int { return r.Sets })
	benchN     = count("N", func(r benchmarks.Result) int { return r.Points })
	benchK     = count("K", func(r benchmarks.Result) int { return r.Clusters })
	benchModel = textual("model", func(r benchmarks.Result) string {
		fields := strings.Fields(r.Work)
		return or(r.Model, fields[len(fields)-1])
	})
	benchSeconds = textual("seconds", func(r benchmarks.Result) string {
		if n := len(r.Seconds); n > 1 {
			return fmt.Sprintf("%s (%s to %s)", digits(r.Median), digits(r.Seconds[0]), digits(r.Seconds[n-1]))
		}
		return digits(r.Median)
	})
	benchPerPoint  = number("µs a point", func(r benchmarks.Result) float64 { return r.PerPoint })
	benchNegative  = number("K of the negative sample", func(r benchmarks.Result) float64 { return r.Found })
	benchPeak      = number("peak heap, MB", func(r benchmarks.Result) float64 { return float64(r.Peak) / 1e6 })
	benchPublished = number("published, s", func(r benchmarks.Result) float64 { return r.Published })
	benchFaster    = textual("faster", func(r benchmarks.Result) string {
		if r.Ratio == 0 {
			return "–"
		}
		return strconv.FormatFloat(must.M1(strconv.ParseFloat(strconv.FormatFloat(r.Ratio, 'g', 2, 64), 64)),
			'f', -1, 64) + "×"
	})
)

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// benchTables are the columns of each group.
var benchTables = map[string][]benchColumn{
	"step": {
		benchModel, benchB, benchN, benchK, benchSeconds, benchPerPoint, benchNegative,
		benchPeak, benchPublished, benchFaster,
	},
}

// benchPart is a table of the stored benchmarks, or the sentence "where" about them.
func benchPart(group string) (string, error) {
	var report benchmarks.Report
	text, err := os.ReadFile(filepath.Join(docsRoot, "benchmarks/results/go-2cores.json"))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return "", err
	}
	if group == "where" {
		return where(report), nil
	}
	columns, known := benchTables[group]
	if !known {
		return "", fmt.Errorf("no group is called %q", group)
	}
	rows := [][]string{nil}
	for _, c := range columns {
		rows[0] = append(rows[0], c.title)
	}
	for _, r := range report.Results {
		if r.Group != group {
			continue
		}
		var row []string
		for _, c := range columns {
			row = append(row, c.show(r))
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		return "Not in the stored report.\n", nil
	}
	return markdownTable(rows), nil
}

func where(r benchmarks.Report) string {
	on := map[bool]string{true: "on", false: "off"}[r.SIMD]
	text := fmt.Sprintf("%s; backend `%s`, GOEXPERIMENT=simd %s,\nGOMAXPROCS %d; commit %s, %s; %d repeats",
		r.Machine, r.Backend, on,
		r.Processes, r.Commit, r.Created[:10], r.Repeats)
	if len(r.Load) > 0 {
		text += fmt.Sprintf("; load average at the start %.2f", r.Load[0])
	}
	return text + ".\n"
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
	text, err := os.ReadFile(filepath.Join(docsRoot, "results/night", id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(docsRoot, "results/small", id+".json"))
	}
	if err != nil {
		return "", err
	}
	t, err := table.ReadJSON(bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	t.Cells = chosenCells(t.Cells, strings.Split(choice, "; "))
	var metrics []string
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			metrics = append(metrics, name)
		}
	}
	return t.MarkdownPivot(metrics...), nil
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
