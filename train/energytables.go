package train

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// tableInputs returns the tensors of a shard's table of candidates and of its negative sample, if it has one. x holds
// the points with alphaInputs; it is nil if the points are on the device.
func (o *energyObjective) tableInputs(shard Task, x []float32) (in []*tensors.Tensor, err error) {
	batch := shard.Batch
	d := len(x) / (batch.B * batch.N)
	list := models.ListCandidates
	if o.listsOnDevice {
		list = models.ListOnDevice
	}
	c, err := list(batch.Labels, batch.B, batch.N, o.buckets)
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
	drawn := shard.Drawn
	if shard.Kind == losses.ExplorationStep && o.sharesGraph() && o.samples() {
		drawn = sampling.BlankDrawn(o.net, shard.Batch.B, shard.Batch.N)
	}
	switch {
	case drawn != nil:
		return []*tensors.Tensor{drawn.Record, models.SlotNumbers(o.buckets.SampleSlots(drawn.Slots))}
	case shard.Negative != nil:
		return models.PadLabels(shard.Negative, n, o.buckets)
	}
	return nil
}

// tableNodes names the inputs of the table among the nodes of tableInputs; rest are the nodes behind them.
func tableNodes(in []*Node) (table models.TableInputs, rest []*Node) {
	listed := slices.Clone(in[:models.NumListedInputs])
	if points := listed[1].Shape().Dimensions[1]; listed[0].Shape().Dimensions[1] > points {
		listed[0] = Slice(listed[0], AxisRange(), AxisRange(0, points)) // images are padded for the decoding loop
	}
	return models.ListedInputs(listed), in[models.NumListedInputs:]
}

// sampleLabels returns the labels [B,N] of a negative sample. sample holds the labels or the record of a decoding loop.
func sampleLabels(sample *Node, table models.TableInputs) *Node {
	if sample.Rank() != 3 {
		return sample
	}
	dims := table.Labels.Shape().Dimensions
	return sampling.DrawnLabels(sample, table.Count, dims[0], dims[1])
}

// sharesGraph reports whether the graph of data steps computes exploration steps too, because compiling takes long. In
// an exploration step the terms of data steps then have weight 0, and the sample is blank.
func (o *energyObjective) sharesGraph() bool {
	c := o.config
	return o.listsOnDevice && c.Model == GFNCP && c.Loss.Beta < 1 &&
		(!o.samples() || sampling.StaysOnDevice(o.net, c.Data.Batch, c.Data.NMax))
}
