package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/tensorboard"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// eventsDir is the folder of a run directory that holds its event files.
func eventsDir(run string) string { return filepath.Join(run, "tensorboard") }

// eventLog writes what a run reports as TensorBoard events, a file for each session. Curves are no result: a fault in writing
// them is a warning, and the training goes on without them.
type eventLog struct {
	run    string
	warn   func(error)
	writer *tensorboard.Writer // nil before Start, and after a fault
	opened bool
}

// runWithEvents is train.Run with the event log that --tensorboard asks for.
func runWithEvents(c *cli.Context, backend compute.Backend, config train.Config, dir string, hear train.Listener) (train.Result, error) {
	if !c.Bool("tensorboard") {
		return train.Run(c.Context, backend, sources.Source, config, dir, hear)
	}
	log, hear := withEvents(dir, hear)
	defer log.close()
	result, err := train.Run(c.Context, backend, sources.Source, config, dir, hear)
	if err == nil {
		log.convert(result.Steps)
	}
	return result, err
}

// withEvents returns hear with an event log of the run directory beside it.
func withEvents(run string, hear train.Listener) (*eventLog, train.Listener) {
	log := &eventLog{run: run, warn: hear.Warn}
	both := hear
	both.Start = func(step, steps int, resumed bool) {
		log.open(step)
		if hear.Start != nil {
			hear.Start(step, steps, resumed)
		}
	}
	both.Step = func(r train.StepReport, steps int) {
		log.add(time.Now(), r.Step, stepScalars(r))
		if hear.Step != nil {
			hear.Step(r, steps)
		}
	}
	both.Valid = func(v train.Validation) {
		log.add(time.Now(), v.Step, validScalars(v))
		log.check(log.sync())
		if hear.Valid != nil {
			hear.Valid(v)
		}
	}
	return log, both
}

// open starts the file of a session that continues after step. What the run's own log knows and earlier files lack, because
// the run began without --tensorboard, comes first.
func (l *eventLog) open(step int) {
	l.opened = true
	missing, err := l.missing(step)
	if err != nil {
		l.check(err)
		return
	}
	first := step + 1
	if len(missing) > 0 {
		first = missing[0].step
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	if l.writer, err = tensorboard.Create(eventsDir(l.run), host, time.Now(), first); err != nil {
		l.check(err)
		return
	}
	for _, m := range missing {
		l.add(m.at, m.step, m.scalars)
	}
}

// convert writes what the log of a finished run holds and its event files lack: such a run starts no session.
func (l *eventLog) convert(steps int) {
	if l.opened {
		return
	}
	if missing, err := l.missing(steps); err != nil || len(missing) > 0 {
		l.open(steps)
	}
}

func (l *eventLog) add(at time.Time, step int, scalars []tensorboard.Scalar) {
	if l.writer != nil {
		l.check(l.writer.Add(at, step, scalars...))
	}
}

func (l *eventLog) sync() error {
	if l.writer == nil {
		return nil
	}
	return l.writer.Sync()
}

// check warns of a fault, once: no more is written then.
func (l *eventLog) check(err error) {
	if err == nil {
		return
	}
	l.close()
	if l.warn != nil {
		l.warn(fmt.Errorf("no more TensorBoard events: %w", err))
	}
}

func (l *eventLog) close() {
	if l.writer != nil {
		_ = l.writer.Close() // each validation has synced it; a fault here cannot be mended
		l.writer = nil
	}
}

// stepScalars are the curves of a step. Exploration steps have curves of their own, since their losses are of another size. A
// term that the step has not (0 in its report) has no point.
func stepScalars(r train.StepReport) []tensorboard.Scalar {
	group := "train/"
	if r.Kind == "explore" {
		group = "explore/"
	}
	scalars := []tensorboard.Scalar{{Tag: group + "loss", Value: r.Loss}, {Tag: group + "grad_norm", Value: r.GradNorm}}
	always, sometimes := losses.Names()
	for _, name := range slices.Concat(always, sometimes) {
		if r.Terms[name] != 0 {
			scalars = append(scalars, tensorboard.Scalar{Tag: group + name, Value: r.Terms[name]})
		}
	}
	if r.Sampled != 0 {
		scalars = append(scalars, tensorboard.Scalar{Tag: group + "sampled_clusters", Value: r.Sampled})
	}
	return append(scalars,
		tensorboard.Scalar{Tag: "batch/points", Value: float64(r.Points)}, tensorboard.Scalar{Tag: "batch/clusters", Value: r.Clusters},
		tensorboard.Scalar{Tag: "run/learning_rate", Value: r.Rate}, tensorboard.Scalar{Tag: "run/seconds", Value: r.Seconds})
}

// validScalars are the curves of a validation.
func validScalars(v train.Validation) []tensorboard.Scalar {
	return []tensorboard.Scalar{
		{Tag: "valid/loss", Value: v.Loss},
		{Tag: "valid/nmi", Value: v.NMI},
		{Tag: "valid/found_clusters", Value: v.Found},
		{Tag: "valid/true_clusters", Value: v.Truth},
	}
}
