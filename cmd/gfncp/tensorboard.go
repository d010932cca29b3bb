package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/tensorboard"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// eventLog writes a run's log as TensorBoard events: first what the log holds, then what the run reports. So one file
// has all curves, whatever sessions wrote them. Curves are no result: a fault in writing them is a warning, and the
// training goes on without them.
type eventLog struct {
	run    string
	warn   func(error)
	writer *tensorboard.Writer // nil before begin, and after a fault
	began  bool
}

// runWithEvents is train.Run with the event log that --tensorboard asks for.
func runWithEvents(c *cli.Context, backend compute.Backend, config train.Config, dir string, hear train.Listener) (train.Result, error) {
	if !c.Bool("tensorboard") {
		return train.Run(c.Context, backend, sources.Source, config, dir, hear)
	}
	log := &eventLog{run: dir, warn: hear.Warn}
	defer log.close()
	result, err := train.Run(c.Context, backend, sources.Source, config, dir, log.beside(hear))
	if err == nil && !log.began { // a finished run starts no session
		log.begin()
	}
	return result, err
}

// beside returns hear with the event log beside it.
func (l *eventLog) beside(hear train.Listener) train.Listener {
	both := hear
	both.Start = func(step, steps int, resumed bool) {
		l.begin()
		if hear.Start != nil {
			hear.Start(step, steps, resumed)
		}
	}
	both.Step = func(r train.StepReport, steps int) {
		l.add(event{time.Now(), r.Step, stepScalars(r)})
		if hear.Step != nil {
			hear.Step(r, steps)
		}
	}
	both.Valid = func(v train.Validation) {
		l.add(event{time.Now(), v.Step, validScalars(v)})
		if l.writer != nil {
			l.check(l.writer.Sync())
		}
		if hear.Valid != nil {
			hear.Valid(v)
		}
	}
	return both
}

// begin starts the event file anew with all that the run's log holds.
func (l *eventLog) begin() {
	l.began = true
	past, err := loggedEvents(l.run)
	if err != nil {
		l.check(err)
		return
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	if l.writer, err = tensorboard.Create(filepath.Join(l.run, "tensorboard"), host, time.Now()); err != nil {
		l.check(err)
		return
	}
	for _, e := range past {
		l.add(e)
	}
}

// event is a line of a run's log as points of curves.
type event struct {
	at      time.Time
	step    int
	scalars []tensorboard.Scalar
}

// loggedEvents reads a run's log: none if there is no file yet. The log has no times: the last line gets the file's,
// and the others the steps' seconds before it.
func loggedEvents(run string) (events []event, err error) {
	info, err := os.Stat(filepath.Join(run, "metrics.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's log: %w", err)
	}
	var took []float64
	err = train.Replay(run, train.Listener{
		Step: func(r train.StepReport, _ int) {
			events, took = append(events, event{step: r.Step, scalars: stepScalars(r)}), append(took, r.Seconds)
		},
		Valid: func(v train.Validation) {
			events, took = append(events, event{step: v.Step, scalars: validScalars(v)}), append(took, 0)
		},
	})
	at := info.ModTime()
	for i := len(events) - 1; i >= 0; i-- {
		events[i].at = at
		at = at.Add(-time.Duration(took[i] * float64(time.Second)))
	}
	return events, err
}

func (l *eventLog) add(e event) {
	if l.writer != nil {
		l.check(l.writer.Add(e.at, e.step, e.scalars...))
	}
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

// stepScalars are the curves of a step. Exploration steps have curves of their own, since their losses are of another
// size. A term that the step has not (0 in its report) has no point.
func stepScalars(r train.StepReport) []tensorboard.Scalar {
	group := "train/"
	if r.Kind == losses.ExplorationStep {
		group = "explore/"
	}
	scalars := []tensorboard.Scalar{{Tag: group + "loss", Value: r.Loss}, {Tag: group + "grad_norm", Value: r.GradNorm}}
	unlessZero := func(name string, value float64) {
		if value != 0 {
			scalars = append(scalars, tensorboard.Scalar{Tag: group + name, Value: value})
		}
	}
	for _, t := range losses.Named() {
		unlessZero(t.Name, r.Terms[t.Name])
	}
	unlessZero("sampled_clusters", r.Sampled)
	return append(scalars,
		tensorboard.Scalar{Tag: "batch/points", Value: float64(r.Points)},
		tensorboard.Scalar{Tag: "batch/clusters", Value: r.Clusters},
		tensorboard.Scalar{Tag: "run/learning_rate", Value: r.Rate},
		tensorboard.Scalar{Tag: "run/seconds", Value: r.Seconds})
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
