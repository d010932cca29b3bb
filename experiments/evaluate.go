package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// Quality is what a network reaches on held-out sets by greedy decoding; every number is a mean over the sets.
type Quality struct {
	Sets     int     `json:"sets"`
	NMI      float64 `json:"nmi"`
	ARI      float64 `json:"ari"`
	MC       float64 `json:"mc"`      // exact sum over n = 2..N on the true labels
	MCEps    float64 `json:"mc_eps"`  // mean per step with clamped log-flows (published code)
	MCLast   float64 `json:"mc_last"` // the term n = N alone
	LogProb  float64 `json:"log_prob"`
	Clusters float64 `json:"clusters"` // found
	Truth    float64 `json:"truth"`    // number of true clusters
}

// Evaluate scores a network on the first sets of a source, batch by batch.
func Evaluate(net *models.Network, source data.Source, seed uint64, sets int) (Quality, error) {
	var q Quality
	for step := 0; q.Sets < sets; step++ {
		batch, err := source.Batch(seed, step)
		if err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
		if left := sets - q.Sets; left < batch.B {
			batch = batch.Slice(0, left)
		}
		if err := q.add(net, batch); err != nil {
			return q, fmt.Errorf("evaluate: %w", err)
		}
	}
	q.scale(1 / float64(q.Sets))
	return q, nil
}

// add sums a batch's scores up.
func (q *Quality) add(net *models.Network, batch *data.Batch) error {
	encoded, err := sampling.Encode(net, batch.X, batch.B, batch.N)
	if err != nil {
		return err
	}
	greedy, err := encoded.Run(encoded.EachSet(), sampling.Greedy{})
	if err != nil {
		return err
	}
	tables, err := net.Tables(batch.X, batch.Labels, batch.B, batch.N)
	if err != nil {
		return err
	}
	for b := range batch.B {
		_, truth := batch.Set(b)
		if err := q.addSet(truth, greedy.Labels[b], tables[b]); err != nil {
			return fmt.Errorf("set %d: %w", b, err)
		}
	}
	return nil
}

func (q *Quality) addSet(truth, found []int32, table metrics.EnergyTable) error {
	nmi, err := metrics.NMI(truth, found)
	if err != nil {
		return err
	}
	ari, err := metrics.ARI(truth, found)
	if err != nil {
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
	_, foundK := metrics.Canonical(found)
	_, truthK := metrics.Canonical(truth)
	q.Sets++
	q.NMI += nmi
	q.ARI += ari
	q.MC += mc.MC
	q.MCEps += mc.MCEps
	q.MCLast += mc.LastTerm
	q.LogProb += logProb
	q.Clusters += float64(foundK)
	q.Truth += float64(truthK)
	return nil
}

func (q *Quality) scale(by float64) {
	for _, v := range []*float64{&q.NMI, &q.ARI, &q.MC, &q.MCEps, &q.MCLast, &q.LogProb, &q.Clusters, &q.Truth} {
		*v *= by
	}
}
