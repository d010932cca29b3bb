package train

import (
	"math"

	"github.com/gfncp/gfncp/data"
)

// validation is the fixed stream of sets on which a run's weights are compared. Its negative samples use fixed uniforms.
type validation struct {
	batches []*data.Batch
}

func newValidation(t *Trainer) (*validation, error) {
	c := t.Config.Data
	c.Stream = "valid"
	c.Batch = min(c.Batch, t.Config.Train.ValidSets)
	source, err := data.NewMoG(c)
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

// loss is the model's own objective on the data's labels: the likelihood for NCP, the full objective for GFNCP (also during
// its warm-up, so that all values compare). A loss that is not a number counts as infinite.
func (v *validation) loss(t *Trainer) (float64, error) {
	kind := likelihoodStep
	if t.Config.Model == GFNCP {
		kind = dataStep
	}
	var total float64
	for i, batch := range v.batches {
		var negative [][]int32
		if kind == dataStep {
			var err error
			if negative, err = t.negative(batch, "valid-negative", i); err != nil {
				return 0, err
			}
		}
		terms, _, err := t.gradients.compute(kind, batch, negative, false)
		if err != nil {
			return 0, err
		}
		total += terms.Loss
	}
	if bad(total) {
		return math.MaxFloat64, nil
	}
	return total / float64(len(v.batches)), nil
}
