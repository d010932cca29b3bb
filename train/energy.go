package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// energyLearner trains the energy network: GFNCP (paper, alg:training) or NCP.
type energyLearner struct {
	config    Config
	store     *model.Store
	net       *models.Network // the current weights, folded, for sampling
	gradients *gradients
}

func newEnergyLearner(backend compute.Backend, store *model.Store, c Config) (*energyLearner, error) {
	weights, err := c.Net.Layout().FromStore(store)
	if err != nil {
		return nil, err
	}
	l := &energyLearner{config: c, store: store}
	if l.net, err = models.NewNetwork(backend, c.Net, weights); err != nil {
		return nil, err
	}
	l.gradients, err = newGradients(backend, store, c)
	return l, err
}

func (l *energyLearner) step(step int, batch *data.Batch, report *StepReport) ([]*tensors.Tensor, error) {
	kind := l.kind(step)
	report.Kind = kindName(kind)
	var negative [][]int32
	switch kind {
	case explorationStep:
		batch = explore(batch, l.config, step)
	case dataStep:
		var err error
		if negative, err = l.negative(batch, "negative", step); errors.Is(err, sampling.ErrNotFinite) {
			return nil, &NonFiniteError{step + 1, l.config.Seed, math.NaN(), math.NaN()}
		} else if err != nil {
			return nil, err
		}
		report.Sampled = meanMax(negative)
	}
	terms, grads, err := l.gradients.gradient(kind, batch, negative, step)
	report.Loss, report.MC, report.CD, report.Reg, report.NLL = terms.Loss, terms.MC, terms.CD, terms.Reg, terms.NLL
	return grads, err
}

func kindName(kind stepKind) string {
	return [...]string{"likelihood", "warm-up", "data", "explore"}[kind]
}

// kind decides what a step does: l ~ Bernoulli(β) (paper, alg:training).
func (l *energyLearner) kind(step int) stepKind {
	switch {
	case l.config.Model == NCP:
		return likelihoodStep
	case step < l.config.Train.WarmupSteps:
		return warmupStep
	}
	if data.Rand(l.config.Seed, "bernoulli", step).Float64() < l.config.Loss.Beta {
		return dataStep
	}
	return explorationStep
}

// explore returns the batch with labels c^U in place of the data's.
func explore(batch *data.Batch, c Config, step int) *data.Batch {
	rng := data.Rand(c.Seed, "explore", step)
	explored := *batch
	explored.Labels = nil
	for b := range batch.B {
		_, labels := batch.Set(b)
		explored.Labels = append(explored.Labels, losses.ExplorationLabels(rng, c.Loss.Explore, labels)...)
	}
	return &explored
}

// negative samples c̃ for each set from the current policy.
func (l *energyLearner) negative(batch *data.Batch, stream string, step int) ([][]int32, error) {
	policy := sampling.NewAncestral(data.Rand(l.config.Seed, stream, step), batch.B, batch.N)
	labels, err := l.decode(batch, policy)
	if err != nil {
		return nil, fmt.Errorf("negative sample: %w", err)
	}
	return labels, nil
}

// decode clusters a batch with the current weights.
func (l *energyLearner) decode(batch *data.Batch, policy sampling.Policy) ([][]int32, error) {
	weights, err := current(l.store, l.config.Net.Layout())
	if err != nil {
		return nil, err
	}
	if err := l.net.Update(weights); err != nil {
		return nil, err
	}
	sets, err := sampling.Encode(l.net, batch.X, batch.B, batch.N)
	if err != nil {
		return nil, err
	}
	result, err := sets.Run(sets.EachSet(), policy)
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}

// value is the model's own objective on the data's labels: the likelihood for NCP, the full objective for GFNCP (also during
// its warm-up, so that all values compare). Weights that have diverged have no value: NaN.
func (l *energyLearner) value(i int, batch *data.Batch) (float64, error) {
	kind, negative := likelihoodStep, [][]int32(nil)
	if l.config.Model == GFNCP {
		kind = dataStep
		var err error
		if negative, err = l.negative(batch, "valid-negative", i); errors.Is(err, sampling.ErrNotFinite) {
			return math.NaN(), nil
		} else if err != nil {
			return 0, err
		}
	}
	terms, err := l.gradients.value(kind, batch, negative)
	return terms.Loss, err
}

func (l *energyLearner) cluster(_ int, batch *data.Batch) ([][]int32, error) {
	labels, err := l.decode(batch, sampling.Greedy{})
	if err != nil {
		return nil, fmt.Errorf("greedy decoding: %w", err)
	}
	return labels, nil
}
