package train

import (
	"context"
	"errors"
	"math"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/metrics"
)

// validation is the fixed stream of sets on which a run's weights are compared. Its negative samples use fixed
// uniforms.
type validation struct {
	batches []*data.Batch
}

func newValidation(ctx context.Context, t *Trainer, open Sources) (*validation, error) {
	c := t.Config.Data
	c.Stream = "valid"
	c.Batch = min(c.Batch, t.Config.Train.ValidSets)
	source, err := open(c)
	if err != nil {
		return nil, err
	}
	v := &validation{}
	for sets := 0; sets < t.Config.Train.ValidSets; sets += c.Batch {
		batch, err := beside.Do(ctx, func() (*data.Batch, error) {
			return source.Batch(t.Config.Seed, len(v.batches))
		})
		if err != nil {
			return nil, err
		}
		v.batches = append(v.batches, batch)
	}
	return v, nil
}

// score evaluates the current weights by the model's own objective. A loss that is not finite counts as infinite. The
// caller sets Step and Best. The end of ctx gives its error.
func (v *validation) score(ctx context.Context, t *Trainer) (Validation, error) {
	r := Validation{Step: t.Step}
	for i, batch := range v.batches {
		loss, err := t.held(ctx, i, batch)
		if err != nil {
			return r, err
		}
		nmi, found, err := agreement(ctx, t.objective, i, batch)
		if err != nil {
			return r, err
		}
		share := 1 / float64(len(v.batches))
		r.Loss += loss * share
		r.NMI += nmi * share
		r.Found += found * share
		r.Truth += meanClusters(batch) * share
	}
	if notFinite(r.Loss) {
		r.Loss = math.MaxFloat64
	}
	return r, nil
}

// agreement clusters a batch. It returns the mean NMI with the true labels and the mean number of clusters found; both
// are 0 for weights that have diverged.
func agreement(
	ctx context.Context, o Objective, i int, batch *data.Batch,
) (nmi, found float64, err error) {
	labels, err := o.Cluster(ctx, i, batch)
	if errors.Is(err, metrics.ErrNotFinite) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	for b, found := range labels {
		_, truth := batch.Set(b)
		one, err := metrics.NMI(truth, found)
		if err != nil {
			return 0, 0, err
		}
		nmi += one / float64(batch.B)
	}
	return nmi, meanClusterCount(labels), nil
}
