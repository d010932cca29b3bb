package models

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// Param is one weight tensor on the host, row-major: a matrix [in, out] (y = x·W), a kernel [height, width, in, out]
// or a bias [out].
type Param struct {
	Name  string // e.g. "g.0.weight": network, layer from 0, weight or bias
	Shape []int
	Data  []float32
	Start []float32 // of a layout: the last values at step 0 if they are not random
}

// Params are all weights of one network, in the order of its layout (Config.Layout); a layout is Params without values.
type Params []Param

// networks names the networks in their fixed order. The online network has no u.
func (c Config) networks() []string {
	if c.Online {
		return []string{"h", "g", "f"}
	}
	return []string{"h", "u", "g", "f"}
}

// Layout lists the weights' names and shapes in their fixed order, without values.
func (c Config) Layout() Params {
	var ps Params
	for _, net := range c.networks() {
		ps = append(ps, layersLayout(net, c.weightShapes(net))...)
	}
	ps = ps[:len(ps)-1] // f's last layer has no bias
	extra := c.extraLayouts()
	return slices.Concat(ps, c.momentsLayout(), slices.Concat(extra[:]...))
}

// layersLayout lists the weights of layers, given the shape of each layer's weight: "name.0.weight", "name.0.bias", …
func layersLayout(name string, shapes [][]int) (ps Params) {
	for i, shape := range shapes {
		ps = append(ps,
			Param{Name: fmt.Sprintf("%s.%d.weight", name, i), Shape: shape},
			Param{Name: fmt.Sprintf("%s.%d.bias", name, i), Shape: shape[len(shape)-1:]})
	}
	return ps
}

// weightShapes returns the shape of each layer's weight in one of the networks.
func (c Config) weightShapes(network string) [][]int {
	h := c.Hidden
	switch {
	case network == "g":
		return [][]int{{c.Embed, h}, {h, h}, {h, h}, {h, h}, {h, h}, {h, c.Global}}
	case network == "f":
		return [][]int{{c.Global + c.Embed, h}, {h, h}, {h, h}, {h, h}, {h, h}, {h, 1}}
	case c.Encoder == EncoderConv:
		return [][]int{
			{kernelSide, kernelSide, 1, channels1},
			{kernelSide, kernelSide, channels1, channels2},
			{flatImage, hiddenImage},
			{hiddenImage, c.Embed},
		}
	default:
		return [][]int{{c.pointColumns() + c.contextColumns(), h}, {h, h}, {h, h}, {h, h}, {h, c.Embed}}
	}
}

// Init draws the energy network's weights: see Params.Init.
func (c Config) Init(rng *rand.Rand) Params { return c.Layout().Init(rng) }

// Init fills a layout: all weights are drawn from U(−1/√in, 1/√in), the default of the framework that the published
// code uses. It runs on the host, so a seed gives the same start on every backend. It returns ps.
func (ps Params) Init(rng *rand.Rand) Params {
	fanIn := 1
	for i := range ps {
		p := &ps[i]
		if len(p.Shape) > 1 {
			fanIn = size(p.Shape[:len(p.Shape)-1])
		}
		bound := 1 / math.Sqrt(float64(fanIn))
		p.Data = make([]float32, size(p.Shape))
		for j := range p.Data {
			p.Data[j] = float32((2*rng.Float64() - 1) * bound)
		}
		copy(p.Data[len(p.Data)-len(p.Start):], p.Start)
	}
	return ps
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Check returns an error unless got has exactly the names, order, shapes and sizes of the layout ps, and finite values.
func (ps Params) Check(got Params) error {
	if len(got) != len(ps) {
		return fmt.Errorf("%d weight tensors, but this model has %d", len(got), len(ps))
	}
	for i, p := range got {
		w := ps[i]
		if p.Name != w.Name || !slices.Equal(p.Shape, w.Shape) || len(p.Data) != size(w.Shape) {
			return fmt.Errorf("weight %d is %s %v with %d values, but this model has %s %v",
				i, p.Name, p.Shape, len(p.Data), w.Name, w.Shape)
		}
		for j, v := range p.Data {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("weight %s holds %v at position %d", p.Name, v, j)
			}
		}
	}
	return nil
}

// SHA256 is the hexadecimal digest of the names, shapes and values, in order.
func (ps Params) SHA256() string {
	h := sha256.New()
	for _, p := range ps {
		fmt.Fprintln(h, p.Name, p.Shape)
		_ = binary.Write(h, binary.LittleEndian, p.Data) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Tensors copies the weights to tensors, in order.
func (ps Params) Tensors() []*tensors.Tensor {
	ts := make([]*tensors.Tensor, len(ps))
	for i, p := range ps {
		ts[i] = tensors.FromFlatDataAndDimensions(p.Data, p.Shape...)
	}
	return ts
}

// With returns a layout with the values of tensors, in order. It fails for a tensor that cannot be read.
func (ps Params) With(values []*tensors.Tensor) (Params, error) {
	ps = slices.Clone(ps)
	for i, t := range values {
		var err error
		if ps[i].Data, err = engine.Float32s(t); err != nil {
			return nil, fmt.Errorf("read weight %s: %w", ps[i].Name, err)
		}
	}
	return ps, nil
}

// Size is the number of scalar weights, also of a layout, which has no values.
func (ps Params) Size() int {
	total := 0
	for _, p := range ps {
		total += size(p.Shape)
	}
	return total
}
