package sampling

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/models"
)

// A single set of more than streamAbove points is streamed, streamChunk points at a time. Beside its coordinates, a set
// of a million points would need 1 GB for h' and u' at H = 128. The price is a second pass of the encoder for u.
const (
	streamAbove = 20000
	streamChunk = 4096
)

// embedding holds h' [M,W] and u' [M,V] of some points.
type embedding struct{ h, u []float32 }

// window is a run of steps whose embeddings are at hand.
type window struct {
	embedding
	from, to int                            // the steps from..to−1
	row      func(q Sequence, step int) int // where the point that q meets at a step lies in the embedding
}

// embedSome encodes some points x [M,D] of one set [N,D].
func embedSome(ctx context.Context, net *models.Network, x, set []float32) (embedding, error) {
	return inChunks(ctx, net, x, streamChunk, func(chunk []float32) ([]float32, []float32, error) {
		return net.EncodeSome(chunk, set)
	})
}

// inChunks encodes x [M,D] a chunk of points at a time, so that ctx can end it.
func inChunks(
	ctx context.Context, net *models.Network, x []float32, points int,
	encode func(chunk []float32) (h, u []float32, err error),
) (embedding, error) {
	c := net.Config
	m := len(x) / c.Dim
	e := embedding{make([]float32, 0, m*c.Width()), make([]float32, 0, m*c.StateWidth())}
	for chunk := range slices.Chunk(x, points*c.Dim) {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		h, u, err := encode(chunk)
		if err != nil {
			return e, err
		}
		e.h, e.u = append(e.h, h...), append(e.u, u...)
	}
	return e, nil
}

// encode is Encode with the size of a chunk; 0 keeps all embeddings in memory.
func encode(ctx context.Context, net *models.Network, x []float32, b, n, chunk int) (*Sets, error) {
	if b < 1 || n < 1 || len(x) != b*n*net.Config.Dim {
		return nil, fmt.Errorf("encode %d sets of %d points in %d dimensions: got %d values",
			b, n, net.Config.Dim, len(x))
	}
	s := newSets(ctx, net, b, n, func() (embedding, error) {
		if b == 1 {
			return embedSome(ctx, net, x, x)
		}
		return inChunks(ctx, net, x, max(streamChunk/n, 1)*n, func(sets []float32) (h, u []float32, err error) {
			return net.Encode(sets, n)
		})
	})
	var err error
	switch {
	case chunk > 0:
		s.x, s.chunk = x, chunk
		var u0 []float64
		u0, err = s.sumChunks()
		s.u0 = func() ([]float64, error) { return u0, nil }
	case net.Device && net.FitsDevice(b, n):
		s.embedThere = func() (*models.Embedded, error) { return net.EmbedSets(x, b, n) }
	default:
		_, err = s.all()
	}
	return s, err
}

// newSets returns sets that are embedded when a loop on the host asks for it first.
func newSets(
	ctx context.Context, net *models.Network, b, n int, embed func() (embedding, error),
) *Sets {
	s := &Sets{Net: net, B: b, N: n, ctx: ctx, all: sync.OnceValues(embed)}
	s.u0 = sync.OnceValues(func() ([]float64, error) {
		e, err := s.all()
		if err != nil {
			return nil, err
		}
		return s.totals(e.u), nil
	})
	return s
}

// totals adds u' [B,N,V] up in each set, in float64: [B,V].
func (s *Sets) totals(u []float32) []float64 {
	width := s.Net.Config.StateWidth()
	totals := make([]float64, s.B*width)
	for set := range s.B {
		sumUnassigned(totals[set*width:(set+1)*width], u[set*s.N*width:(set+1)*s.N*width])
	}
	return totals
}

// sumChunks is the first pass over a streamed set: Σ u' alone.
func (s *Sets) sumChunks() ([]float64, error) {
	total := make([]float64, s.Net.Config.StateWidth())
	if s.Net.Config.Online {
		return total, nil // u' is zero
	}
	for from := 0; from < s.N; from += s.chunk {
		e, err := s.embedChunk(nil, from, min(from+s.chunk, s.N))
		if err != nil {
			return nil, err
		}
		sumUnassigned(total, e.u)
	}
	return total, nil
}

// sumUnassigned adds rows of u' [M,V] to a total [V], in float64.
func sumUnassigned(total []float64, u []float32) {
	for i, v := range u {
		total[i%len(total)] += float64(v)
	}
}

// embedChunk embeds the points that an order (nil: the set's own) meets at the steps from..to−1.
func (s *Sets) embedChunk(order []int32, from, to int) (embedding, error) {
	d := s.Net.Config.Dim
	x := s.x[from*d : to*d]
	if order != nil {
		x = make([]float32, 0, (to-from)*d)
		for _, point := range order[from:to] {
			x = append(x, s.x[int(point)*d:(int(point)+1)*d]...)
		}
	}
	return embedSome(s.ctx, s.Net, x, s.x)
}

// windows visits the steps 0..N−1 in turn, usually in one window. A streamed set is embedded chunk by chunk if all
// sequences meet its points in the same order; otherwise everything is embedded once and kept.
func (s *Sets) windows(sequences []Sequence, visit func(window) error) error {
	if s.chunk == 0 || !sameOrder(sequences) {
		e, err := s.all()
		if err != nil {
			return err
		}
		return visit(s.wholeWindow(e, s.N))
	}
	for from := 0; from < s.N; from += s.chunk {
		to := min(from+s.chunk, s.N)
		e, err := s.embedChunk(sequences[0].Order, from, to)
		if err != nil {
			return err
		}
		row := func(_ Sequence, step int) int { return step - from }
		if err := visit(window{embedding: e, from: from, to: to, row: row}); err != nil {
			return err
		}
	}
	return nil
}

// wholeWindow has all steps. The points of each set stand stride apart in the embedding.
func (s *Sets) wholeWindow(e embedding, stride int) window {
	row := func(q Sequence, step int) int { return q.Set*stride + q.point(step) }
	return window{embedding: e, to: s.N, row: row}
}

func sameOrder(sequences []Sequence) bool {
	different := func(q Sequence) bool { return !q.alike(sequences[0]) }
	return len(sequences) > 0 && !slices.ContainsFunc(sequences, different)
}
