package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// The metadata keys of every file this package writes (docs/models.md).
const (
	metaFormat = "gfncp.format" // "weights" or "checkpoint"
	metaConfig = "gfncp.config" // the run's config as TOML
	metaCard   = "gfncp.card"   // the model card as JSON

	formatWeights    = "weights"
	formatCheckpoint = "checkpoint"
)

// Card describes weights: their origin, and their results.
type Card struct {
	Name     string             `json:"name,omitempty"`
	Steps    int                `json:"steps"`             // optimizer steps behind these weights
	Seconds  float64            `json:"seconds"`           // training time
	Machine  string             `json:"machine,omitempty"` // processor and cores
	Backend  string             `json:"backend,omitempty"`
	Commit   string             `json:"commit,omitempty"`
	Selected string             `json:"selected,omitempty"` // the rule that chose these weights
	Loss     float64            `json:"validation_loss"`
	Metrics  map[string]float64 `json:"metrics,omitempty"` // held-out results, by name
	Notes    []string           `json:"notes,omitempty"`
}

// Model is a trained network with the config of its training, whose data section describes the training sets.
type Model struct {
	Config Config
	Params models.Params
	Card   Card
	// Half says that all weights are numbers of half precision (Halve). WriteModel then writes half precision.
	Half bool
}

// WriteModel writes a model as safetensors with a checksum, atomically.
func WriteModel(path string, m *Model) error {
	file, err := m.encode()
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeSafetensors(path, file)
}

func (m *Model) encode() (*safetensors.File, error) {
	if err := m.Config.Layout().Check(m.Params); err != nil {
		return nil, err
	}
	card, err := json.Marshal(m.Card)
	if err != nil {
		return nil, fmt.Errorf("encode the model card: %w", err)
	}
	return fileOf(m.Params, m.Half, map[string]string{
		metaFormat: formatWeights, metaConfig: m.Config.String(), metaCard: string(card),
	}), nil
}

func fileOf(ps models.Params, half bool, metadata map[string]string) *safetensors.File {
	file := &safetensors.File{Metadata: metadata, Tensors: map[string]safetensors.Tensor{}, Half: half}
	for _, p := range ps {
		file.Tensors[p.Name] = safetensors.Tensor{Shape: p.Shape, Data: p.Data}
	}
	return file
}

// readParams fills a layout with the values of a file. It fails if one is missing or has another shape.
func readParams(file *safetensors.File, layout models.Params) error {
	for i := range layout {
		p := &layout[i]
		t, ok := file.Tensors[p.Name]
		if !ok {
			return fmt.Errorf("it lacks the weight %s", p.Name)
		}
		if !slices.Equal(t.Shape, p.Shape) {
			return fmt.Errorf("its weight %s has shape %v instead of %v", p.Name, t.Shape, p.Shape)
		}
		p.Data = t.Data
	}
	return nil
}

// Halve rounds the weights to half precision: a file of half the size, by a relative error of at most 1/2048 in each
// weight. Weights beyond ±65504 are an error, and change nothing.
func (m *Model) Halve() (err error) {
	rounded := slices.Clone(m.Params)
	for i, p := range rounded {
		if rounded[i].Data, err = safetensors.Halves(p.Data); err != nil {
			return fmt.Errorf("round weight %s to half precision: %w", p.Name, err)
		}
	}
	m.Params, m.Half = rounded, true
	return nil
}

// ReadModel reads a model file: one written by WriteModel, or a training checkpoint, whose current weights are taken. A
// missing, damaged or foreign file is a usererr.Error.
func ReadModel(path string) (*Model, error) {
	file, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeModel(path, file)
}

// DecodeModel reads a model from the bytes of a file; name stands for the path in errors.
func DecodeModel(name string, content []byte) (*Model, error) {
	file, err := safetensors.Decode(content)
	if err != nil {
		return nil, usererr.File(name, 0, "give a model file written by gfncp", "%v", err)
	}
	return decodeModel(name, file)
}

func decodeModel(path string, file *safetensors.File) (*Model, error) {
	foreign := func(format string, args ...any) error {
		return usererr.File(path, 0, "give a model file written by gfncp train or gfncp export", format, args...)
	}
	format := file.Metadata[metaFormat]
	if format != formatWeights && format != formatCheckpoint {
		return nil, foreign("is a safetensors file, but not of gfncp")
	}
	if err := checkSum(path, file); err != nil {
		return nil, err
	}
	c, err := ParseConfig(path, []byte(file.Metadata[metaConfig]), Config{})
	if err != nil {
		return nil, foreign("its config cannot be read (%v)", err)
	}
	if err := c.Validate(); err != nil {
		return nil, foreign("its config is not valid (%v)", err)
	}
	m := &Model{Config: c, Params: c.Layout(), Half: file.Half}
	if text := file.Metadata[metaCard]; text != "" {
		if err := json.Unmarshal([]byte(text), &m.Card); err != nil {
			return nil, foreign("its model card cannot be read (%v)", err)
		}
	}
	var p progress
	if format == formatCheckpoint && json.Unmarshal([]byte(file.Metadata[metaProgress]), &p) == nil {
		m.Card.Steps, m.Card.Seconds, m.Card.Selected = p.Step, p.Seconds, fmt.Sprintf("step %d", p.Step)
	}
	if err := readParams(file, m.Params); err != nil {
		return nil, foreign("%v", err)
	}
	if err := c.Layout().Check(m.Params); err != nil {
		return nil, foreign("%v", err)
	}
	m.Card.Name = cmp.Or(m.Card.Name, filepath.Base(path))
	return m, nil
}

func writeSafetensors(path string, file *safetensors.File) (err error) {
	if file.Metadata[safetensors.MetaSum], err = safetensors.Checksum(file); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) })
}

// checkSum fails for a file whose checksum is missing or wrong.
func checkSum(path string, file *safetensors.File) error {
	if sum, err := safetensors.Checksum(file); err != nil || sum != file.Metadata[safetensors.MetaSum] {
		return usererr.File(path, 0, "copy it anew, or take another one",
			"is damaged: it has not the checksum of its content")
	}
	return nil
}

func checkFile(path string) error {
	file, err := safetensors.ReadFile(path)
	if err == nil {
		err = checkSum(path, file)
	}
	return err
}
