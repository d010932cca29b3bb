package train

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/datasets"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/sampling"
)

// validation is the fixed stream of sets on which a run's weights are compared. Its negative samples use fixed uniforms.
type validation struct {
	batches []*data.Batch
}

func newValidation(t *Trainer) (*validation, error) {
	c := t.Config.Data
	c.Stream = "valid"
	c.Batch = min(c.Batch, t.Config.Train.ValidSets)
	source, err := datasets.Source(c)
	if err != nil {
		return nil, err
	}
	v := &validation{}
	for sets := 0; sets < t.Config.Train.ValidSets; sets += c.Batch {
		batch, err := source.Batch(t.Config.Seed, len(v.batches))
		if err != nil {
			return nil, err
		}
		v.batches = append(v.batches, batch)
	}
	return v, nil
}

// score evaluates the current weights. Its loss is the model's own objective on the data's labels: the likelihood for NCP,
// the full objective for GFNCP (also during its warm-up, so that all values compare). A loss that is not a number counts
// as infinite. Step and Best are left to the caller to judge.
func (v *validation) score(t *Trainer) (Validation, error) {
	r := Validation{Step: t.Step}
	if err := t.refresh(); err != nil {
		return r, err
	}
	for i, batch := range v.batches {
		loss, err := v.loss(t, i)
		if err != nil {
			return r, err
		}
		nmi, found, err := greedyAgreement(t, batch)
		if err != nil {
			return r, err
		}
		share := 1 / float64(len(v.batches))
		r.Loss += loss * share
		r.NMI += nmi * share
		r.Found += found * share
		r.Truth += meanClusters(batch) * share
	}
	if bad(r.Loss) {
		r.Loss = math.MaxFloat64
	}
	return r, nil
}

// loss is the objective on one validation batch.
func (v *validation) loss(t *Trainer, i int) (float64, error) {
	kind, negative := likelihoodStep, [][]int32(nil)
	if t.Config.Model == GFNCP {
		kind = dataStep
		var err error
		if negative, err = t.negative(v.batches[i], "valid-negative", i); err != nil {
			return 0, err
		}
	}
	terms, err := t.gradients.value(kind, v.batches[i], negative)
	return terms.Loss, err
}

// greedyAgreement decodes a batch greedily: its mean NMI with the true labels and the mean number of clusters found. Weights
// that have diverged agree with nothing.
func greedyAgreement(t *Trainer, batch *data.Batch) (nmi, found float64, err error) {
	sets, err := sampling.Encode(t.net, batch.X, batch.B, batch.N)
	if err != nil {
		return 0, 0, err
	}
	result, err := sets.Run(sets.EachSet(), sampling.Greedy{})
	if err != nil {
		return 0, 0, fmt.Errorf("greedy decoding: %w", err)
	}
	for b, labels := range result.Labels {
		_, truth := batch.Set(b)
		agreement, err := metrics.NMI(truth, labels)
		if err != nil {
			return 0, 0, err
		}
		nmi += agreement / float64(batch.B)
	}
	return nmi, meanMax(result.Labels), nil
}
