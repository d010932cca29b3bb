package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/gfncp/gfncp/train"
)

// The times between two reports of progress: on a terminal, and elsewhere.
const (
	renewEvery = 200 * time.Millisecond
	plainEvery = 10 * time.Second
)

// clearLine begins a line of a terminal anew.
const clearLine = "\r\x1b[K"

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// counter reports work of several parts on stderr: on a terminal one line that renews itself, elsewhere a line every few
// seconds. ends says whether each part leaves a line; otherwise nothing is said of what is done soon.
func counter(c *cli.Context, ends bool) func(part string, done, total int) {
	out, terminal := c.App.ErrWriter, isTerminal(c.App.ErrWriter)
	wait, begin, end := plainEvery, "", "\n"
	if terminal {
		wait, begin, end = renewEvery, clearLine, ""
	}
	shown := time.Now()
	return func(part string, done, total int) {
		last := done == total
		if last && !ends && terminal {
			fmt.Fprint(out, clearLine)
		}
		if time.Since(shown) < wait && !(last && ends) || last && !ends {
			return
		}
		fmt.Fprintf(out, "%s%s %d of %d%s", begin, part, done, total, end)
		if last && terminal {
			fmt.Fprintln(out)
		}
		shown = time.Now()
	}
}

// reporter shows a run's progress on stderr: one line that renews itself on a terminal, else a line every few seconds.
type reporter struct {
	out      io.Writer
	label    string
	terminal bool
	started  time.Time
	from     int // the step at which this session began
	shown    time.Time
}

// progress returns a listener that reports on stderr, or nothing with --quiet. label stands before each line.
func progress(c *cli.Context, label string) train.Listener {
	warn := func(err error) { fmt.Fprintln(c.App.ErrWriter, "gfncp: warning:", err) }
	if c.Bool("quiet") {
		return train.Listener{Warn: warn}
	}
	r := &reporter{out: c.App.ErrWriter, terminal: isTerminal(c.App.ErrWriter)}
	if label != "" {
		r.label = label + ": "
	}
	return train.Listener{Start: r.start, Step: r.step, Valid: r.valid, Warn: warn}
}

func (r *reporter) start(step, steps int, resumed bool) {
	r.started, r.from, r.shown = time.Now(), step, time.Now()
	if resumed {
		fmt.Fprintf(r.out, "%sresumed at step %d of %d\n", r.label, step, steps)
	}
}

func (r *reporter) step(s train.StepReport, steps int) {
	wait := plainEvery
	if r.terminal {
		wait = renewEvery
	}
	if time.Since(r.shown) < wait && s.Step != steps {
		return
	}
	r.shown = time.Now()
	perStep := time.Since(r.started) / time.Duration(max(1, s.Step-r.from))
	left := (perStep * time.Duration(steps-s.Step)).Round(time.Second)
	line := fmt.Sprintf("%sstep %d/%d  loss %.4g  nll %.4g  norm %.3g  K %.1f", r.label, s.Step, steps, s.Loss,
		s.Terms["nll"], s.GradNorm, s.Clusters)
	if s.Sampled > 0 {
		line += fmt.Sprintf(" (sampled %.1f)", s.Sampled)
	}
	line += fmt.Sprintf("  %.2f s/step  %s left", perStep.Seconds(), left)
	if r.terminal {
		fmt.Fprint(r.out, clearLine+line)
		if s.Step == steps {
			fmt.Fprintln(r.out)
		}
		return
	}
	fmt.Fprintln(r.out, line)
}

func (r *reporter) valid(v train.Validation) {
	mark := ""
	if v.Best {
		mark = ", the best so far"
	}
	if r.terminal {
		fmt.Fprint(r.out, clearLine)
	}
	fmt.Fprintf(r.out, "%sstep %d: validation loss %.4g%s; NMI %.3f, %.1f clusters found of %.1f\n",
		r.label, v.Step, v.Loss, mark, v.NMI, v.Found, v.Truth)
}
