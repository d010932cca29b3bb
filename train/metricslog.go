package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// metricsLog appends one JSON object a line to metrics.jsonl: a StepReport for each step and, after some, a validation.
type metricsLog struct {
	file *os.File
}

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

// openMetrics opens the log for appending after what is done; lines of what comes later, and a line cut off by a crash,
// are dropped.
func openMetrics(path string, done progress) (*metricsLog, error) {
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
	return &metricsLog{file}, nil
}

// keepUpTo returns the whole lines of a log about what is done.
func keepUpTo(log []byte, done progress) []byte {
	var kept bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		var line struct {
			Step int    `json:"step"`
			Kind string `json:"kind"` // empty: a validation
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Step > done.Step ||
			done.Unvalidated && line.Step == done.Step && line.Kind == "" {
			break
		}
		kept.Write(lines.Bytes())
		kept.WriteByte('\n')
	}
	return kept.Bytes()
}

// Replay calls Step and Valid of hear for each line of the log of a run directory, as the run did. The number of steps
// is 0. A line that is not part of such a log is a *usererr.Error.
func Replay(dir string, hear Listener) error {
	path := filepath.Join(dir, "metrics.jsonl")
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

// ReadValidations returns the validations in the log of a run directory, in order of their steps.
func ReadValidations(dir string) (all []Validation, err error) {
	err = Replay(dir, Listener{Valid: func(v Validation) { all = append(all, v) }})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("run %s has not validated yet", dir)
	}
	return all, err
}

// LastStep reads the last whole line of a step in the log of a run directory; ok is false if there is none.
func LastStep(dir string) (last StepReport, ok bool) {
	const tail = 8192 // bytes that hold it; a line has a few hundred
	file, err := fileio.Open(filepath.Join(dir, "metrics.jsonl"))
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

// add appends a StepReport or a Validation.
func (l *metricsLog) add(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write the metrics log: %w", err)
	}
	if _, err := l.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the metrics log: %w", err)
	}
	return nil
}

func (l *metricsLog) close() { _ = l.file.Close() }
