package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
		err = atomicfile.WriteFile(path, keepUpTo(old, done))
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
		var v struct {
			Validation
			Kind string // of a step; a validation has none
		}
		err := json.Unmarshal(line, &v)
		if err == nil && v.Kind != "" {
			err = json.Unmarshal(line, &r)
		}
		switch {
		case err != nil:
			return usererr.File(path, row, "move the file away", "is no line of a run's log (%v)", err)
		case r.Kind != "" && hear.Step != nil:
			hear.Step(r, 0)
		case r.Kind == "" && hear.Valid != nil:
			hear.Valid(v.Validation)
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

// StepReport says what one step did.
type StepReport struct {
	Step     int                `json:"step"` // counted from 1
	Kind     string             `json:"kind"` // "likelihood", "warm-up", "data", "explore"; for a peer its name
	Loss     float64            `json:"loss"`
	Terms    map[string]float64 `json:",embed"`    // the parts of the loss that the step computed, by name
	GradNorm float64            `json:"grad_norm"` // before clipping
	Rate     float64            `json:"learning_rate"`
	Points   int                `json:"points"`   // N of the batch
	Clusters float64            `json:"clusters"` // mean K of the data's labels
	// mean K of the negative samples: far from Clusters means a collapse
	Sampled float64 `json:"sampled,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // wall time of the step
}

// Explores reports whether the step was on the labels of exploration; its loss is of another size than other steps'.
func (r StepReport) Explores() bool { return r.Kind == losses.ExplorationStep }
