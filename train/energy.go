package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// energyObjective trains the energy network: GFNCP (paper, alg:training) or NCP.
type energyObjective struct {
	config  Config
	store   *model.Store
	net     *models.Network // the current weights, folded, for sampling
	buckets models.Buckets
}

func newEnergyObjective(backend compute.Backend, store *model.Store, c Config) (*energyObjective, error) {
	weights, err := c.Net.Layout().FromStore(store)
	if err != nil {
		return nil, err
	}
	o := &energyObjective{config: c, store: store, buckets: models.BucketsFor(backend.Name())}
	o.net, err = models.NewNetwork(backend, c.Net, weights)
	return o, err
}

func (o *energyObjective) Layout() models.Params { return o.config.Net.Layout() }

// Plan draws c^U for an exploration step, and a negative sample for a data step that weighs one.
func (o *energyObjective) Plan(ctx context.Context, at Moment, batch *data.Batch) (Task, error) {
	task := Task{Kind: o.kind(at), Batch: batch}
	var err error
	switch task.Kind {
	case losses.ExplorationStep:
		task.Batch = explore(batch, o.config, at)
	case losses.DataStep:
		if !o.samples() {
			break
		}
		policy := sampling.NewAncestral(at.rand(o.config.Seed, "negative"), batch.B, batch.N)
		if task.Negative, err = o.decode(ctx, batch, policy); err != nil {
			err = fmt.Errorf("negative sample: %w", err)
		}
	}
	return task, err
}

// samples reports whether data steps need a sample from the policy: where it has no weight they save themselves the
// decoding.
func (o *energyObjective) samples() bool { return o.config.Loss.Lambda != 0 }

// kind decides what is done at a moment: l ~ Bernoulli(β) (paper, alg:training). A validation computes the model's own
// objective on the data's labels: the likelihood for NCP, the full objective for GFNCP, also during its warm-up, so
// that all values compare.
func (o *energyObjective) kind(at Moment) string {
	switch {
	case o.config.Model == NCP:
		return losses.LikelihoodStep
	case at.Held:
		return losses.DataStep
	case at.Index < o.config.Train.WarmupSteps:
		return losses.WarmupStep
	case at.rand(o.config.Seed, "bernoulli").Float64() < o.config.Loss.Beta:
		return losses.DataStep
	}
	return losses.ExplorationStep
}

// explore returns the batch with labels c^U in place of the data's.
func explore(batch *data.Batch, c Config, at Moment) *data.Batch {
	rng := at.rand(c.Seed, "explore")
	explored := *batch
	explored.Labels = nil
	for b := range batch.B {
		_, labels := batch.Set(b)
		explored.Labels = append(explored.Labels, losses.ExplorationLabels(rng, c.Loss.Explore, labels)...)
	}
	return &explored
}

// Inputs are the table's inputs, on a data step the labels of the negative sample [B,N] and the slots [K], and for a
// training step of an image network the state of dropout.
func (o *energyObjective) Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	c, err := models.ListCandidates(shard.Batch.Labels, shard.Batch.B, shard.Batch.N, o.buckets)
	if err != nil {
		return nil, err
	}
	x := o.config.Net.WithAlpha(shard.Batch.X, shard.Batch.N, o.told(at, part, shard.Batch))
	in := append([]*tensors.Tensor{c.PadPoints(x, o.config.Net.Inputs())}, c.Tensors()...)
	if shard.Negative != nil {
		in = append(in, c.PadLabels(shard.Negative, o.buckets)...)
	}
	if o.drops(at.Held) {
		in = append(in, models.DropoutState(at.rand(o.config.Seed, fmt.Sprintf("dropout/%d", part))))
	}
	return in, nil
}

// told is what a network with α as an input is told of it: every other set's own, at random, 0 for the others.
func (o *energyObjective) told(at Moment, part int, batch *data.Batch) []float64 {
	if !o.config.Net.Alpha || batch.Alpha == nil {
		return nil
	}
	alpha, rng := slices.Clone(batch.Alpha), at.rand(o.config.Seed, fmt.Sprintf("alpha/%d", part))
	for i := range alpha {
		alpha[i] *= float64(rng.IntN(2))
	}
	return alpha
}

// drops reports whether units are dropped: in training steps, of the encoder of images.
func (o *energyObjective) drops(held bool) bool {
	return !held && o.config.Net.Encoder == models.EncoderConv
}

// Loss is losses.Config.Objective on the table of all candidates.
func (o *energyObjective) Loss(kind string, held bool, weights []*Node, share *Node, in []*Node) losses.Terms {
	folded := models.Fold(o.config.Net, weights)
	inputs := models.TableInputsFrom(in)
	if o.drops(held) {
		inputs.Drop = &models.Dropout{State: in[len(in)-1]}
	}
	sets := losses.Sets{Table: folded.Table(inputs)}
	sets.LeaveOut = func(points int) models.LeftOut { return folded.LeaveOut(sets.Table, inputs.Labels, points) }
	if kind == losses.DataStep && o.samples() {
		rest := in[models.NumTableInputs:]
		sets.Negative = folded.FinalEnergy(sets.Table, rest[0], rest[1])
	}
	return o.config.Loss.Objective(kind, sets, share)
}

// Cluster decodes greedily.
func (o *energyObjective) Cluster(ctx context.Context, _ int, batch *data.Batch) ([][]int32, error) {
	labels, err := o.decode(ctx, batch, sampling.Greedy{})
	if err != nil {
		return nil, fmt.Errorf("greedy decoding: %w", err)
	}
	return labels, nil
}

// decode clusters a batch with the current weights.
func (o *energyObjective) decode(
	ctx context.Context, batch *data.Batch, policy sampling.Policy,
) ([][]int32, error) {
	weights, err := current(o.store, o.Layout())
	if err != nil {
		return nil, err
	}
	if err := o.net.Update(weights); err != nil {
		return nil, err
	}
	result, err := decode(ctx, o.net, batch.X, batch.B, batch.N, policy)
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}

// current reads the layout's weights from a store, as the tensors that the store holds.
func current(store *model.Store, layout models.Params) ([]*tensors.Tensor, error) {
	weights := make([]*tensors.Tensor, len(layout))
	for i, p := range layout {
		var err error
		if weights[i], err = store.GetVariable("/" + p.Name).Value(); err != nil {
			return nil, fmt.Errorf("read weight %s: %w", p.Name, err)
		}
	}
	return weights, nil
}
