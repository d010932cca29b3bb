package classes

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// Encoder holds the weights of the encoder h of a trained energy network. It maps an image to a vector.
type Encoder models.Params

// Dim is the number of coordinates of a feature: the width of h.
const Dim = 128

// network returns the config of the encoders.
func network() models.Config {
	c := models.DefaultImages()
	c.Embed = Dim
	return c
}

// layout has the names and shapes of an encoder's weights.
func layout() models.Params { return network().EncoderLayout("h") }

//go:embed encoders/*.safetensors
var shipped embed.FS

// Shipped returns the encoder of a split, 1 to Splits. The error wraps fs.ErrNotExist if the split has no encoder.
func Shipped(split int) (Encoder, error) {
	content, err := shipped.ReadFile("encoders/" + Name(split) + ".safetensors")
	if err != nil {
		return nil, fmt.Errorf("the encoder of %s: %w", Name(split), err)
	}
	e, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("the encoder of %s: %w", Name(split), err)
	}
	return e, nil
}

func decode(content []byte) (Encoder, error) {
	file, err := safetensors.Decode(content)
	if err != nil {
		return nil, err
	}
	e := layout()
	for i := range e {
		e[i].Data = file.Tensors[e[i].Name].Data
	}
	return Encoder(e), layout().Check(e)
}

// EncoderOf takes the encoder out of a trained model of images, rounded to half precision.
func EncoderOf(m *train.Model) (Encoder, error) {
	if err := m.Halve(); err != nil {
		return nil, err
	}
	ofOthers := func(p models.Param) bool { return !strings.HasPrefix(p.Name, "h.") }
	e := slices.DeleteFunc(slices.Clone(m.Params), ofOthers)
	return Encoder(e), layout().Check(e)
}

// Write writes the encoder of a model in half precision, as Shipped reads it, with the model's config and card.
func (e Encoder) Write(path string, m *train.Model) error {
	card, err := json.Marshal(m.Card)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	file := &safetensors.File{
		Metadata: map[string]string{"gfncp.config": m.Config.String(), "gfncp.card": string(card)},
		Tensors:  map[string]safetensors.Tensor{}, Half: true,
	}
	for _, p := range e {
		file.Tensors[p.Name] = safetensors.Tensor{Shape: p.Shape, Data: p.Data}
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) })
}

// Sets have the sizes of the paper's features; factor gives features of length 1 coordinates of root mean square 1.
const (
	nMin, nMax = 20, 50
	factor     = 11.3 // √128
)

// features describes the features of a split.
func features(split int) data.Descriptor {
	d := images(split)
	d.Name, d.Title = Name(split), fmt.Sprintf("features of %s by an encoder of its training half", d.Name)
	d.Shape, d.Dim, d.Factor, d.Height, d.Width = data.Vectors, Dim, factor, 0, 0
	d.NMin, d.NMax, d.TestPoints = nMin, nMax, nMax
	d.Derive = func(dir, which string) (*data.Pool, error) { return featuresOf(dir, split, which) }
	return d
}

// featuresOf returns the features of a half's images (imagesOf), each of length 1.
func featuresOf(dir string, split int, which string) (*data.Pool, error) {
	from, err := imagesOf(dir, split, which)
	if err != nil {
		return nil, err
	}
	encoder, err := Shipped(split)
	if err != nil {
		return nil, err
	}
	p := &data.Pool{Name: Name(split) + "/" + which, D: Dim, Labels: from.Labels, Classes: from.Classes}
	if p.X, err = encoder.Encode(from.X); err != nil {
		return nil, fmt.Errorf("features of %s: %w", from.Name, err)
	}
	p.Normalize()
	return p, p.Check()
}

// Center shifts the last bias so that h of images x [M,784] has mean 0, up to rounding. Energy networks sum h, and a
// large mean would dominate vectors of length 1.
func (e Encoder) Center(x []float32) error {
	h, err := e.Encode(x)
	if err != nil {
		return err
	}
	mean, m := make([]float64, Dim), float64(len(h)/Dim)
	for i, v := range h {
		mean[i%Dim] += float64(v) / m
	}
	last := &e[len(e)-1]
	bias := make([]float32, Dim)
	for j, v := range last.Data {
		bias[j] = v - float32(mean[j])
	}
	last.Data = bias
	return nil
}

// atOnce is the number of images in every call, so that a feature does not depend on the number of images.
const atOnce = 500

// Encode returns h [M,Dim] of images x [M,784] with pixels in 0..1, without augmentation, computed on the Go backend.
func (e Encoder) Encode(x []float32) (h []float32, err error) {
	backend, err := engine.OpenGo()
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	net := network()
	o, err := peers.OpenWeights("encoder", backend, layout(), models.Params(e), net.Dim)
	if err != nil {
		return nil, err
	}
	encode := o.Func("features of images", func(weights, in []*Node) []*Node {
		return []*Node{net.EncodePoints(in[0], weights, nil)}
	})
	inputs := slices.Clone(x)
	data.NetworkUnits(inputs)
	out, err := o.Map(encode, inputs, atOnce, func(int) int { return atOnce })
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return out[0], nil
}
