package models

import (
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/layers"
)

// onHost evaluates a decision of the paper's network (Folded.Score) on the host, in place of the Go backend. A graph of
// many small operations takes three times as long and leaves garbage with each decision.
type onHost struct {
	gBias, fBias []float32 // [H]
	g, f         layers.Net
	scratch      sync.Pool // *layers.Scratch
}

// rowsOnHost is the number of rows that go through all layers together: their numbers stay in the processor's first
// cache, the weights in its second.
const rowsOnHost = 32

// Folded.Nodes of the paper's network end with b_g1, the weights of g, b_f1 and the weights of f, which has no last
// bias.
const (
	atFBias   = 1 + 2*foldedLayers
	numFolded = atFBias + 2*foldedLayers
)

// newOnHost lays the folded weights out. It returns nil where the backend evaluates decisions: on other backends than
// Go's, and for networks that read more than sums of embeddings.
func (n *Network) newOnHost(folded []*tensors.Tensor) (*onHost, error) {
	if !n.OnGo() || n.Config.Extended {
		return nil, nil
	}
	folded = folded[len(folded)-numFolded:]
	values := make([][]float32, numFolded)
	for i, t := range folded {
		var err error
		if values[i], err = engine.Float32s(t); err != nil {
			return nil, err
		}
	}
	net := func(from, to int) (net layers.Net) {
		for i := from; i < to; i += 2 {
			var bias []float32
			if i+1 < to {
				bias = values[i+1]
			}
			dims := folded[i].Shape().Dimensions
			net = append(net, layers.New(values[i], bias, dims[0], dims[1]))
		}
		return net
	}
	h := &onHost{gBias: values[0], g: net(1, atFBias), fBias: values[atFBias], f: net(atFBias+1, numFolded)}
	h.scratch.New = func() any { return new(layers.Scratch) }
	return h, nil
}

// score is Network.Score; cluster may be nil.
func (h *onHost) score(sums, rest []float32, rows int, cluster, energy []float32) {
	s := h.scratch.Get().(*layers.Scratch)
	defer h.scratch.Put(s)
	w, v := len(h.gBias), len(h.fBias)
	for from := 0; from < rows; from += rowsOnHost {
		count := min(rowsOnHost, rows-from)
		in := s.In(h.g, count, w, nil)
		for i := range count {
			layers.AddReLU(in.Of(i)[:w], sums[(from+i)*w:(from+i+1)*w], h.gBias)
		}
		gamma := s.Run(h.g, in, count)
		state := s.In(h.f, count, v, gamma)
		for i := range count {
			row, own := gamma.Of(i)[:v], rest[(from+i)*v:(from+i+1)*v]
			to := state.Of(i)[:v]
			if cluster != nil {
				copy(cluster[(from+i)*v:(from+i+1)*v], row)
			}
			for j := range to {
				to[j] = row[j] + own[j]
			}
			layers.AddReLU(to, to, h.fBias)
		}
		e := s.Run(h.f, state, count)
		for i := range count {
			energy[from+i] = e.Of(i)[0]
		}
	}
}
