package vision

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/nn"

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
// A batch that is smaller than room is filled up to room on a backend that compiles for seconds, so that all batches
// have one shape; room below B changes nothing.
func (n *Network) Features(images []float32, room int) ([]float32, error) {
	c := n.Config
	b := len(images) / c.pixels()
	if b < 1 || len(images) != b*c.pixels() {
		return nil, fmt.Errorf("%d values are no whole number of images of 3×%d×%d",
			len(images), c.ImageSize, c.ImageSize)
	}
	atOnce := b
	if engine.OnGo(n.backend) {
		atOnce = imagesAtOnce
	}
	features := make([]float32, b*c.Width)
	return features, engine.SideBySide(n.backend, b, atOnce, func(from, to int) error {
		some := images[from*c.pixels() : to*c.pixels()]
		return n.features(some, n.rowsFor(to-from, room), features[from*c.Width:to*c.Width])
	})
}

// imagesAtOnce is the number of images of one call on the Go backend.
const imagesAtOnce = 4

// features computes those of images in one call, filled up to rows.
func (n *Network) features(images []float32, rows int, features []float32) error {
	c := n.Config
	if size := rows * c.pixels(); size > len(images) {
		images = append(slices.Clone(images), make([]float32, size-len(images))...)
	}
	x := tensors.FromFlatDataAndDimensions(images, rows, channels, c.ImageSize, c.ImageSize)
	out, err := n.forward.Call(append([]*tensors.Tensor{x}, n.weights...)...)
	engine.Free(x)
	if err != nil {
		return err
	}
	defer engine.Free(out...)
	all, err := engine.Float32s(out[0])
	copy(features, all)
	return err
}

// rowsFor is the number of images with which a batch of b runs.
func (n *Network) rowsFor(b, room int) int {
	if engine.OnGo(n.backend) {
		return b
	}
	return max(b, room)
}

// epsilon is added to the variance by every norm (timm's ViT).
const epsilon = 1e-6

// ClassToken is the network as a graph function: images x [B,3,S,S], prepared by Prepare, to features [B,W].
//
//	t = [class token; patches·Wp + bp] + position embeddings                    [B,N,W]
//	t = t + attention(norm1(t));  t = t + mlp(norm2(t))                         in each block (pre-norm)
//	feature = norm(t) of the class token
//
// with mlp(x) = GELU(x·W1 + b1)·W2 + b2 and the exact GELU, x·Φ(x). w are the weights in the order of Layout, the
// matrices turned to [in,out], the patch kernel to [3·P·P,W] (see matrices).
func (c Config) ClassToken(x *Node, w []*Node) *Node {
	x.AssertDims(-1, channels, c.ImageSize, c.ImageSize)
	b := x.Shape().Dimensions[0]
	tokens := c.embed(x, w[:4])
	for i := range c.Depth {
		at := 4 + i*blockWeights
		tokens = c.block(tokens, b, w[at:at+blockWeights])
	}
	first := Slice(Reshape(tokens, b, c.tokens(), c.Width), AxisRange(), AxisRange(0, 1), AxisRange())
	return norm(Reshape(first, b, c.Width), w[4+c.Depth*blockWeights:])
}

// embed turns images [B,3,S,S] into tokens [B·N,W]: the convolution is a product of each patch with the kernel.
func (c Config) embed(x *Node, w []*Node) *Node {
	b, side := x.Shape().Dimensions[0], c.ImageSize/c.Patch
	rows := TransposeAllAxes(Reshape(x, b, channels, side, c.Patch, side, c.Patch), 0, 2, 4, 1, 3, 5)
	rows = Reshape(rows, b*c.patches(), channels*c.Patch*c.Patch)
	patches := Reshape(engine.Dense(rows, w[2], w[3]), b, c.patches(), c.Width)
	class := BroadcastToDims(w[0], b, 1, c.Width)
	return Reshape(Add(Concatenate([]*Node{class, patches}, 1), w[1]), b*c.tokens(), c.Width)
}

// block is one pre-norm block on tokens t [B·N,W]; w are its weights.
func (c Config) block(t *Node, b int, w []*Node) *Node {
	t = Add(t, c.attention(norm(t, w[0:2]), b, w[2:6]))
	hidden := activation.Gelu(engine.Dense(norm(t, w[6:8]), w[8], w[9]))
	return Add(t, engine.Dense(hidden, w[10], w[11]))
}

// norm is layer normalization of every row of x [M,W], with weight and bias w.
func norm(x *Node, w []*Node) *Node { return nn.LayerNorm(x, []int{1}, epsilon, w[0], w[1], nil) }

// attention is self-attention among the tokens t [B·N,W] of each image:
//
//	softmax(Q_h·K_hᵀ/√(W/Heads))·V_h for each head h, then a dense layer over all heads
//
// w are weight and bias of the layer that gives [Q,K,V], heads inside of each, and of the last one.
func (c Config) attention(t *Node, b int, w []*Node) *Node {
	n, part := c.tokens(), c.Width/c.Heads
	qkv := Reshape(engine.Dense(t, w[0], w[1]), b, n, 3, c.Heads, part)
	qkv = TransposeAllAxes(qkv, 2, 0, 3, 1, 4) // [3,B,Heads,N,part]
	take := func(i int) *Node { return Reshape(Slice(qkv, AxisRange(i, i+1)), b*c.Heads, n, part) }
	scores := engine.TimesTransposed(MulScalar(take(0), 1/math.Sqrt(float64(part))), take(1)) // [B·Heads,N,N]
	mixed := engine.Times(Softmax(scores, -1), take(2))
	mixed = TransposeAllAxes(Reshape(mixed, b, c.Heads, n, part), 0, 2, 1, 3)
	return engine.Dense(Reshape(mixed, b*n, c.Width), w[2], w[3])
}
