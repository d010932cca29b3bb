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
	file := &safetensors.File{Metadata: map[string]string{
		metaFormat: formatWeights, metaConfig: m.Config.String(), metaCard: string(card),
	}}
	write := safetensors.FromFloat32s
	if m.Half {
		write = safetensors.FromHalves
	}
	return file, writeParams(file, m.Params, write)
}

// numberFormat makes a tensor of a file from numbers: safetensors.FromFloat32s or FromHalves.
type numberFormat func(name string, shape []int, values []float32) (safetensors.Tensor, error)

// writeParams adds weights to a file.
func writeParams(file *safetensors.File, ps models.Params, format numberFormat) error {
	for _, p := range ps {
		t, err := format(p.Name, p.Shape, p.Data)
		if err != nil {
			return err
		}
		file.Tensors = append(file.Tensors, t)
	}
	return nil
}

// readParams fills a layout with the values of a file. It fails if one is missing or has another shape.
func readParams(file *safetensors.File, layout models.Params) (err error) {
	for i := range layout {
		p := &layout[i]
		t, ok := file.Tensor(p.Name)
		if !ok {
			return fmt.Errorf("it lacks the weight %s", p.Name)
		}
		if !slices.Equal(t.Shape, p.Shape) {
			return fmt.Errorf("its weight %s has shape %v instead of %v", p.Name, t.Shape, p.Shape)
		}
		if p.Data, err = safetensors.Float32s(t); err != nil {
			return fmt.Errorf("its weight %s cannot be read (%w)", p.Name, err)
		}
	}
	return nil
}

// Halve rounds the weights to half precision: a file of half the size, by a relative error of at most 1/2048 in each
// weight. Weights beyond ±65504 are an error, and change nothing.
func (m *Model) Halve() error {
	rounded := slices.Clone(m.Params)
	for i, p := range rounded {
		t, err := safetensors.FromHalves(p.Name, p.Shape, p.Data)
		if err == nil {
			rounded[i].Data, err = safetensors.Float32s(t)
		}
		if err != nil {
			return fmt.Errorf("round to half precision: %w", err)
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
	m := &Model{Config: c, Params: c.Layout()}
	if text := file.Metadata[metaCard]; text != "" {
		if err := json.Unmarshal([]byte(text), &m.Card); err != nil {
			return nil, foreign("its model card cannot be read (%v)", err)
		}
	}
	var p progress
	if format == formatCheckpoint && json.Unmarshal([]byte(file.Metadata[metaProgress]), &p) == nil {
		m.Card.Steps, m.Card.Seconds, m.Card.Selected = p.Step, p.Seconds, fmt.Sprintf("step %d", p.Step)
	}
	m.Half = slices.ContainsFunc(file.Tensors, func(t safetensors.Tensor) bool { return t.DType == "F16" })
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

func checkSum(path string, file *safetensors.File) error {
	want, sealed := file.Metadata[safetensors.MetaSum]
	if !sealed {
		return usererr.File(path, 0, "train or export it anew, or take another one",
			"has no checksum: it is damaged, or a gfncp of before 0.1.0 wrote it")
	}
	got, err := safetensors.Checksum(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if got != want {
		return usererr.File(path, 0, "copy it anew, or take another one",
			"is damaged: its checksum is not that of its content")
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
