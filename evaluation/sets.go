// Package evaluation says how good a trained model is on held-out sets: agreement with the true clusters (Quality,
// the list of metrics), dependence on the order of the data (SDPP), the score of its most probable samples, the
// distance of its probabilities from the true posterior (Exactness), and the guarantees that it keeps (Properties).
//
// All draw the same sets for the same Test. Cancelling a context ends a measurement between two sets, batches or
// calls of a model, with train.ErrInterrupted. The package knows neither tables, run directories nor flags.
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
	embedded
	net    *models.Network
	stream int // names random choices about it; its number, but in a last batch that was cut
}

// Sets draws the first sets of a source under a seed, one by one. It ends with the first error: the source's, or
// train.ErrInterrupted once ctx is cancelled.
func Sets(ctx context.Context, source data.Source, seed uint64, sets int) iter.Seq2[Set, error] {
	return (&Reader{Source: source}).Sets(ctx, seed, 0, 0, sets)
}

// Reader draws sets whose points are embedded under a network, so that they can be decoded.
type Reader struct {
	Net    *models.Network // nil: they are not
	Source data.Source

	pools *data.PoolSource // nil: the points of a set are embedded with it
	h, u  []float32        // [M,H] of the pool
}

// newReader returns a reader of so many sets.
func newReader(net *models.Network, source data.Source, seed uint64, sets int) (*Reader, error) {
	return NewEvaluator(net).reader(source, seed, sets)
}

// reader returns a reader of so many sets. Where these have more points than a pool of images, each image is embedded
// once, and then gathered by its index.
func (e *Evaluator) reader(source data.Source, seed uint64, sets int) (*Reader, error) {
	r := &Reader{Net: e.net, Source: source}
	pools, ok := source.(*data.PoolSource)
	if !ok || !pools.Pool().IsImages() || pools.Augments() {
		return r, nil
	}
	draft, err := pools.Draft(seed, 0)
	if err != nil || sets*draft.N < pools.Pool().Len() {
		return r, err
	}
	r.pools = pools
	r.h, r.u, err = e.embed(pools.Pool())
	return r, err
}

// embedded is a batch with h' and u' [B,N,H] of its points, nil without a network; X is not filled for images of a
// pool.
type embedded struct {
	*data.Batch
	h, u []float32
	step int // of the source
}

// batch returns the first sets of a step.
func (r *Reader) batch(seed uint64, step, sets int) (e embedded, err error) {
	e.step = step
	draw := r.Source.Batch
	if r.pools != nil {
		draw = r.pools.Draft
	}
	if e.Batch, err = draw(seed, step); err != nil {
		return e, fmt.Errorf("step %d: %w", step, err)
	}
	if sets < e.B {
		e.Batch = e.Slice(0, sets)
	}
	switch {
	case r.Net == nil:
	case r.pools == nil:
		e.h, e.u, err = r.Net.Encode(e.X, e.N)
	default:
		w, v := r.Net.Config.Width(), r.Net.Config.StateWidth()
		for _, index := range e.Index {
			at := int(index)
			e.h = append(e.h, r.h[at*w:(at+1)*w]...)
			e.u = append(e.u, r.u[at*v:(at+1)*v]...)
		}
	}
	return e, err
}

// batches draws sets batch by batch, from a step of the source on. It ends as the function Sets does.
func (r *Reader) batches(ctx context.Context, seed uint64, step, sets int) iter.Seq2[embedded, error] {
	return func(yield func(embedded, error) bool) {
		for ; sets > 0; step++ {
			if ctx.Err() != nil {
				yield(embedded{}, train.ErrInterrupted)
				return
			}
			batch, err := r.batch(seed, step, sets)
			if !yield(batch, err) || err != nil {
				return
			}
			sets -= batch.B
		}
	}
}

// Sets draws sets from a step of the source on, the first of which has the given number. It ends as the function Sets
// does.
func (r *Reader) Sets(ctx context.Context, seed uint64, step, number, sets int) iter.Seq2[Set, error] {
	return func(yield func(Set, error) bool) {
		for batch, err := range r.batches(ctx, seed, step, sets) {
			if err != nil {
				yield(Set{}, err)
				return
			}
			of := func(rows []float32, b int) []float32 {
				size := len(rows) / batch.B
				return rows[b*size : (b+1)*size]
			}
			for b := range batch.B {
				if ctx.Err() != nil {
					yield(Set{}, train.ErrInterrupted)
					return
				}
				one := embedded{batch.Slice(b, b+1), of(batch.h, b), of(batch.u, b), batch.step}
				if !yield(Set{Number: number, embedded: one, net: r.Net, stream: batch.step*batch.B + b}, nil) {
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

// Run decodes a set by so many sequences of one order (nil: its own).
func (s Set) Run(order []int32, sequences int, policy sampling.Policy) (*sampling.Result, error) {
	set, err := s.Decoding(1)
	if err != nil {
		return nil, err
	}
	return set.Run(slices.Repeat([]sampling.Sequence{{Order: order}}, sequences), policy)
}
