package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gfncp/gfncp/benchmarks"
)

// benchTable prints results as they come, group by group.
type benchTable struct {
	out    io.Writer
	silent bool
	group  string
	begun  bool // a row was printed
}

// head prints where and how a report was measured.
func (t *benchTable) head(r benchmarks.Report) {
	if t.silent {
		return
	}
	if t.begun {
		fmt.Fprintln(t.out)
	}
	fmt.Fprintf(t.out, "%s; backend %s, GOMAXPROCS %d, simd %v; commit %s, %s; %d repeats\n",
		r.Machine, r.Backend, r.Processes, r.SIMD, cmp.Or(r.Commit, "unknown"), r.Created, r.Repeats)
	if len(r.Load) > 0 {
		fmt.Fprintf(t.out, "load at the start %.2f\n", r.Load[0])
	}
	if r.Rates != nil {
		fmt.Fprintf(t.out,
			"rates: %.1f G multiply-adds/s, element-wise copy %.1f GB/s, copy on the host by one core %.1f GB/s\n",
			r.Rates.MultiplyAdds/1e9, r.Rates.Copy/1e9, r.Rates.HostCopy/1e9)
	}
}

// row prints one result.
func (t *benchTable) row(r benchmarks.Result) {
	if t.silent {
		return
	}
	if r.Group != t.group || !t.begun {
		if t.begun {
			fmt.Fprintln(t.out)
		}
		t.group, t.begun = r.Group, true
		fmt.Fprintf(t.out, "%-24s %10s %4s %18s %12s %12s %9s\n", t.group,
			"B×N", "K", "seconds", "µs/point", "points/s",
			"heap MB")
	}
	name := r.Work
	if r.Data != "" {
		name += " " + r.Data
	}
	spread := ""
	if n := len(r.Seconds); n > 1 {
		spread = fmt.Sprintf(" ±%.0f%%", 50*(r.Seconds[n-1]-r.Seconds[0])/r.Median)
	}
	fmt.Fprintf(t.out, "%-24s %10s %4d %12s%6s %12s %12s %9.1f%s\n", name, fmt.Sprintf("%d×%d", r.Sets, r.Points),
		r.Clusters, seconds(r.Median), spread,
		orDash("%.1f", r.PerPoint), orDash("%.0f", r.PerSecond), float64(r.Peak)/1e6, benchNotes(r))
}

// seconds writes a time with four digits.
func seconds(v float64) string {
	switch {
	case v < 1e-3:
		return fmt.Sprintf("%.1f µs", 1e6*v)
	case v < 1:
		return fmt.Sprintf("%.2f ms", 1e3*v)
	default:
		return fmt.Sprintf("%.3f s", v)
	}
}

func orDash(format string, v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf(format, v)
}

// benchNotes is what else is known of a result.
func benchNotes(r benchmarks.Result) string {
	var notes []string
	if r.Weights == "initial" {
		notes = append(notes, "untrained")
	}
	if r.Found > 0 && r.Work != "one set" {
		notes = append(notes, fmt.Sprintf("found K %.1f", r.Found))
	}
	if r.Ratio > 0 {
		notes = append(notes, fmt.Sprintf("published %.2f s: %.0f times faster", r.Published, r.Ratio))
	}
	if f := r.Floor; f != nil {
		notes = append(notes, fmt.Sprintf("floor %s by operations, %s by bytes: %.1f times the floor",
			seconds(f.OperationSeconds), seconds(f.ByteSeconds), f.Ratio))
	}
	if len(notes) == 0 {
		return ""
	}
	return "  " + strings.Join(notes, ", ")
}
