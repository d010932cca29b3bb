package evaluation

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

const (
	// PublishedSets is the number of sets of one evaluation of the published code.
	PublishedSets = 64
	// PublishedEvaluations is their number in the paper's 5,000 iterations, one in a hundred.
	PublishedEvaluations = 50
)

// Published holds the scores of the authors' published code (2025-02-23). One evaluation is a batch of 64 sets with one
// partition and one order. The result is the largest NMI of all evaluations, and separately the largest ARI.
type Published struct {
	Evaluations int     `json:"evaluations"`
	Sets        int     `json:"sets"`
	NMI         float64 `json:"nmi"` // the largest of an evaluation
	ARI         float64 `json:"ari"` // the largest of an evaluation, maybe another than NMI's
	MeanNMI     float64 `json:"mean_nmi"`
	MeanARI     float64 `json:"mean_ari"`
	NMISpread   float64 `json:"nmi_sd"` // standard deviation of one evaluation
	ARISpread   float64 `json:"ari_sd"`
	Clusters    float64 `json:"clusters"` // found, mean over all
	Truth       float64 `json:"truth"`
}

// PublishedTest returns the test sets of the published evaluation: batches share labels, images have K 3 to 10.
func PublishedTest(c data.Config) data.Config {
	c.Shared, c.Batch = true, PublishedSets
	if c.IsImages() && c.FixedK == 0 {
		c.MinK, c.MaxK = 3, 10
	}
	return c
}

// ByPublished scores one model by the published rule, as if each evaluation were of another iteration: the source is
// one of PublishedTest, and evaluation i has seed + i. It returns the errors of Model.
func ByPublished(
	ctx context.Context, backend compute.Backend, m *train.Model, source data.Source, seed uint64, evaluations int,
) (p Published, err error) {
	var nmi, ari []float64
	for i := range evaluations {
		q, err := Model(ctx, backend, m, source, seed+uint64(i), PublishedSets)
		if err != nil {
			return p, fmt.Errorf("evaluation %d: %w", i+1, err)
		}
		nmi, ari = append(nmi, q.NMI), append(ari, q.ARI)
		p.Clusters += q.Clusters / float64(evaluations)
		p.Truth += q.Truth / float64(evaluations)
	}
	p.Evaluations, p.Sets = evaluations, evaluations*PublishedSets
	p.NMI, p.ARI = slices.Max(nmi), slices.Max(ari)
	p.MeanNMI, p.NMISpread = metrics.Summary(nmi)
	p.MeanARI, p.ARISpread = metrics.Summary(ari)
	return p, nil
}

// PublishedMC is marginal consistency as the authors' published code measures it, in squared nats a point: the sets of
// a batch share their labelling (data.Config.Shared), and all are scored along the greedy labels of the first one. It
// returns the mean over sets of metrics.Consistency.Published, and the errors of Model.
func PublishedMC(
	ctx context.Context, net *models.Network, source data.Source, seed uint64, sets int,
) (float64, error) {
	r, err := NewReader(net, source, seed, sets)
	if err != nil {
		return 0, fmt.Errorf("published MC: %w", err)
	}
	sum := 0.0
	for batch, err := range r.batches(ctx, seed, sets) {
		if err != nil {
			return 0, fmt.Errorf("published MC: %w", err)
		}
		greedy, err := greedyLabels(net, batch.one(0))
		if err != nil {
			return 0, fmt.Errorf("published MC, step %d: %w", batch.step, err)
		}
		labels := slices.Repeat(greedy[0], batch.B)
		tables, err := net.TablesOf(batch.h, batch.u, labels, batch.B, batch.N)
		if err != nil {
			return 0, fmt.Errorf("published MC, step %d: %w", batch.step, err)
		}
		for _, table := range tables {
			mc, err := metrics.MC(table, greedy[0])
			if err != nil {
				return 0, fmt.Errorf("published MC, step %d: %w", batch.step, err)
			}
			sum += mc.Published
		}
	}
	return sum / float64(sets), nil
}
