package train

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// tableInputs returns the tensors of a shard's table, and those of its negative sample if it has one. x are the points
// with alphaInputs, nil where the shard's points are on the device.
func (o *energyObjective) tableInputs(shard Task, x []float32) ([]*tensors.Tensor, error) {
	if o.device {
		return o.deviceInputs(shard, x)
	}
	batch := shard.Batch
	c, err := models.ListCandidates(batch.Labels, batch.B, batch.N, o.buckets)
	if err != nil {
		return nil, err
	}
	in := append([]*tensors.Tensor{c.PadPoints(x, len(x)/(batch.B*batch.N))}, c.Tensors()...)
	if shard.Negative != nil {
		in = append(in, models.PadLabels(shard.Negative, c.N, o.buckets)...)
	}
	return in, nil
}

// deviceInputs is tableInputs where the backend lists the candidates.
func (o *energyObjective) deviceInputs(shard Task, x []float32) ([]*tensors.Tensor, error) {
	batch := shard.Batch
	l, err := models.ListOnDevice(batch.Labels, batch.B, batch.N, o.buckets)
	if err != nil {
		return nil, err
	}
	points := onDevice(batch)
	if points == nil {
		points = l.PadPoints(x, len(x)/(batch.B*batch.N))
	}
	in := append([]*tensors.Tensor{points}, l.Tensors()...)
	drawn := shard.Drawn
	if shard.Kind == losses.ExplorationStep && o.sharesGraph() && o.samples() {
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

// tableNodes names the inputs of the table among the nodes of tableInputs; rest are the nodes behind them.
func (o *energyObjective) tableNodes(in []*Node) (table models.TableInputs, rest []*Node) {
	if !o.device {
		return models.TableInputsFrom(in), in[models.NumTableInputs:]
	}
	listed := slices.Clone(in[:models.NumListedInputs])
	if points := listed[1].Shape().Dimensions[1]; listed[0].Shape().Dimensions[1] > points {
		listed[0] = Slice(listed[0], AxisRange(), AxisRange(0, points)) // images are padded for the decoding loop
	}
	return models.ListedInputs(listed), in[models.NumListedInputs:]
}

// sampleLabels turns the node of a negative sample into its labels [B,N]: it reads a record of the decoding loop;
// labels that came from the host stay as they are.
func sampleLabels(sample *Node, table models.TableInputs) *Node {
	if sample.Rank() != 3 {
		return sample
	}
	dims := table.Labels.Shape().Dimensions
	return sampling.DrawnLabels(sample, table.Count, dims[0], dims[1])
}

// drawNegative draws the negative sample of a task under a policy. sets are the parts of its batch. If all of them are
// on devices, the sample stays there.
func (o *energyObjective) drawNegative(task *Task, sets []*sampling.Sets, policy sampling.Ancestral) error {
	if o.device && !slices.ContainsFunc(sets, func(s *sampling.Sets) bool { return !s.OnDevice() }) {
		task.Drawn = make([]*sampling.Drawn, len(sets))
		return sampleParts(sets, task.Batch.B, policy, func(part int, policy sampling.Ancestral) (err error) {
			task.Drawn[part], err = sets[part].DrawOnDevice(policy)
			return err
		})
	}
	labels := make([][][]int32, len(sets))
	err := sampleParts(sets, task.Batch.B, policy, func(part int, policy sampling.Ancestral) error {
		result, err := sets[part].Run(sets[part].EachSet(), policy)
		if err == nil {
			labels[part] = result.Labels
		}
		return err
	})
	task.Negative = slices.Concat(labels...)
	return err
}

// sharesGraph reports whether exploration steps are computed by the graph of data steps: where compiling takes long and
// exploration steps are rare. What counts on data steps alone then has the weight 0, and the sample that an exploration
// step lacks is a blank one of the same shape.
func (o *energyObjective) sharesGraph() bool {
	c := o.config
	return o.device && c.Model == GFNCP && c.Loss.Beta < 1 &&
		(!o.samples() || sampling.StaysOnDevice(o.net, c.Data.Batch, c.Data.NMax))
}
