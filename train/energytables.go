package train

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

type hostTables struct{ buckets models.Buckets }

func (t hostTables) inputs(shard Task, x []float32) ([]*tensors.Tensor, error) {
	batch := shard.Batch
	c, err := models.ListCandidates(batch.Labels, batch.B, batch.N, t.buckets)
	if err != nil {
		return nil, err
	}
	in := append([]*tensors.Tensor{c.PadPoints(x, len(x)/(batch.B*batch.N))}, c.Tensors()...)
	if shard.Negative != nil {
		in = append(in, models.PadLabels(shard.Negative, c.N, t.buckets)...)
	}
	return in, nil
}

func (hostTables) nodes(in []*Node) (table models.TableInputs, rest []*Node) {
	return models.TableInputsFrom(in), in[models.NumTableInputs:]
}

func (hostTables) sampleLabels(sample *Node, _ models.TableInputs) *Node { return sample }

func (hostTables) sharesGraph() bool { return false }

// deviceTables lets the backend list the candidates, and leaves samples where they were drawn if they fit.
type deviceTables struct{ *energyObjective }

func (t deviceTables) inputs(shard Task, x []float32) ([]*tensors.Tensor, error) {
	batch := shard.Batch
	l, err := models.ListOnDevice(batch.Labels, batch.B, batch.N, t.buckets)
	if err != nil {
		return nil, err
	}
	points := onDevice(batch)
	if points == nil {
		points = l.PadPoints(x, len(x)/(batch.B*batch.N))
	}
	in := append([]*tensors.Tensor{points}, l.Tensors()...)
	drawn := shard.Drawn
	if shard.Kind == losses.ExplorationStep && t.sharesGraph() && t.samples() {
		drawn = []*sampling.Drawn{sampling.BlankDrawn(t.net, batch.B, batch.N)}
	}
	switch {
	case drawn != nil:
		in = append(in, drawn[0].Record, models.SlotNumbers(t.buckets.SampleSlots(drawn[0].Slots)))
	case shard.Negative != nil:
		in = append(in, models.PadLabels(shard.Negative, l.N, t.buckets)...)
	}
	return in, nil
}

func (deviceTables) nodes(in []*Node) (table models.TableInputs, rest []*Node) {
	listed := slices.Clone(in[:models.NumListedInputs])
	if points := listed[1].Shape().Dimensions[1]; listed[0].Shape().Dimensions[1] > points {
		listed[0] = Slice(listed[0], AxisRange(), AxisRange(0, points)) // images are padded for the decoding loop
	}
	return models.ListedInputs(listed), in[models.NumListedInputs:]
}

// sampleLabels reads a record of the decoding loop; labels that came from the host stay as they are.
func (deviceTables) sampleLabels(sample *Node, table models.TableInputs) *Node {
	if sample.Rank() != 3 {
		return sample
	}
	dims := table.Labels.Shape().Dimensions
	return sampling.DrawnLabels(sample, table.Count, dims[0], dims[1])
}

// sharesGraph is true where compiling takes long and exploration steps are rare. What counts on data steps alone then
// has the weight 0, and the sample that an exploration step lacks is a blank one of the same shape.
func (t deviceTables) sharesGraph() bool {
	c := t.config
	return c.Model == GFNCP && c.Loss.Beta < 1 &&
		(!t.samples() || sampling.StaysOnDevice(t.net, c.Data.Batch, c.Data.NMax))
}
