package train_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/safetensors"
)

// lossColumn lists step, kind and loss of a run's log, one line each.
func lossColumn(t *testing.T, dir string) string {
	t.Helper()
	file := must.M1(os.Open(filepath.Join(dir, "metrics.jsonl")))
	defer func() { _ = file.Close() }()
	text := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Step  int      `json:"step"`
			Kind  string   `json:"kind"`
			Loss  float64  `json:"loss"`
			Valid *float64 `json:"validation_loss"`
		}
		must.M(json.Unmarshal(lines.Bytes(), &line))
		if line.Valid != nil {
			text += fmt.Sprintln(line.Step, "valid", *line.Valid)
			continue
		}
		text += fmt.Sprintln(line.Step, line.Kind, line.Loss)
	}
	return text
}

// stateHash is the SHA-256 of all tensors of a checkpoint, the optimizer's included.
func stateHash(t *testing.T, path string) string {
	t.Helper()
	h := sha256.New()
	for _, tensor := range must.M1(safetensors.ReadFile(path)).Tensors {
		fmt.Fprintln(h, tensor.Name, tensor.DType, tensor.Shape)
		h.Write(tensor.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func tensorNames(t *testing.T, path string) []string {
	t.Helper()
	var names []string
	for _, tensor := range must.M1(safetensors.ReadFile(path)).Tensors {
		names = append(names, tensor.Name)
	}
	if len(names) < 10 {
		t.Fatalf("only %d tensors in %s", len(names), path)
	}
	return names
}

func relative(a, b float64) float64 { return math.Abs(a-b) / math.Max(math.Abs(a), math.Abs(b)) }
