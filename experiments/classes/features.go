package classes

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
)

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

// Center moves the last bias so that h of images x [M,784] has mean 0, but for rounding. Energy networks sum h, and a
// large common part would leave little of vectors of length 1.
func (e *Encoder) Center(x []float32) error {
	h, err := e.Encode(x)
	if err != nil {
		return err
	}
	mean, m := make([]float64, Dim), float64(len(h)/Dim)
	for i, v := range h {
		mean[i%Dim] += float64(v) / m
	}
	last := &e.Params[len(e.Params)-1]
	bias := make([]float32, Dim)
	for j, v := range last.Data {
		bias[j] = v - float32(mean[j])
	}
	last.Data = bias
	return nil
}

// atOnce is how many images every call encodes, so that a feature does not depend on how many there are.
const atOnce = 500

// Encode returns h [M,Dim] of images x [M,784] with pixels in 0..1, without augmentation, computed on the Go backend.
func (e *Encoder) Encode(x []float32) (h []float32, err error) {
	choice, err := engine.Choose("go")
	if err != nil {
		return nil, err
	}
	backend, err := choice.Open()
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	encode, err := engine.NewFunc(backend, "encoder of images", func(in []*Node) []*Node {
		return []*Node{network().EncodePoints(in[0], in[1:], nil)}
	})
	if err != nil {
		return nil, err
	}
	pixels, weights := network().Dim, e.Params.Tensors()
	defer engine.Free(weights...)
	some := make([]float32, atOnce*pixels)
	for from := 0; from < len(x); from += len(some) {
		copied := copy(some, x[from:])
		data.NetworkUnits(some[:copied])
		images := tensors.FromFlatDataAndDimensions(some, atOnce, pixels)
		out, err := encode.Call(append([]*tensors.Tensor{images}, weights...)...)
		engine.Free(images)
		if err != nil {
			return nil, err
		}
		rows, err := engine.Float32s(out[0])
		engine.Free(out...)
		if err != nil {
			return nil, err
		}
		h = append(h, rows[:copied/pixels*Dim]...)
	}
	return h, nil
}
