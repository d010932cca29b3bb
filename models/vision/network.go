package vision

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// Network is a vision transformer with its weights on a backend. One call at a time.
type Network struct {
	Config  Config
	backend compute.Backend
	weights []*tensors.Tensor
	forward *engine.Func
}

// NewNetwork puts weights, in the order and shapes of c.Layout, on a backend.
func NewNetwork(backend compute.Backend, c Config, ps models.Params) (*Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := c.Layout().Check(ps); err != nil {
		return nil, fmt.Errorf("new vision transformer: %w", err)
	}
	forward, err := engine.NewFunc(backend, "vision transformer", func(in []*Node) []*Node {
		return []*Node{c.ClassToken(in[0], in[1:])}
	})
	if err != nil {
		return nil, err
	}
	return &Network{Config: c, backend: backend, weights: matrices(ps).Tensors(), forward: forward}, nil
}

// matrices turns every weight [out,…] of more than one axis, the two embeddings apart, into a matrix [in,out].
func matrices(ps models.Params) models.Params {
	turned := slices.Clone(ps)
	for i, p := range ps {
		if i < 2 || len(p.Shape) == 1 {
			continue
		}
		out := p.Shape[0]
		in := len(p.Data) / out
		data := make([]float32, len(p.Data))
		for o := range out {
			for j, v := range p.Data[o*in : (o+1)*in] {
				data[j*out+o] = v
			}
		}
		turned[i] = models.Param{Name: p.Name, Shape: []int{in, out}, Data: data}
	}
	return turned
}

// Features returns the class tokens [B,W] of images [B,3,S,S], as Prepare makes them.
//
// A batch that is smaller than room is filled up to room on a backend that compiles for seconds, so that all batches have
// one shape; room below B changes nothing.
func (n *Network) Features(images []float32, room int) ([]float32, error) {
	c := n.Config
	b := len(images) / c.pixels()
	if b < 1 || len(images) != b*c.pixels() {
		return nil, fmt.Errorf("%d values are no whole number of images of 3×%d×%d", len(images), c.ImageSize, c.ImageSize)
	}
	rows := n.rowsFor(b, room)
	if rows > b {
		images = append(slices.Clone(images), make([]float32, (rows-b)*c.pixels())...)
	}
	x := tensors.FromFlatDataAndDimensions(images, rows, channels, c.ImageSize, c.ImageSize)
	out, err := n.forward.Call(append([]*tensors.Tensor{x}, n.weights...)...)
	engine.Free(x)
	if err != nil {
		return nil, err
	}
	defer engine.Free(out...)
	features, err := engine.Float32s(out[0])
	if err != nil {
		return nil, err
	}
	return features[:b*c.Width], nil
}

// rowsFor is the number of images with which a batch of b runs.
func (n *Network) rowsFor(b, room int) int {
	if engine.OnGo(n.backend) {
		return b
	}
	return max(b, room)
}
