package evaluation

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// Model scores a trained model of any kind on the first sets of a source: an energy network as Network does, a peer by its point
// estimates alone. Cancelling ctx ends it between two batches with train.ErrInterrupted.
func Model(ctx context.Context, backend compute.Backend, m *train.Model, source data.Source, seed uint64, sets int) (Quality, error) {
	if m.Config.IsPeer() {
		c, err := m.Clusterer(backend)
		if err != nil {
			return Quality{}, err
		}
		return Clusterer(ctx, c, source, seed, sets)
	}
	net, err := m.Network(backend)
	if err != nil {
		return Quality{}, err
	}
	return Network(ctx, net, source, seed, sets)
}

// Network scores a network on the first sets of a source: greedy decoding, and the energies along the true labels. Cancelling ctx
// ends it between two batches with train.ErrInterrupted.
func Network(ctx context.Context, net *models.Network, source data.Source, seed uint64, sets int) (Quality, error) {
	r, err := NewPoolReader(net, source)
	if err != nil {
		return Quality{}, fmt.Errorf("evaluate: %w", err)
	}
	return r.mean(ctx, seed, sets, func(batch embedded) ([]Quality, error) { return qualities(net, batch) })
}

// Clusterer scores the point estimates of a clusterer on the first sets of a source. What needs energies stays 0.
// Cancelling ctx ends it between two batches with train.ErrInterrupted.
func Clusterer(ctx context.Context, c peers.Clusterer, source data.Source, seed uint64, sets int) (Quality, error) {
	return Labels(ctx, source, seed, sets, func(step int, batch *data.Batch) ([][]int32, error) {
		return c.Cluster(data.Rand(seed, "evaluate", step), batch.X, batch.B, batch.N)
	})
}

// Labels scores the labels that a function finds for the first sets of a source, batch by batch; it may find some for all sets of
// the step. What needs energies stays 0. Cancelling ctx ends it between two batches with train.ErrInterrupted.
func Labels(ctx context.Context, source data.Source, seed uint64, sets int,
	find func(step int, batch *data.Batch) ([][]int32, error),
) (Quality, error) {
	r := &Reader{Source: source}
	return r.mean(ctx, seed, sets, func(batch embedded) ([]Quality, error) {
		found, err := find(batch.step, batch.Batch)
		if err != nil {
			return nil, err
		}
		return compared(batch, found, nil)
	})
}

// mean takes the mean over the qualities of the sets of all batches.
func (r *Reader) mean(ctx context.Context, seed uint64, sets int, judge func(batch embedded) ([]Quality, error)) (q Quality, err error) {
	for batch, err := range r.batches(ctx, seed, 0, sets) {
		var all []Quality
		if err == nil {
			all, err = judge(batch)
		}
		if errors.Is(err, train.ErrInterrupted) {
			return q, err
		}
		if err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
		for _, set := range all {
			q.add(set)
		}
	}
	q.toMeans()
	return q, nil
}

// qualities scores the sets of a batch.
func qualities(net *models.Network, batch embedded) ([]Quality, error) {
	encoded, err := sampling.Embedded(net, batch.h, batch.u, batch.B, batch.N)
	if err != nil {
		return nil, err
	}
	greedy, err := encoded.Run(encoded.EachSet(), sampling.Greedy{})
	if err != nil {
		return nil, err
	}
	tables, err := net.TablesOf(batch.h, batch.u, batch.Labels, batch.B, batch.N)
	if err != nil {
		return nil, err
	}
	return compared(batch, greedy.Labels, tables)
}

// compared are the qualities of the sets of a batch by the labels found for each, and by its energies where there are some.
func compared(batch embedded, found [][]int32, tables [][][]float64) (all []Quality, err error) {
	all = make([]Quality, batch.B)
	for b := range all {
		_, truth := batch.Set(b)
		all[b], err = Compare(truth, found[b])
		if err == nil && tables != nil {
			err = all[b].withEnergies(tables[b], truth)
		}
		if err != nil {
			return nil, fmt.Errorf("set %d: %w", b, err)
		}
	}
	return all, nil
}
