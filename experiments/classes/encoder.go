package classes

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Encoder is the encoder h of a trained energy network alone, which makes a vector of an image.
type Encoder struct {
	Config string     // how the network was trained, TOML
	Card   train.Card // where it comes from
	Params models.Params
}

// Dim is the number of coordinates of a feature: the width of h.
const Dim = 128

// network is what the encoders are.
func network() models.Config {
	c := models.DefaultImages()
	c.Embed = Dim
	return c
}

//go:embed encoders/*.safetensors
var shipped embed.FS

// Shipped is the encoder of a split, 1 to Splits. The error wraps fs.ErrNotExist if there is none.
func Shipped(split int) (*Encoder, error) {
	content, err := fs.ReadFile(shipped, "encoders/"+Name(split)+".safetensors")
	if err != nil {
		return nil, fmt.Errorf("the encoder of %s: %w", Name(split), err)
	}
	return decode(Name(split), content)
}

// EncoderOf takes the encoder out of a trained model of images, rounded to half precision.
func EncoderOf(m *train.Model) (*Encoder, error) {
	if err := m.Halve(); err != nil {
		return nil, err
	}
	e := &Encoder{Config: m.Config.String(), Card: m.Card, Params: network().EncoderLayout("h")}
	for i := range e.Params {
		p := &e.Params[i]
		at := slices.IndexFunc(m.Params, func(of models.Param) bool { return of.Name == p.Name })
		if at < 0 {
			return nil, fmt.Errorf("take out the encoder: the model has no %s", p.Name)
		}
		p.Data = m.Params[at].Data
	}
	return e, network().EncoderLayout("h").Check(e.Params)
}

// The keys of a file's metadata.
const (
	keyConfig = "gfncp.config"
	keyCard   = "gfncp.card"
)

// Write writes the encoder in half precision, as Shipped reads it.
func (e *Encoder) Write(path string) error {
	card, err := json.Marshal(e.Card)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	file := &safetensors.File{Metadata: map[string]string{keyConfig: e.Config, keyCard: string(card)}}
	for _, p := range e.Params {
		t, err := safetensors.FromHalves(p.Name, p.Shape, p.Data)
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		file.Tensors = append(file.Tensors, t)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) })
}

func decode(name string, content []byte) (*Encoder, error) {
	file, err := safetensors.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("the encoder of %s: %w", name, err)
	}
	e := &Encoder{Config: file.Metadata[keyConfig], Params: network().EncoderLayout("h")}
	if err := json.Unmarshal([]byte(file.Metadata[keyCard]), &e.Card); err != nil {
		return nil, fmt.Errorf("the card of the encoder of %s: %w", name, err)
	}
	for i := range e.Params {
		p := &e.Params[i]
		t, _ := file.Tensor(p.Name)
		if p.Data, err = safetensors.Float32s(t); err != nil {
			return nil, fmt.Errorf("the encoder of %s: %w", name, err)
		}
	}
	return e, network().EncoderLayout("h").Check(e.Params)
}
