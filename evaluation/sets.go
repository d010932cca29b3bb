// Package evaluation says how good a trained model is on held-out sets: agreement with the true clusters (Quality, the
// list of metrics), dependence on the order of the data (SDPP), the score of its most probable samples, the distance of
// its probabilities from the true posterior (Exactness), and the properties of the paper's table 1 (Guarantees).
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
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// Test describes the held-out sets of an evaluation: the first Sets sets of a source with a seed.
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
	stream int // of its random choices; Number, except in a last batch that was cut
}

// Scores are numbers about sets, by their names in tables.
type Scores map[string]float64

// Reader draws sets whose points are embedded under a network, so that they can be decoded. The network's weights must
// not change.
type Reader struct {
	Net    *models.Network // nil: points are not embedded
	Source data.Source

	pools *data.PoolSource // nil: points are embedded batch by batch
	h, u  []float32        // [M,W] and [M,V] of the pool
}

// NewReader returns a reader of so many sets. It embeds a pool of images once if the sets have at least as many points.
func NewReader(net *models.Network, source data.Source, seed uint64, sets int) (*Reader, error) {
	r := &Reader{Net: net, Source: source}
	pools, ok := source.(*data.PoolSource)
	if !ok || !pools.Pool().IsImages() || pools.Augments() {
		return r, nil
	}
	draft, err := pools.Draft(seed, 0)
	if err != nil || sets*draft.N < pools.Pool().Len() {
		return r, err
	}
	r.pools = pools
	x := slices.Clone(pools.Pool().X)
	data.NetworkUnits(x)
	r.h, r.u, err = net.Encode(context.Background(), x, 1)
	return r, err
}

// embedded is a batch with h' [B,N,W] and u' [B,N,V], nil without a network; X is not filled for images of a pool.
type embedded struct {
	*data.Batch
	h, u  []float32
	step  int // of the source
	first int // number of its first set in the stream
}

// one returns the b-th set of the batch, as a batch.
func (e embedded) one(b int) embedded {
	part := func(rows []float32) []float32 {
		size := len(rows) / e.B
		return rows[b*size : (b+1)*size]
	}
	return embedded{e.Slice(b, b+1), part(e.h), part(e.u), e.step, e.first + b}
}

// batch returns the first sets of a step.
func (r *Reader) batch(ctx context.Context, seed uint64, step, sets int) (e embedded, err error) {
	e.step = step
	draw := r.Source.Batch
	if r.pools != nil {
		draw = r.pools.Draft
	}
	if e.Batch, err = draw(seed, step); err != nil {
		return e, fmt.Errorf("step %d: %w", step, err)
	}
	if e.first = step * e.B; sets < e.B {
		e.Batch = e.Slice(0, sets)
	}
	switch {
	case r.Net == nil:
	case r.pools == nil:
		e.h, e.u, err = r.Net.Encode(ctx, e.X, e.N)
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

// batches draws the first sets in batches. It ends with the first error: the source's, or train.ErrInterrupted.
func (r *Reader) batches(ctx context.Context, seed uint64, sets int) iter.Seq2[embedded, error] {
	return func(yield func(embedded, error) bool) {
		for step := 0; sets > 0; step++ {
			if ctx.Err() != nil {
				yield(embedded{}, train.Interrupted(ctx))
				return
			}
			batch, err := r.batch(ctx, seed, step, sets)
			if !yield(batch, err) || err != nil {
				return
			}
			sets -= batch.B
		}
	}
}

// Each calls visit with the first sets. It returns the first error: the source's, visit's with the number of the set,
// or train.ErrInterrupted.
func (r *Reader) Each(ctx context.Context, seed uint64, sets int, visit func(set Set) error) error {
	for batch, err := range r.batches(ctx, seed, sets) {
		if err != nil {
			return err
		}
		for b := range batch.B {
			if ctx.Err() != nil {
				return train.Interrupted(ctx)
			}
			one := batch.one(b)
			set := Set{Number: one.first, embedded: one, net: r.Net, stream: batch.step*batch.B + b}
			if err := visit(set); err != nil {
				return fmt.Errorf("set %d: %w", set.Number, err)
			}
		}
	}
	return nil
}

// Decoding returns the embedded set for sampling.
func (s Set) Decoding() *sampling.Sets { return sampling.Embedded(s.net, s.h, s.u, 1, s.N) }

// Run decodes the set by so many sequences, all in one order of its points (nil: 0..N−1).
func (s Set) Run(order []int32, sequences int, policy sampling.Policy) (*sampling.Result, error) {
	return s.Decoding().Run(slices.Repeat([]sampling.Sequence{{Order: order}}, sequences), policy)
}

// peerBytes is the assumed memory of a peer (ST, DAC, CCP) for a point, in bytes, whatever its attention's shape.
const peerBytes = 4096

// Demand returns an error if a model would need more memory than memory.Limit for so many sets, or copies of sets, of
// so many points. It counts h' and u' of every point, twice while they are gathered.
func Demand(c train.Config, sets, points int) error {
	bytes := 8 * float64(c.Net.Width()+c.Net.StateWidth()+c.Data.Dim)
	if c.IsPeer() {
		bytes = peerBytes
	}
	what := fmt.Sprintf("%d sets of %d points at a time", sets, points)
	return memory.Demand(bytes*float64(sets)*float64(points), what, "lower the number of points")
}

// greedyLabels decodes the sets of a batch, [B][N].
func greedyLabels(net *models.Network, batch embedded) ([][]int32, error) {
	encoded := sampling.Embedded(net, batch.h, batch.u, batch.B, batch.N)
	greedy, err := encoded.Run(encoded.EachSet(), sampling.Greedy())
	if err != nil {
		return nil, err
	}
	return greedy.Labels, nil
}
