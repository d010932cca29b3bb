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

const clearLine = "\r\x1b[K"

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// live is progress on stderr: on a terminal one line that renews itself, elsewhere a line every few seconds.
type live struct {
	out      io.Writer
	terminal bool
	shown    time.Time
}

func newLive(c *cli.Context) *live {
	return &live{c.App.ErrWriter, isTerminal(c.App.ErrWriter), time.Now()}
}

// show prints a line if it is time for one; the last one is printed in any case, and stays.
func (l *live) show(last bool, line func() string) {
	wait := plainEvery
	if l.terminal {
		wait = renewEvery
	}
	if !last && time.Since(l.shown) < wait {
		return
	}
	l.shown = time.Now()
	l.clear()
	fmt.Fprint(l.out, line())
	if last || !l.terminal {
		fmt.Fprintln(l.out)
	}
}

// clear makes room on a terminal.
func (l *live) clear() {
	if l.terminal {
		fmt.Fprint(l.out, clearLine)
	}
}

// counter reports work of several parts on stderr. Short work prints nothing, and no part leaves a line.
func counter(c *cli.Context) func(part string, done, total int) {
	l := newLive(c)
	var current string
	var began time.Time
	return func(part string, done, total int) {
		if part != current {
			current, began = part, time.Now()
		}
		if done == total {
			l.clear()
			return
		}
		l.show(false, func() string {
			return fmt.Sprintf("%s: %d of %d%s", part, done, total, remaining(time.Since(began), done, total))
		})
	}
}

// remaining is the text with the time left at the speed so far, or "" while the speed is unknown.
func remaining(elapsed time.Duration, done, total int) string {
	if done < 1 || done >= total || elapsed < time.Second {
		return ""
	}
	left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
	return ", " + left.Round(time.Second).String() + " left"
}

// reporter shows a run's progress.
type reporter struct {
	*live
	label   string
	started time.Time
	from    int // the step at which this session began
}

// progress returns a listener that reports on stderr, with --quiet of warnings alone. label stands before each line.
func progress(c *cli.Context, label string) train.Listener {
	hear := train.Listener{
		Start: func(int, int, bool) {}, Step: func(train.StepReport, int) {}, Valid: func(train.Validation) {},
		Warn: func(err error) { fmt.Fprintln(c.App.ErrWriter, "gfncp: warning:", err) },
	}
	if !c.Bool("quiet") {
		r := &reporter{live: newLive(c)}
		if label != "" {
			r.label = label + ": "
		}
		hear.Start, hear.Step, hear.Valid = r.start, r.step, r.valid
	}
	return hear
}

func (r *reporter) start(step, steps int, resumed bool) {
	r.started, r.from, r.shown = time.Now(), step, time.Now()
	if resumed {
		fmt.Fprintf(r.out, "%sresumed at step %d of %d\n", r.label, step, steps)
	}
}

func (r *reporter) step(s train.StepReport, steps int) {
	r.show(s.Step == steps, func() string {
		perStep := time.Since(r.started) / time.Duration(max(1, s.Step-r.from))
		left := (perStep * time.Duration(steps-s.Step)).Round(time.Second)
		sampled := ""
		if s.Sampled > 0 {
			sampled = fmt.Sprintf(" (sampled %.1f)", s.Sampled)
		}
		likelihood := ""
		if nll, known := s.Terms["nll"]; known {
			likelihood = fmt.Sprintf("  nll %.4g", nll)
		}
		return fmt.Sprintf("%sstep %d/%d  loss %.4g%s  norm %.3g  K %.1f%s  %.2f s/step  %s left", r.label, s.Step,
			steps, s.Loss, likelihood, s.GradNorm, s.Clusters, sampled, perStep.Seconds(), left)
	})
}

func (r *reporter) valid(v train.Validation) {
	mark := ""
	if v.Best {
		mark = ", the best so far"
	}
	r.clear()
	fmt.Fprintf(r.out, "%sstep %d: validation loss %.4g%s; NMI %.3f, %.1f clusters found of %.1f\n",
		r.label, v.Step, v.Loss, mark, v.NMI, v.Found, v.Truth)
}
