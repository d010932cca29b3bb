package evaluation

import (
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// PublishedMC is marginal consistency as the authors' published code measures it, in squared nats a point: the sets of
// a batch share their labelling (data.Config.Shared), all of them are scored along the greedy labels of the first one,
// and what counts is metrics.Consistency.Published, the mean over all sets. So it tells mostly how far the labels found
// for one set suit another one with the same clusters. The errors are those of Quality.
func (e *Evaluator) PublishedMC(ctx context.Context, source data.Source, seed uint64, sets int) (float64, error) {
	r, err := e.reader(source, seed, sets)
	if err != nil {
		return 0, fmt.Errorf("published MC: %w", err)
	}
	sum := 0.0
	for group, err := range r.groups(ctx, seed, sets) {
		if err != nil {
			return 0, fmt.Errorf("published MC: %w", err)
		}
		terms, err := publishedTerms(e.net, group)
		if err != nil {
			return 0, fmt.Errorf("published MC, step %d: %w", group[0].step, err)
		}
		sum += terms
	}
	return sum / float64(sets), nil
}

// publishedTerms is the sum over the sets of batches.
func publishedTerms(net *models.Network, group []embedded) (sum float64, err error) {
	firsts := make([]embedded, len(group))
	for i, batch := range group {
		firsts[i] = batch.first()
	}
	greedy, err := greedyLabels(net, firsts)
	if err != nil {
		return 0, err
	}
	for i, batch := range group {
		labels := greedy[i]
		tables, err := net.TablesOf(batch.h, batch.u, slices.Repeat(labels, batch.B), batch.B, batch.N)
		if err != nil {
			return 0, err
		}
		for _, table := range tables {
			mc, err := metrics.MC(table, labels)
			if err != nil {
				return 0, err
			}
			sum += mc.Published
		}
	}
	return sum, nil
}
