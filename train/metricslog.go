package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
)

// metricsLog appends one JSON object a line to metrics.jsonl: a StepReport for each step and, after some, a validation.
type metricsLog struct {
	file *os.File
}

// Validation is the line that follows a step's line when the weights were validated. Found far from Truth, or an NMI near
// 0, is a collapse: all points in one cluster, or each in its own.
type Validation struct {
	Step  int     `json:"step"`
	Loss  float64 `json:"validation_loss"`
	NMI   float64 `json:"nmi"`            // of greedy decoding against the true labels, mean over the sets
	Found float64 `json:"found_clusters"` // mean number that greedy decoding finds
	Truth float64 `json:"true_clusters"`
	Best  bool    `json:"best"` // the lowest loss so far
}

// openMetrics opens the log for appending after the given step; lines of later steps, and a line cut off by a crash, are
// dropped.
func openMetrics(path string, step int) (*metricsLog, error) {
	if old, err := os.ReadFile(path); err == nil {
		if err := atomicfile.WriteFile(path, keepUpTo(old, step), 0o644); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the metrics log: %w", err)
	}
	return &metricsLog{file}, nil
}

// keepUpTo returns the whole lines of a log whose step is at most the given one.
func keepUpTo(log []byte, step int) []byte {
	var kept bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		var line struct {
			Step int `json:"step"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Step > step {
			break
		}
		kept.Write(lines.Bytes())
		kept.WriteByte('\n')
	}
	return kept.Bytes()
}

// ReadValidations returns the validations in the log of a run directory, in order of their steps.
func ReadValidations(dir string) ([]Validation, error) {
	log, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("read the log of run %s: %w", dir, err)
	}
	var all []Validation
	for line := range bytes.Lines(log) {
		v := struct {
			Loss *float64 `json:"validation_loss"`
		}{}
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("read the log of run %s: %w", dir, err)
		}
		if v.Loss == nil {
			continue
		}
		var validation Validation
		if err := json.Unmarshal(line, &validation); err != nil {
			return nil, fmt.Errorf("read the log of run %s: %w", dir, err)
		}
		all = append(all, validation)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("run %s has not validated yet", dir)
	}
	return all, nil
}

func (l *metricsLog) add(r StepReport) error { return l.write(r) }

func (l *metricsLog) addValidation(v Validation) error { return l.write(v) }

func (l *metricsLog) write(line any) error {
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
