package experiments

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// EvaluateModel scores a trained model of any kind on the first sets of a source: an energy network as Evaluate does, a peer
// by its point estimates alone.
func EvaluateModel(ctx context.Context, backend compute.Backend, m *train.Model, source data.Source, seed uint64, sets int) (Quality, error) {
	if m.Config.IsPeer() {
		c, err := m.Clusterer(backend)
		if err != nil {
			return Quality{}, err
		}
		return EvaluateClusterer(ctx, c, source, seed, sets)
	}
	net, err := m.Network(backend)
	if err != nil {
		return Quality{}, err
	}
	return Evaluate(ctx, net, source, seed, sets)
}

// EvaluateClusterer scores the point estimates of a clusterer on the first sets of a source. What needs energies stays 0.
// Cancelling ctx ends it between two batches.
func EvaluateClusterer(ctx context.Context, c peers.Clusterer, source data.Source, seed uint64, sets int) (Quality, error) {
	return eachBatch(ctx, source, seed, sets, func(step int, batch *data.Batch) ([][]int32, error) {
		return c.Cluster(data.Rand(seed, "evaluate", step), batch.X, batch.B, batch.N)
	})
}

// eachBatch scores the labels that a function finds for the first sets of a source, batch by batch.
func eachBatch(ctx context.Context, source data.Source, seed uint64, sets int, find func(step int, batch *data.Batch) ([][]int32, error)) (q Quality, err error) {
	for step := 0; q.Sets < sets; step++ {
		if ctx.Err() != nil {
			return q, train.ErrInterrupted
		}
		batch, err := source.Batch(seed, step)
		if err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
		if sets-q.Sets < batch.B {
			batch = batch.Slice(0, sets-q.Sets)
		}
		found, err := find(step, batch)
		if err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
		for b := range batch.B { // a reference may have found labels for the whole batch
			_, truth := batch.Set(b)
			if err := q.addLabels(truth, found[b]); err != nil {
				return q, fmt.Errorf("evaluate: set %d: %w", b, err)
			}
		}
	}
	q.scale(1 / float64(q.Sets))
	return q, nil
}
