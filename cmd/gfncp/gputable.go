package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// aheadColumns are the table's, each with the width of its cells.
var aheadColumns = []struct {
	name  string
	width int
}{
	{"run", 14},
	{"program", 30},
	{"input", 18},
	{"seconds", -7},
	{"peak MB", -8},
	{"temp. MB", -8},
	{"exe. kB", -7},
	{"kernels", -7},
	{"spilled B", -9},
	{"10⁹ op.", -8},
	{"GB", -8},
	{"float32 ms", -10},
	{"TF32 ms", -8},
}

// writeAheadHead writes what the table of compiled programs is, and its head, in Markdown.
func writeAheadHead(w io.Writer, m aheadManifest) error {
	var names, rules []string
	for _, column := range aheadColumns {
		names = append(names, column.name)
		rule := "---"
		if column.width < 0 {
			rule = "---:"
		}
		rules = append(rules, rule)
	}
	_, err := fmt.Fprintf(w, `# Programs compiled for %s, without a card

A calculation of XLA's compiler, not a measurement.
By gfncp %s, commit %s; %s of PJRT API %s.

Memory is the compiler's plan, and no kernel is chosen by timing. Kernels, operations of products (two a multiply-add)
and bytes read and written are counted in the optimized program, one step of a loop whose length is not known (*). The
times are the least by the card's peak rates and 3 µs a kernel. Spilled are bytes of registers that kernels keep in memory.

`, filepath.Base(m.Target), m.Version, cmp.Or(gitCommit(), "unknown"),
		filepath.Base(m.Plugin), m.API)
	if err != nil {
		return err
	}
	if err := writeAheadCells(w, names); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "| %s |\n", strings.Join(rules, " | "))
	return err
}

// write writes a program's row.
func (p aheadProgram) write(w io.Writer) error {
	kernels := fmt.Sprint(p.Kernels)
	if p.Loops > 0 {
		kernels += "*"
	}
	return writeAheadCells(w, []string{
		p.Run, p.Name, p.Input, fmt.Sprintf("%.2f", p.Seconds), fmt.Sprintf("%.1f", float64(p.Peak)/1e6),
		fmt.Sprintf("%.1f", float64(p.Temporary)/1e6), fmt.Sprintf("%.0f", float64(p.Size)/1e3), kernels,
		fmt.Sprint(p.Spilled), threeDigits(p.Operations / 1e9), threeDigits(p.Bytes / 1e9),
		milliseconds(p.Float32), milliseconds(p.TF32),
	})
}

func milliseconds(seconds *float64) string {
	if seconds == nil {
		return "–"
	}
	return threeDigits(*seconds * 1e3)
}

// threeDigits writes a number of at least 0 with three digits that count, or all before the point.
func threeDigits(x float64) string {
	if x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(x)))), 64)
}

func writeAheadCells(w io.Writer, cells []string) error {
	for i, cell := range cells {
		if _, err := fmt.Fprintf(w, "| %*s ", -aheadColumns[i].width, cell); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "|")
	return err
}

// writeAheadEnd says how many programs each run has.
func writeAheadEnd(w io.Writer, m aheadManifest) error {
	seconds := 0.
	for _, p := range m.Programs {
		seconds += p.Seconds
	}
	if _, err := fmt.Fprintf(w, "\n%d programs compiled in %.0f s. Programs of each run, and those that no "+
		"earlier one has:\n\n| run | programs | new |\n| --- | ---: | ---: |\n", len(m.Programs), seconds); err != nil {
		return err
	}
	for _, run := range m.Runs {
		if _, err := fmt.Fprintf(w, "| %s | %d | %d |\n", run.Run, run.Programs, run.New); err != nil {
			return err
		}
	}
	return nil
}

// writeLeftOut says that a run's programs are not compiled, and why.
func writeLeftOut(w io.Writer, run, why string) error {
	_, err := fmt.Fprintf(w, "| %s | left out: %s |\n", run, why)
	return err
}
