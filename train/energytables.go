package train

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// tableInputs returns the tensors of a shard's table of candidates and of its negative sample, if it has one. x holds
// the points with alphaInputs; it is nil if the points are on the device.
func (o *energyObjective) tableInputs(shard Task, x []float32) (in []*tensors.Tensor, err error) {
	batch := shard.Batch
	d := len(x) / (batch.B * batch.N)
	c, err := models.ListCandidates(batch.Labels, batch.B, batch.N, o.buckets)
	if err != nil {
		return nil, err
	}
	points := onDevice(batch)
	if points == nil {
		points = c.PadPoints(x, d)
	}
	in = append([]*tensors.Tensor{points}, c.Tensors()...)
	return append(in, o.sampleInputs(shard, c.N)...), nil
}

// sampleInputs returns the tensors of a shard's negative sample, whose sets are padded to n points.
func (o *energyObjective) sampleInputs(shard Task, n int) []*tensors.Tensor {
	negative := shard.Negative
	if shard.Kind == losses.ExplorationStep && o.sharesGraph() && o.samples() {
		negative = make([][]int32, shard.Batch.B) // without labels
	}
	if negative == nil {
		return nil
	}
	return models.PadLabels(negative, n, o.buckets)
}

// tableNodes names the inputs of the table among the nodes of tableInputs; rest are the nodes behind them.
func tableNodes(in []*Node, onDevice bool) (table models.TableInputs, rest []*Node) {
	listed := slices.Clone(in[:models.NumListedInputs])
	if points := listed[1].Shape().Dimensions[1]; listed[0].Shape().Dimensions[1] > points {
		listed[0] = Slice(listed[0], AxisRange(), AxisRange(0, points)) // images are padded for the decoding loop
	}
	return models.ListedInputs(listed, onDevice), in[models.NumListedInputs:]
}

// sharesGraph reports whether the graph of data steps computes exploration steps too, because compiling takes long. In
// an exploration step the terms of data steps then have weight 0, and the sample is blank.
func (o *energyObjective) sharesGraph() bool {
	c := o.config
	return o.onDevice && c.Model == GFNCP && c.Loss.Beta < 1
}
