package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// Quality is what a model reaches on held-out sets by its point estimate (greedy decoding, for an energy network); every number
// is a mean over the sets. MC and the log-probability belong to energy networks alone.
type Quality struct {
	Sets     int     `json:"sets"`
	NMI      float64 `json:"nmi"`
	ARI      float64 `json:"ari"`
	MC       float64 `json:"mc,omitzero"`      // exact sum over n = 2..N on the true labels
	MCEps    float64 `json:"mc_eps,omitzero"`  // mean per step with clamped log-flows (published code)
	MCLast   float64 `json:"mc_last,omitzero"` // the term n = N alone
	LogProb  float64 `json:"log_prob,omitzero"`
	Clusters float64 `json:"clusters"` // found
	Truth    float64 `json:"truth"`    // number of true clusters
}

// String is the summary in one line.
func (q Quality) String() string {
	text := fmt.Sprintf("NMI %.3f, ARI %.3f", q.NMI, q.ARI)
	if q.MC > 0 {
		text += fmt.Sprintf(", MC %.4g", q.MC)
	}
	return fmt.Sprintf("%s on %d sets", text, q.Sets)
}

// Evaluate scores a network on the first sets of a source, batch by batch. Cancelling ctx ends it between two batches.
func Evaluate(ctx context.Context, net *models.Network, source data.Source, seed uint64, sets int) (Quality, error) {
	var q Quality
	r, err := newReader(net, source)
	if err != nil {
		return q, fmt.Errorf("evaluate: %w", err)
	}
	for step := 0; q.Sets < sets; step++ {
		if ctx.Err() != nil {
			return q, train.ErrInterrupted
		}
		batch, err := r.batch(seed, step, sets-q.Sets)
		if err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
		if err := q.add(net, batch); err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
	}
	q.scale(1 / float64(q.Sets))
	return q, nil
}

// add sums a batch's scores up.
func (q *Quality) add(net *models.Network, batch embedded) error {
	encoded, err := sampling.Embedded(net, batch.h, batch.u, batch.B, batch.N)
	if err != nil {
		return err
	}
	greedy, err := encoded.Run(encoded.EachSet(), sampling.Greedy{})
	if err != nil {
		return err
	}
	tables, err := net.TablesOf(batch.h, batch.u, batch.Labels, batch.B, batch.N)
	if err != nil {
		return err
	}
	for b := range batch.B {
		truth := batch.Labels[b*batch.N : (b+1)*batch.N]
		if err := q.addSet(truth, greedy.Labels[b], tables[b]); err != nil {
			return fmt.Errorf("set %d: %w", b, err)
		}
	}
	return nil
}

func (q *Quality) addSet(truth, found []int32, table metrics.EnergyTable) error {
	if err := q.addLabels(truth, found); err != nil {
		return err
	}
	mc, err := metrics.MC(table, truth)
	if err != nil {
		return err
	}
	logProb, err := metrics.LogProb(table, truth)
	if err != nil {
		return err
	}
	q.MC += mc.MC
	q.MCEps += mc.MCEps
	q.MCLast += mc.LastTerm
	q.LogProb += logProb
	return nil
}

// addLabels adds what follows from the labels alone.
func (q *Quality) addLabels(truth, found []int32) error {
	nmi, ari, err := agreement(truth, found)
	if err != nil {
		return err
	}
	_, foundK := metrics.Canonical(found)
	_, truthK := metrics.Canonical(truth)
	q.Sets++
	q.NMI += nmi
	q.ARI += ari
	q.Clusters += float64(foundK)
	q.Truth += float64(truthK)
	return nil
}

func (q *Quality) scale(by float64) {
	for _, v := range []*float64{&q.NMI, &q.ARI, &q.MC, &q.MCEps, &q.MCLast, &q.LogProb, &q.Clusters, &q.Truth} {
		*v *= by
	}
}
