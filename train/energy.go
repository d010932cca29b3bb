package train

import (
	"context"
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// energyObjective trains the energy network: GFNCP (paper, alg:training) or NCP.
type energyObjective struct {
	config  Config
	weights *weights
	net     *models.Network // the current weights, folded, for sampling
	buckets models.Buckets

	onDevice bool // the backend is a device that holds the tables
}

func newEnergyObjective(w *weights, c Config) (*energyObjective, error) {
	first, err := w.onHost()
	if err != nil {
		return nil, err
	}
	net, err := models.NewNetwork(w.backend, c.Net, first)
	if err != nil {
		return nil, err
	}
	buckets, err := c.buckets(w.backend)
	if err != nil {
		return nil, err
	}
	o := &energyObjective{config: c, weights: w, net: net}
	o.setPadding(buckets, !engine.OnGo(w.backend))
	return o, nil
}

// setPadding sets how sets are padded, and whether the backend is a device that holds the tables.
func (o *energyObjective) setPadding(buckets models.Buckets, device bool) {
	o.buckets, o.onDevice = buckets, device
	o.net.Buckets, o.net.Device = buckets, device && o.net.Backend.Capabilities().Functions
}

// bring copies a batch of images to the device once, for the decoding loop and the loss, with room for the largest
// sets. Other batches are small, or too large for the loop, and stay on the host.
func (o *energyObjective) bring(batch *data.Batch) error {
	c := o.config
	if !o.net.Device || c.Net.Encoder != models.EncoderConv || !o.net.FitsDevice(c.Data.Batch, c.Data.NMax) {
		return nil
	}
	batch.Device = models.PadPoints(batch.X, batch.B, batch.N, o.buckets.InLoop(batch.N), batch.D)
	return engine.ToDevice(o.net.Backend, batch.Device)
}

// Plan draws c^U for an exploration step, and a negative sample for a data step if the loss has a term for it.
func (o *energyObjective) Plan(ctx context.Context, at Moment, batch *data.Batch) (Task, error) {
	task := Task{Kind: o.stepKind(at), Batch: batch}
	var err error
	switch task.Kind {
	case losses.ExplorationStep:
		task.Batch = explore(batch, o.config, at)
	case losses.DataStep:
		if !o.samples() {
			break
		}
		policy := sampling.Ancestral(at.rand(o.config.Seed, "negative"), batch.B, batch.N)
		if task.Negative, err = o.decode(ctx, batch, policy); err != nil {
			err = fmt.Errorf("negative sample: %w", err)
		}
	}
	return task, err
}

// samples reports whether data steps draw a negative sample: only if its term has a weight.
func (o *energyObjective) samples() bool { return o.config.Loss.Lambda != 0 }

// stepKind returns the kind of step at a moment: data with probability β, else explore (paper, alg:training). A
// validation has the model's own objective on the data's labels, also in GFNCP's warm-up, so that losses compare.
func (o *energyObjective) stepKind(at Moment) string {
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

// Inputs returns the points and the candidates of the table. A data step adds the labels of the negative sample [B,N]
// and the slots [K]. A training step of an image network adds the state of dropout.
func (o *energyObjective) Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	batch, buckets := shard.Batch, o.buckets
	if shard.Kind == losses.ExplorationStep {
		buckets.Table = buckets.Explored
	}
	c, err := models.ListCandidates(batch.Labels, batch.B, batch.N, buckets)
	if err != nil {
		return nil, err
	}
	points := batch.Device
	if points == nil {
		net := o.config.Net
		points = c.PadPoints(net.WithAlpha(batch.X, batch.N, o.alphaInputs(at, part, batch)), net.Inputs())
	}
	in := append([]*tensors.Tensor{points}, c.Tensors()...)
	if shard.Negative != nil {
		in = append(in, models.PadLabels(shard.Negative, c.N, o.buckets)...)
	}
	if o.usesDropout(at.Held) {
		in = append(in, models.DropoutState(at.rand(o.config.Seed, fmt.Sprintf("dropout/%d", part))))
	}
	return in, nil
}

// alphaInputs returns the inputs α [B] of an extended network: a set's α with probability 1/2, and otherwise 0, which
// means unknown. It returns nil for other networks and for batches without α.
func (o *energyObjective) alphaInputs(at Moment, part int, batch *data.Batch) []float64 {
	if !o.config.Net.Extended || batch.Alpha == nil {
		return nil
	}
	alpha, rng := slices.Clone(batch.Alpha), at.rand(o.config.Seed, fmt.Sprintf("alpha/%d", part))
	for i := range alpha {
		alpha[i] *= float64(rng.IntN(2))
	}
	return alpha
}

// usesDropout reports whether a step drops units: training steps do, in the encoder of images.
func (o *energyObjective) usesDropout(held bool) bool {
	return !held && o.config.Net.Encoder == models.EncoderConv
}

// Loss is losses.Config.Objective on the table of all candidates.
func (o *energyObjective) Loss(kind string, held bool, weights []*Node, share *Node, in []*Node) losses.Terms {
	folded := models.Fold(o.config.Net, weights)
	listed, rest := slices.Clone(in[:models.NumListedInputs]), in[models.NumListedInputs:]
	if points := listed[1].Shape().Dimensions[1]; listed[0].Shape().Dimensions[1] > points {
		listed[0] = Slice(listed[0], AxisRange(), AxisRange(0, points)) // images are padded for the decoding loop
	}
	inputs := models.ListedInputs(listed, o.onDevice)
	if o.usesDropout(held) {
		inputs.Drop = &models.Dropout{State: rest[len(rest)-1]}
	}
	sets := losses.Sets{Table: folded.Table(inputs)}
	if kind == losses.DataStep && o.samples() {
		sets.Negative = folded.FinalEnergy(sets.Table, rest[0], rest[1])
	}
	return o.config.Loss.Objective(kind, sets, share)
}

// Cluster decodes greedily with the current weights.
func (o *energyObjective) Cluster(ctx context.Context, _ int, batch *data.Batch) ([][]int32, error) {
	labels, err := o.decode(ctx, batch, sampling.Greedy())
	if err != nil {
		return nil, fmt.Errorf("greedy decoding: %w", err)
	}
	return labels, nil
}

// decode returns labels of the sets of a batch by a policy under the current weights.
func (o *energyObjective) decode(
	ctx context.Context, batch *data.Batch, policy sampling.Policy,
) ([][]int32, error) {
	if err := o.net.Update(o.weights.values); err != nil {
		return nil, err
	}
	sets, err := sampling.Encode(ctx, o.net, batch.X, batch.B, batch.N)
	if err != nil {
		return nil, err
	}
	if batch.Device != nil {
		sets.Use(batch.Device)
	}
	result, err := sets.Run(sets.EachSet(), policy)
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}
