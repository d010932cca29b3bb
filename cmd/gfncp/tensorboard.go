package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/tensorboard"
	"github.com/gfncp/gfncp/train"
)

// eventLog writes a run's log as TensorBoard events: first the lines of the log, then the reports of the run. So one
// file has all curves, whatever sessions wrote them. Curves are no result: a fault in writing them is a warning, and
// the training goes on without them.
type eventLog struct {
	run    string
	warn   func(error)
	writer *tensorboard.Writer // nil before begin, and after a fault
	began  bool
}

// runWithEvents is root.Train with the event log that --tensorboard asks for.
func runWithEvents(c *cli.Context, config train.Config, dir string, hear train.Listener) (train.Result, error) {
	options := &root.TrainOptions{Backend: c.String("backend"), Listener: hear}
	if !c.Bool("tensorboard") {
		return root.Train(c.Context, config, dir, options)
	}
	log := &eventLog{run: dir, warn: hear.Warn}
	defer log.close()
	options.Listener = log.beside(hear)
	result, err := root.Train(c.Context, config, dir, options)
	if err == nil && !log.began { // a finished run starts no session
		log.begin()
	}
	return result, err
}

// beside returns a listener for both hear, which has all functions, and the event log.
func (l *eventLog) beside(hear train.Listener) train.Listener {
	both, own := hear, l.curves(func(time.Duration) time.Time { return time.Now() })
	both.Start = func(step, steps int, resumed bool) {
		l.begin()
		hear.Start(step, steps, resumed)
	}
	both.Step = func(r train.StepReport, steps int) {
		own.Step(r, steps)
		hear.Step(r, steps)
	}
	both.Valid = func(v train.Validation) {
		own.Valid(v)
		if l.writer != nil {
			l.check(l.writer.Sync())
		}
		hear.Valid(v)
	}
	return both
}

// begin starts the event file anew with all that the run's log holds. The log has no times: the last line gets the
// file's, and the others the steps' seconds before it.
func (l *eventLog) begin() {
	l.began = true
	at := time.Now()
	if log, err := os.Stat(train.LogPath(l.run)); err == nil {
		at = log.ModTime()
	}
	err := train.Replay(l.run, train.Listener{Step: func(r train.StepReport, _ int) { at = at.Add(-took(r)) }})
	if err == nil || errors.Is(err, fs.ErrNotExist) { // it may be the first session
		l.writer, err = tensorboard.Create(filepath.Join(l.run, "tensorboard"), time.Now())
	}
	l.check(err)
	_ = train.Replay(l.run, l.curves(func(took time.Duration) time.Time {
		at = at.Add(took)
		return at
	}))
}

func took(r train.StepReport) time.Duration { return time.Duration(r.Seconds * float64(time.Second)) }

func (l *eventLog) add(at time.Time, step int, scalars ...tensorboard.Scalar) {
	if l.writer != nil {
		l.check(l.writer.Add(at, step, scalars...))
	}
}

// check warns of a fault, once: no more is written then.
func (l *eventLog) check(err error) {
	if err == nil {
		return
	}
	l.close()
	l.warn(fmt.Errorf("no more TensorBoard events: %w", err))
}

func (l *eventLog) close() {
	if l.writer != nil {
		_ = l.writer.Close() // each validation has synced it; a fault here cannot be mended
		l.writer = nil
	}
}

// curves returns a listener that adds a point to each curve of a report. at returns the report's time, given how long
// its step took. Exploration steps have curves of their own, since their losses are of another size. A term that the
// step has not (0 in its report) has no point.
func (l *eventLog) curves(at func(took time.Duration) time.Time) train.Listener {
	step := func(r train.StepReport, _ int) {
		group := "train/"
		if r.Explores() {
			group = "explore/"
		}
		scalars := []tensorboard.Scalar{
			{Tag: group + "loss", Value: r.Loss},
			{Tag: group + "grad_norm", Value: r.GradNorm},
		}
		for _, name := range slices.Sorted(maps.Keys(r.Terms)) {
			if value := r.Terms[name]; value != 0 {
				scalars = append(scalars, tensorboard.Scalar{Tag: group + name, Value: value})
			}
		}
		if r.Sampled != 0 {
			scalars = append(scalars, tensorboard.Scalar{Tag: group + "sampled_clusters", Value: r.Sampled})
		}
		l.add(at(took(r)), r.Step, append(scalars, []tensorboard.Scalar{
			{Tag: "batch/points", Value: float64(r.Points)},
			{Tag: "batch/clusters", Value: r.Clusters},
			{Tag: "run/learning_rate", Value: r.Rate},
			{Tag: "run/seconds", Value: r.Seconds},
		}...)...)
	}
	valid := func(v train.Validation) {
		l.add(at(0), v.Step, []tensorboard.Scalar{
			{Tag: "valid/loss", Value: v.Loss},
			{Tag: "valid/nmi", Value: v.NMI},
			{Tag: "valid/found_clusters", Value: v.Found},
			{Tag: "valid/true_clusters", Value: v.Truth},
		}...)
	}
	return train.Listener{Step: step, Valid: valid}
}
