package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gfncp/gfncp/internal/tensorboard"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// logged is one line of a run's log as an event.
type logged struct {
	at      time.Time
	step    int
	scalars []tensorboard.Scalar
}

// missing returns the lines of the run's log up to a step that its event files lack: all from the first step on at which the two
// differ. The log has no times: the last line gets the file's, and the others the steps' seconds before it.
func (l *eventLog) missing(step int) ([]logged, error) {
	history, err := tensorboard.History(eventsDir(l.run))
	if err != nil {
		return nil, err
	}
	lines, err := readLog(filepath.Join(l.run, "metrics.jsonl"))
	if err != nil {
		return nil, err
	}
	lines = slices.DeleteFunc(lines, func(line logged) bool { return line.step > step })
	same := 0
	for same < min(len(lines), len(history)) && lines[same].is(history[same]) {
		same++
	}
	for same < len(lines) && same > 0 && lines[same-1].step == lines[same].step {
		same-- // a session starts with a whole step
	}
	return lines[same:], nil
}

// is reports whether an event is the line's. The seconds, which a step never takes twice, tell a step that was trained anew.
func (l logged) is(e tensorboard.Event) bool {
	return e.Step == l.step && slices.EqualFunc(e.Scalars, l.scalars, func(a, b tensorboard.Scalar) bool {
		return a.Tag == b.Tag && float32(a.Value) == float32(b.Value)
	})
}

// readLog reads a run's log: none if there is no file yet.
func readLog(path string) ([]logged, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's log: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the run's log: %w", err)
	}
	var lines []logged
	var took []float64
	row := 0
	for text := range bytes.Lines(text) {
		row++
		line, seconds, err := readLine(text)
		if err != nil {
			return nil, usererr.File(path, row, "move the file away", "is no line of a run's log (%v)", err)
		}
		lines, took = append(lines, line), append(took, seconds)
	}
	at := info.ModTime()
	for i := len(lines) - 1; i >= 0; i-- {
		lines[i].at = at
		at = at.Add(-time.Duration(took[i] * float64(time.Second)))
	}
	return lines, nil
}

// readLine reads one line of a run's log, a step's or a validation's, and how many seconds it took.
func readLine(text []byte) (logged, float64, error) {
	var r train.StepReport
	if err := json.Unmarshal(text, &r); err != nil {
		return logged{}, 0, err
	}
	if r.Kind != "" {
		return logged{step: r.Step, scalars: stepScalars(r)}, r.Seconds, nil
	}
	var v train.Validation
	err := json.Unmarshal(text, &v)
	return logged{step: v.Step, scalars: validScalars(v)}, 0, err
}
