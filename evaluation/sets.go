package evaluation

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// Test names the held-out sets of an evaluation: the first Sets of a source under a seed.
type Test struct {
	Data data.Config `json:"data"`
	Sets int         `json:"sets"`
	Seed uint64      `json:"seed"`
}

// Set is one set of a test: a batch of one, and its number in the test.
type Set struct {
	Number int
	*data.Batch
	net    *models.Network
	h, u   []float32 // [N,H] of the points; nil unless a Reader drew the set
	stream int       // names random choices about it; its number, but in a last batch that was cut
}

// Sets draws the first sets of a source under a seed, one by one. It ends with the first error: the source's, or
// train.ErrInterrupted once ctx is cancelled.
func Sets(ctx context.Context, source data.Source, seed uint64, sets int) iter.Seq2[Set, error] {
	return func(yield func(Set, error) bool) {
		for step, done := 0, 0; done < sets; step++ {
			batch, err := source.Batch(seed, step)
			if err != nil {
				yield(Set{}, err)
				return
			}
			for b := 0; b < batch.B && done < sets; b, done = b+1, done+1 {
				if ctx.Err() != nil {
					yield(Set{}, train.ErrInterrupted)
					return
				}
				if !yield(Set{Number: done, Batch: batch.Slice(b, b+1)}, nil) {
					return
				}
			}
		}
	}
}

// Reader draws sets whose points are embedded under a network, so that they can be decoded.
type Reader struct {
	Net    *models.Network
	Source data.Source

	pools *data.PoolSource // nil: the points of a set are embedded with it
	h, u  []float32        // [M,H] of the pool
}

// NewPoolReader returns a reader that embeds each image of a pool once, and then gathers it by its index: for evaluations that
// draw more points than the pool has. Other sources it reads as Reader{Net, Source} does.
func NewPoolReader(net *models.Network, source data.Source) (*Reader, error) {
	r := &Reader{Net: net, Source: source}
	pools, ok := source.(*data.PoolSource)
	if !ok || !pools.Pool().IsImages() || pools.Augments() {
		return r, nil
	}
	r.pools = pools
	x := append([]float32{}, pools.Pool().X...)
	data.NetworkUnits(x)
	var err error
	r.h, r.u, err = net.Encode(x)
	return r, err
}

// embedded is a batch with h' and u' [B,N,H] of its points; X is not filled for images of a pool.
type embedded struct {
	*data.Batch
	h, u []float32
}

// batch returns the first sets of a step.
func (r *Reader) batch(seed uint64, step, sets int) (e embedded, err error) {
	if r.pools != nil {
		e.Batch, err = r.pools.Draft(seed, step)
	} else {
		e.Batch, err = r.Source.Batch(seed, step)
	}
	if err != nil {
		return e, err
	}
	if sets < e.B {
		e.Batch = e.Slice(0, sets)
	}
	if r.pools == nil {
		e.h, e.u, err = r.Net.Encode(e.X)
		return e, err
	}
	width := r.Net.Config.Hidden
	for _, index := range e.Index {
		at := int(index) * width
		e.h = append(e.h, r.h[at:at+width]...)
		e.u = append(e.u, r.u[at:at+width]...)
	}
	return e, nil
}

// Sets draws sets from a step of the source on, the first of which has the given number. It ends as the function Sets does.
func (r *Reader) Sets(ctx context.Context, seed uint64, step, number, sets int) iter.Seq2[Set, error] {
	return func(yield func(Set, error) bool) {
		for end := number + sets; number < end; step++ {
			batch, err := r.batch(seed, step, end-number)
			if err != nil {
				yield(Set{}, fmt.Errorf("step %d: %w", step, err))
				return
			}
			size := batch.N * r.Net.Config.Hidden
			for b := range batch.B {
				if ctx.Err() != nil {
					yield(Set{}, train.ErrInterrupted)
					return
				}
				from, to := b*size, (b+1)*size
				set := Set{Number: number, Batch: batch.Slice(b, b+1), net: r.Net, stream: step*batch.B + b}
				set.h, set.u = batch.h[from:to], batch.u[from:to]
				if !yield(set, nil) {
					return
				}
				number++
			}
		}
	}
}

// Decoding returns an embedded set for sequences: as many copies of it as labellings are given to score.
func (s Set) Decoding(copies int) (*sampling.Sets, error) {
	return sampling.Embedded(s.net, slices.Repeat(s.h, copies), slices.Repeat(s.u, copies), copies, s.N)
}

// widen returns points in float64.
func widen(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}
