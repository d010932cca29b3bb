package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

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
	net     *models.Network         // the current weights, folded, for sampling, on the first device
	others  map[int]*models.Network // the same on the others that sample
	devices int                     // how many sample
	buckets models.Buckets
	device  bool // the backend lists the candidates, and keeps what it samples
}

func newEnergyObjective(w *weights, c Config) (*energyObjective, error) {
	drawn, err := c.Net.Layout().FromStore(w.store)
	if err != nil {
		return nil, err
	}
	net, err := models.NewNetwork(w.backend, c.Net, drawn)
	if err != nil {
		return nil, err
	}
	o := &energyObjective{config: c, weights: w, net: net, devices: engine.Devices(w.backend)}
	o.pads(c.buckets(w.backend), !engine.OnGo(w.backend))
	return o, nil
}

// pads sets how sets are padded, and whether the backend is a device.
func (o *energyObjective) pads(buckets models.Buckets, device bool) {
	o.buckets, o.device = buckets, device
	o.net.Buckets, o.net.Device = buckets, device && o.net.Backend.Capabilities().Functions
	o.others = map[int]*models.Network{}
}

// room gives the points to which sets of images that stay on the device are padded; nil where they cannot stay.
func (o *energyObjective) room() func(b *data.Batch) int {
	c := o.config
	if !o.net.Device || c.Net.Alpha || c.Net.Encoder != models.EncoderConv ||
		!o.net.FitsDevice(c.Data.Batch, c.Data.NMax) {
		return nil
	}
	return func(b *data.Batch) int { return o.buckets.InLoop(b.N) }
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

// sample draws the negative sample of a task, each device's part on it, where it stays if it can.
func (o *energyObjective) sample(ctx context.Context, task *Task, policy sampling.Ancestral) error {
	parts := shards(o.devices, task.Batch.B)
	sets, stays := make([]*sampling.Sets, parts), o.device
	for part := range parts {
		net, err := o.current(part)
		if err != nil {
			return err
		}
		if sets[part], err = embed(ctx, net, shardOf(task.Batch, part, parts)); err != nil {
			return err
		}
		stays = stays && sets[part].OnDevice()
	}
	drawn, labels, errs := make([]*sampling.Drawn, parts), make([][][]int32, parts), make([]error, parts)
	var wg sync.WaitGroup
	for part, s := range sets {
		own := policy.Of(bounds(part, parts, task.Batch.B))
		wg.Go(func() {
			if stays {
				drawn[part], errs[part] = s.DrawOnDevice(own)
				return
			}
			result, err := s.Run(s.EachSet(), own)
			if errs[part] = err; err == nil {
				labels[part] = result.Labels
			}
		})
	}
	wg.Wait()
	if task.Drawn = drawn; !stays {
		task.Drawn, task.Negative = nil, slices.Concat(labels...)
	}
	return cmp.Or(errs...)
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
// drawing, and the slots [K], in a mixed graph what its data weigh, and for a training step of an image network the
// state of dropout.
func (o *energyObjective) Inputs(at Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	var x []float32
	if onDevice(shard.Batch) == nil {
		x = o.config.Net.WithAlpha(shard.Batch.X, shard.Batch.N, o.told(at, part, shard.Batch))
	}
	in, err := o.table(shard, x)
	if err != nil {
		return nil, err
	}
	if o.mixed(shard.Kind, at.Held) {
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

// table returns Inputs without what follows the negative sample, for points x where they are not on the device.
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
	drawn := shard.Drawn
	if shard.Kind == losses.ExplorationStep && o.mixes() && o.samples() {
		drawn = []*sampling.Drawn{sampling.BlankDrawn(o.net, batch.B, batch.N)}
	}
	switch {
	case drawn != nil:
		in = append(in, drawn[0].Record, models.SlotNumbers(o.buckets.SampleSlots(drawn[0].Slots)))
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

// Loss is losses.Config.Objective on the table of all candidates, for a gradient with hidden layers in bf16 if the
// backend was opened so.
func (o *energyObjective) Loss(kind string, held bool, weights []*Node, share *Node, in []*Node) losses.Terms {
	if !held {
		engine.KeepShort(share.Graph())
	}
	folded := models.Fold(o.config.Net, weights)
	inputs, rest := o.tableInputs(in)
	last := func() *Node { // takes it away
		node := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		return node
	}
	if o.drops(held) {
		inputs.Drop = &models.Dropout{State: last()}
	}
	var sets losses.Sets
	if o.mixed(kind, held) {
		sets.Data = last()
	}
	sets.Table = folded.Table(inputs)
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

// mixes reports whether data and exploration steps have one graph, the data step's: where compiling takes long,
// exploration steps, one in a hundred or less, have none of their own. What counts on data steps alone is weighed there
// by a number, and the sample that an exploration step has not is a blank one, which must have the same shape.
func (o *energyObjective) mixes() bool {
	c := o.config
	return o.device && c.Model == GFNCP && c.Loss.Beta < 1 &&
		(!o.samples() || sampling.StaysOnDevice(o.net, c.Data.Batch, c.Data.NMax))
}

// mixed reports whether the graph of a kind of step is the one of two kinds.
func (o *energyObjective) mixed(kind string, held bool) bool {
	return !held && o.mixes() && o.Graph(kind) == losses.DataStep
}

// Graph is the kind of step whose graph computes a step of a kind.
func (o *energyObjective) Graph(kind string) string {
	if kind == losses.ExplorationStep && o.mixes() {
		return losses.DataStep
	}
	return kind
}

// tableInputs names the first of the nodes of Inputs; rest are the others.
func (o *energyObjective) tableInputs(in []*Node) (inputs models.TableInputs, rest []*Node) {
	if o.device {
		listed := slices.Clone(in[:models.NumListedInputs])
		if points := listed[1].Shape().Dimensions[1]; listed[0].Shape().Dimensions[1] > points {
			listed[0] = Slice(listed[0], AxisRange(), AxisRange(0, points)) // what stays is padded to the loop's room
		}
		return models.ListedInputs(listed), in[models.NumListedInputs:]
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
	net, err := o.current(0)
	if err != nil {
		return nil, err
	}
	sets, err := embed(ctx, net, batch)
	if err != nil {
		return nil, err
	}
	result, err := sets.Run(sets.EachSet(), policy)
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}

// current is the network on a device, with the current weights.
func (o *energyObjective) current(device int) (*models.Network, error) {
	net := o.net
	if device > 0 {
		if o.others[device] == nil {
			o.others[device] = o.net.On(device)
		}
		net = o.others[device]
	}
	weights, err := o.weights.on(device)
	if err != nil {
		return nil, err
	}
	return net, net.Update(weights)
}

// embed prepares a batch, or a shard of it, for decoding.
func embed(ctx context.Context, net *models.Network, batch *data.Batch) (*sampling.Sets, error) {
	if there := onDevice(batch); there != nil {
		return sampling.There(ctx, net, there, batch.B, batch.N), nil
	}
	return sampling.EncodeContext(ctx, net, batch.X, batch.B, batch.N)
}
