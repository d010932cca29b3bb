package peers

import (
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// Points are the points that a network reads: vectors as they are, or images, which an encoder of the energy network's
// kind embeds first.
type Points struct{ Net models.Config }

// Images reports whether points are images.
func (p Points) Images() bool { return p.Net.Encoder == models.EncoderConv }

// Features is F, the number of coordinates after the encoder.
func (p Points) Features() int {
	if p.Images() {
		return p.Net.Embed
	}
	return p.Net.Dim
}

// EncoderLayout lists the encoder's weights as "encoder.…"; vectors have none.
func (p Points) EncoderLayout() models.Params {
	if p.Images() {
		return p.Net.EncoderLayout("encoder")
	}
	return nil
}

// Encode returns points x [B,N,D] as the network reads them: [B,N,F]. w holds the encoder's weights; drop is nil in
// evaluation.
func (p Points) Encode(w Weights, x *Node, drop *models.Dropout) *Node {
	if !p.Images() {
		return x
	}
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	return Reshape(p.Net.EncodePoints(Reshape(x, b*n, p.Net.Dim), w.Of("encoder"), drop), b, n, p.Net.Embed)
}

// Weights gives the nodes of a network's weights by name.
type Weights struct {
	Layout models.Params
	Nodes  []*Node // in the layout's order
}

// Of returns the weights "name.…" in the layout's order.
func (w Weights) Of(name string) (part []*Node) {
	for i, p := range w.Layout {
		if strings.HasPrefix(p.Name, name+".") {
			part = append(part, w.Nodes[i])
		}
	}
	return part
}

// SoftPlus is log(1 + exp x) = (x + |x|)/2 + log1p(exp(−|x|)). In this form its gradient is 1/(1 + exp −x) at 0 too,
// where that of a maximum is not.
func SoftPlus(x *Node) *Node {
	size := Abs(x)
	return Add(MulScalar(Add(x, size), 0.5), Log1P(Exp(Neg(size))))
}
