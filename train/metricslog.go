package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
)

// Validation is the line that follows a step's line when the weights were validated. Found far from Truth, or an NMI
// near 0, is a collapse: all points in one cluster, or each in its own.
type Validation struct {
	Step  int     `json:"step"`
	Loss  float64 `json:"validation_loss"`
	NMI   float64 `json:"nmi"`            // of greedy decoding against the true labels, mean over the sets
	Found float64 `json:"found_clusters"` // mean number that greedy decoding finds
	Truth float64 `json:"true_clusters"`
	Best  bool    `json:"best"` // the lowest loss so far
}

// openMetrics opens metrics.jsonl, which has one JSON object a line: a StepReport for each step and, after some, a
// Validation. Lines after the progress done, and a line cut off by a crash, are dropped.
func openMetrics(path string, done progress) (*os.File, error) {
	old, err := fileio.ReadFile(path)
	if err == nil {
		err = atomicfile.WriteFile(path, keepUpTo(old, done), 0o644)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the metrics log: %w", err)
	}
	return file, nil
}

// keepUpTo returns the whole lines of a log up to the progress done.
func keepUpTo(log []byte, done progress) (kept []byte) {
	for line := range bytes.Lines(log) {
		var r struct {
			Step int
			Kind string // empty: a validation
		}
		if json.Unmarshal(line, &r) != nil || !bytes.HasSuffix(line, []byte("\n")) || r.Step > done.Step ||
			done.Unvalidated && r.Step == done.Step && r.Kind == "" {
			break
		}
		kept = append(kept, line...)
	}
	return kept
}

// Replay calls Step and Valid of hear for each line of the log of a run directory, as the run did. The number of steps
// is 0. A line that is not JSON of either kind is a *usererr.Error.
func Replay(dir string, hear Listener) error {
	path := LogPath(dir)
	log, err := fileio.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the log of run %s: %w", dir, err)
	}
	row := 0
	for line := range bytes.Lines(log) {
		row++
		var r StepReport
		var v Validation
		if err := errors.Join(json.Unmarshal(line, &r), json.Unmarshal(line, &v)); err != nil {
			return usererr.File(path, row, "move the file away", "is no line of a run's log (%v)", err)
		}
		switch {
		case r.Kind != "" && hear.Step != nil:
			hear.Step(r, 0)
		case r.Kind == "" && hear.Valid != nil:
			hear.Valid(v)
		}
	}
	return nil
}

// LastStep returns the last StepReport in the log of a run directory; ok is false if the log has no whole step.
func LastStep(dir string) (last StepReport, ok bool) {
	const tail = 8192 // bytes; a line has a few hundred
	file, err := fileio.Open(LogPath(dir))
	if err != nil {
		return last, false
	}
	defer func() { _ = file.Close() }()
	size, _ := file.Seek(0, io.SeekEnd)
	end, _ := io.ReadAll(io.NewSectionReader(file, max(0, size-tail), tail))
	for line := range bytes.Lines(end) {
		var r StepReport
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &r) == nil && r.Kind != "" {
			last, ok = r, true
		}
	}
	return last, ok
}

// StepReport says what one step did. In JSON the terms stand after the loss, each under its own name (docs/json.md).
type StepReport struct {
	Step     int                `json:"step"` // counted from 1
	Kind     string             `json:"kind"` // "likelihood", "warm-up", "data", "explore"; for a peer its name
	Loss     float64            `json:"loss"`
	Terms    map[string]float64 `json:"-"`         // the loss's parts, by the names of losses.Named
	GradNorm float64            `json:"grad_norm"` // before clipping
	Rate     float64            `json:"learning_rate"`
	Points   int                `json:"points"`   // N of the batch
	Clusters float64            `json:"clusters"` // mean K of the data's labels
	// mean K of the negative samples: far from Clusters means a collapse
	Sampled float64 `json:"sampled,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // wall time of the step
}

type plainReport StepReport

// MarshalJSON writes every Logged term, 0 if the step did not compute it, and other terms if they are not 0.
func (r StepReport) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(plainReport(r))
	if err != nil {
		return nil, err
	}
	var terms []byte
	for _, t := range losses.Named() {
		if !t.Logged && r.Terms[t.Name] == 0 {
			continue
		}
		value, err := json.Marshal(map[string]float64{t.Name: r.Terms[t.Name]})
		if err != nil {
			return nil, err
		}
		terms = append(append(terms, ','), value[1:len(value)-1]...)
	}
	return slices.Insert(text, bytes.Index(text, []byte(`,"grad_norm":`)), terms...), nil
}

// UnmarshalJSON is the inverse of MarshalJSON; terms of 0 are left out.
func (r *StepReport) UnmarshalJSON(text []byte) error {
	var fields map[string]any
	if err := errors.Join(json.Unmarshal(text, (*plainReport)(r)), json.Unmarshal(text, &fields)); err != nil {
		return err
	}
	r.Terms = map[string]float64{}
	for _, t := range losses.Named() {
		if value, _ := fields[t.Name].(float64); value != 0 {
			r.Terms[t.Name] = value
		}
	}
	return nil
}
