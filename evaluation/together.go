package evaluation

import (
	"context"
	"iter"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// decodedTogether is the number of batches that are decoded as one where the host asks for each decision: the Go
// backend multiplies many rows more than twice as fast as few. A device has a program for each number of sets, so its
// batches stay as they are.
const decodedTogether = 4

// together is that number for a reader's network; 1 without a network.
func (r *Reader) together() int {
	if r.Net == nil || r.Net.Device {
		return 1
	}
	return decodedTogether
}

// groups are the batches of the function batches, those that follow each other and have as many points together.
func (r *Reader) groups(ctx context.Context, seed uint64, sets int) iter.Seq2[[]embedded, error] {
	return func(yield func([]embedded, error) bool) {
		var group []embedded
		for batch, err := range r.batches(ctx, seed, 0, sets) {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(group) == r.together() || len(group) > 0 && group[0].N != batch.N {
				if !yield(group, nil) {
					return
				}
				group = nil
			}
			group = append(group, batch)
		}
		if len(group) > 0 {
			yield(group, nil)
		}
	}
}

// greedyLabels decodes the sets of batches of as many points, [ΣB][N].
func greedyLabels(net *models.Network, group []embedded) ([][]int32, error) {
	h, u, sets := group[0].h, group[0].u, group[0].B
	if len(group) > 1 {
		h, u = h[:len(h):len(h)], u[:len(u):len(u)] // the batches keep theirs
	}
	for _, batch := range group[1:] {
		h, u, sets = append(h, batch.h...), append(u, batch.u...), sets+batch.B
	}
	encoded, err := sampling.Embedded(net, h, u, sets, group[0].N)
	if err != nil {
		return nil, err
	}
	greedy, err := encoded.Run(encoded.EachSet(), sampling.Greedy{})
	if err != nil {
		return nil, err
	}
	return greedy.Labels, nil
}

// first is the first set of a batch.
func (e embedded) first() embedded {
	return embedded{e.Slice(0, 1), e.h[:len(e.h)/e.B], e.u[:len(e.u)/e.B], e.step}
}
