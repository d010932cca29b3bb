package dac

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers/attention"
)

// encode returns the points that the ISABs read [B,N,F]: points x [B,N,D] themselves, or the embedding of images.
// weights are those of encoderLayout.
func (m *Method) encode(weights []*Node, x *Node, drop *models.Dropout) *Node {
	if !m.images() {
		return x
	}
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	return Reshape(m.net.EncodePoints(Reshape(x, b*n, m.net.Dim), weights, drop), b, n, m.net.Embed)
}

// filter looks for one cluster in each set of points x [B,N,F], of which valid [B,N] (bool) are there. It returns a
// logit for each point to be in it [B,N], and the cluster's parameters θ [B,2D], nil without a likelihood. Logits where
// valid is false mean nothing. anchor [B,N] is 1 at each set's anchor and 0 elsewhere; nil for min-filtering. weights
// are those of filterLayout.
func (m *Method) filter(weights []*Node, x, valid, anchor *Node) (logits, theta *Node) {
	w := attention.Take(weights)
	numMAB, numISAB := len(attention.MABLayout("", m.sizes, 1, 1)), len(attention.ISABLayout("", m.sizes, 1))
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	h := x
	if m.anchored() {
		point := DotGeneral(InsertAxes(anchor, 1), []int{2}, []int{0}, x, []int{1}, []int{0}) // [B,1,F]
		h = attention.MAB(w.Next(numMAB), m.sizes, h, point, nil)
	}
	for range numISABs {
		h = attention.ISAB(w.Next(numISAB), m.sizes, h, valid)
	}
	cluster := attention.PMA(w.Next(len(attention.PMALayout("", m.sizes, 1))), m.sizes, h, valid) // [B,1,W]
	if m.peer.Likelihood {
		theta = models.MLP(Reshape(cluster, b, m.sizes.Width), w.Next(2))
	}
	h = attention.MAB(w.Next(numMAB), m.sizes, h, cluster, nil)
	for range numISABs {
		h = attention.ISAB(w.Next(numISAB), m.sizes, h, valid)
	}
	last := w.Next(2)
	logits = engine.Dense(Reshape(h, b*n, m.sizes.Width), last[0], last[1])
	return Reshape(logits, b, n), theta
}
