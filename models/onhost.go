package models

import (
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/layers"
)

// onHost evaluates a decision of the paper's network (Folded.Score) on the host, in place of the Go backend. A graph of
// so many small operations takes three times as long and leaves garbage with each decision.
type onHost struct {
	gBias, fBias []float32 // [H]
	g, f         layers.Net
	scratch      sync.Pool // *layers.Scratch
}

// rowsOnHost is the number of rows that go through all layers together: their numbers stay in the processor's first
// cache, the weights in its second.
const rowsOnHost = 32

// newOnHost lays the folded weights out. It returns nil where the backend evaluates decisions: on other backends than
// Go's, and for networks that read more than sums of embeddings.
func (n *Network) newOnHost(folded []*tensors.Tensor) (*onHost, error) {
	if !n.OnGo() || n.Config.Moments {
		return nil, nil
	}
	encoders := len(n.Config.weightShapes("h"))
	if !n.Config.Online {
		encoders *= 2
	}
	next := 2 * encoders
	var failed error
	take := func() (values []float32, dims []int) {
		t := folded[next]
		next++
		values, err := engine.Float32s(t)
		if err != nil {
			failed = err
		}
		return values, t.Shape().Dimensions
	}
	net := func(lastBias bool) (net layers.Net) {
		const count = 5
		for i := range count {
			w, dims := take()
			var b []float32
			if i < count-1 || lastBias {
				b, _ = take()
			}
			if failed == nil {
				net = append(net, layers.New(w, b, dims[0], dims[1]))
			}
		}
		return net
	}
	h := &onHost{}
	h.gBias, _ = take()
	h.g = net(true)
	h.fBias, _ = take()
	h.f = net(false)
	h.scratch.New = func() any { return new(layers.Scratch) }
	return h, failed
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
