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
	"github.com/gfncp/gfncp/internal/engine"
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
	device  bool // the backend lists the candidates, and keeps what it samples
}

func newEnergyObjective(backend compute.Backend, store *model.Store, c Config) (*energyObjective, error) {
	weights, err := c.Net.Layout().FromStore(store)
	if err != nil {
		return nil, err
	}
	net, err := models.NewNetwork(backend, c.Net, weights)
	if err != nil {
		return nil, err
	}
	o := &energyObjective{config: c, store: store, net: net}
	o.pads(c.buckets(backend), !engine.OnGo(backend))
	return o, nil
}

// pads sets how sets are padded, and whether the backend is a device.
func (o *energyObjective) pads(buckets models.Buckets, device bool) {
	o.buckets, o.device = buckets, device
	o.net.Buckets, o.net.Device = buckets, device && o.net.Backend.Capabilities().Functions
}

// room gives the points to which sets of images that stay on the device are padded; nil where they cannot stay.
func (o *energyObjective) room() func(b *data.Batch) int {
	c := o.config
	if !o.net.Device || c.Net.Alpha || c.Net.Encoder != models.EncoderConv ||
		!o.net.FitsDevice(c.Data.Batch, c.Data.NMax) {
		return nil
	}
	return func(b *data.Batch) int { return o.net.PaddedPoints(b.N) }
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
		if err = o.sample(ctx, &task, policy); err != nil {
			err = fmt.Errorf("negative sample: %w", err)
		}
	}
	return task, err
}

// sample draws the negative sample of a task, which stays on a device that can keep it.
func (o *energyObjective) sample(ctx context.Context, task *Task, policy sampling.Policy) error {
	sets, err := o.encode(ctx, task.Batch)
	if err != nil {
		return err
	}
	if o.device && sets.OnDevice() {
		task.Drawn, err = sets.DrawOnDevice(policy)
		return err
	}
	result, err := sets.Run(sets.EachSet(), policy)
	if err != nil {
		return err
	}
	task.Negative = result.Labels
	return nil
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

// Inputs are the table's inputs, on a data step the labels of the negative sample [B,N], or the record of their
// drawing, and the slots [K], and for a training step of an image network the state of dropout.
func (o *energyObjective) Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	var x []float32
	if onDevice(shard.Batch) == nil {
		x = o.config.Net.WithAlpha(shard.Batch.X, shard.Batch.N, o.told(at, part, shard.Batch))
	}
	in, err := o.table(shard, x)
	if err != nil {
		return nil, err
	}
	if o.flags(o.Graph(shard.Kind), at.Held) {
		weight := float32(0)
		if shard.Kind == losses.DataStep {
			weight = 1
		}
		in = append(in, tensors.FromScalar(weight))
	}
	if o.drops(at.Held) {
		in = append(in, models.DropoutState(at.rand(o.config.Seed, fmt.Sprintf("dropout/%d", part))))
	}
	return in, nil
}

// table returns Inputs without dropout, for points x where they are not on the device.
func (o *energyObjective) table(shard Task, x []float32) ([]*tensors.Tensor, error) {
	batch, columns := shard.Batch, o.config.Net.Inputs()
	if !o.device {
		c, err := models.ListCandidates(batch.Labels, batch.B, batch.N, o.buckets)
		if err != nil {
			return nil, err
		}
		in := append([]*tensors.Tensor{c.PadPoints(x, columns)}, c.Tensors()...)
		if shard.Negative != nil {
			in = append(in, models.PadLabels(shard.Negative, c.N, o.buckets)...)
		}
		return in, nil
	}
	l, err := models.ListOnDevice(batch.Labels, batch.B, batch.N, o.buckets)
	if err != nil {
		return nil, err
	}
	points := onDevice(batch)
	if points == nil {
		points = l.PadPoints(x, columns)
	}
	in := append([]*tensors.Tensor{points}, l.Tensors()...)
	switch {
	case shard.Kind == losses.ExplorationStep && o.Graph(shard.Kind) == losses.DataStep && o.samples():
		blank := sampling.BlankDrawn(o.net, batch.B, batch.N)
		in = append(in, blank.Record, models.SlotNumbers(blank.Slots))
	case shard.Drawn != nil:
		in = append(in, shard.Drawn.Record, models.SlotNumbers(shard.Drawn.Slots))
	case shard.Negative != nil:
		in = append(in, models.PadLabels(shard.Negative, l.N, o.buckets)...)
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
	inputs, rest := o.tableInputs(in)
	if o.drops(held) {
		inputs.Drop = &models.Dropout{State: in[len(in)-1]}
	}
	sets := losses.Sets{Table: folded.Table(inputs)}
	if o.flags(kind, held) {
		sets.Data = in[len(in)-1]
		if o.drops(held) {
			sets.Data = in[len(in)-2]
		}
	}
	sets.LeaveOut = func(points int) models.LeftOut { return folded.LeaveOut(sets.Table, inputs.Labels, points) }
	if kind == losses.DataStep && o.samples() {
		labels := rest[0]
		if labels.Rank() == 3 { // a record
			dims := inputs.Labels.Shape().Dimensions
			labels = sampling.DrawnLabels(labels, inputs.Count, dims[0], dims[1])
		}
		sets.Negative = folded.FinalEnergy(sets.Table, labels, rest[1])
	}
	return o.config.Loss.Objective(kind, sets, share)
}

// Graph is the kind of step whose graph computes a step of a kind: where compiling takes long, exploration steps, one
// in a hundred or less, have no graphs of their own.
func (o *energyObjective) Graph(kind string) string {
	c := o.config.Data
	blank := !o.samples() || sampling.StaysOnDevice(o.net, c.Batch, c.NMax) // the sample that such a step has not
	if o.device && blank && kind == losses.ExplorationStep {
		return losses.DataStep
	}
	return kind
}

// flags reports whether a graph weighs what counts on data steps alone.
func (o *energyObjective) flags(graph string, held bool) bool {
	return graph == losses.DataStep && !held && o.device && o.config.Loss.Beta < 1 &&
		o.Graph(losses.ExplorationStep) == graph
}

// tableInputs names the first of the nodes of Inputs; rest are the others.
func (o *energyObjective) tableInputs(in []*Node) (inputs models.TableInputs, rest []*Node) {
	if o.device {
		return models.ListedInputs(in), in[models.NumListedInputs:]
	}
	return models.TableInputsFrom(in), in[models.NumTableInputs:]
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
	sets, err := o.encode(ctx, batch)
	if err != nil {
		return nil, err
	}
	result, err := sets.Run(sets.EachSet(), policy)
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}

// encode embeds a batch with the current weights.
func (o *energyObjective) encode(ctx context.Context, batch *data.Batch) (*sampling.Sets, error) {
	weights, err := current(o.store, o.Layout())
	if err != nil {
		return nil, err
	}
	if err := o.net.Update(weights); err != nil {
		return nil, err
	}
	if there := onDevice(batch); there != nil {
		return sampling.There(ctx, o.net, there, batch.B, batch.N), nil
	}
	return sampling.EncodeContext(ctx, o.net, batch.X, batch.B, batch.N)
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
