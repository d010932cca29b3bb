package sampling

import (
	"context"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// deviceGroup is some of a run's sequences, decoded in step with each other on the device. Copies of the last sequence
// fill it up to a bucket.
type deviceGroup struct {
	run
	net          *models.Network
	loop         *engine.Func
	count, slots int               // padded sequences and slots
	state        []*tensors.Tensor // loop's most, sums, gammas, ahead, carry, k, record
}

// newDeviceGroup returns a group with the state before the first step.
func (s *Sets) newDeviceGroup(r run, e *models.Embedded) (*deviceGroup, error) {
	b, w, v := s.Net.Buckets, s.Net.Config.Width(), s.Net.Config.StateWidth()
	d := &deviceGroup{
		run: r, net: s.Net, loop: program(s.Net), count: b.Sequences(len(r.sequences)), slots: b.Slots(max(b.First, 1)),
	}
	ahead, err := d.ofSequences(e.Ahead)
	if err != nil {
		return nil, err
	}
	carry, err := d.ofSequences(e.Carry)
	d.state = []*tensors.Tensor{
		tensors.FromScalar(int32(0)), zeros(d.count, d.slots, w), zeros(d.count, d.slots, v), ahead, carry,
		tensors.FromFlatDataAndDimensions(make([]int32, d.count), d.count), nil,
	}
	return d, err
}

// loopSteps returns the number of steps that a loop has room for, given the steps that it takes.
func loopSteps(net *models.Network, steps int) int {
	return min(net.Buckets.InLoop(steps), max(segmentMost, steps))
}

// ofSequences picks the rows of the sequences' sets from values of all sets [B,V]: [S,V].
func (d *deviceGroup) ofSequences(values *tensors.Tensor) (*tensors.Tensor, error) {
	ofSets, err := engine.Float32s(values)
	if err != nil {
		return nil, err
	}
	width := d.net.Config.StateWidth()
	each := make([]float32, d.count*width)
	for i := range d.count {
		copy(each[i*width:(i+1)*width], ofSets[d.sequence(i).Set*width:])
	}
	return tensors.FromFlatDataAndDimensions(each, d.count, width), nil
}

// Indices in deviceGroup.state.
const (
	inSums   = 1
	inGammas = 2
	inRecord = stateCount - 2
)

func zeros(a, b, c int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(make([]float32, a*b*c), a, b, c)
}

// sequence returns the i-th padded sequence.
func (d *deviceGroup) sequence(i int) Sequence { return d.sequences[min(i, len(d.sequences)-1)] }

// segment decodes the steps from..to−1 of embedded sets. If slots run out, the loop goes on with more of them from the
// step where it stands.
func (d *deviceGroup) segment(ctx context.Context, from, to int, e *models.Embedded) error {
	fixed := d.inputs(from, to, e)
	defer engine.Free(fixed[0], fixed[3], fixed[4])
	engine.Free(d.state[inRecord])
	d.state[inRecord] = zeros(loopSteps(d.net, to-from), recorded, d.count)
	for done := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if done, err = d.call(fixed, done); err != nil {
			return err
		}
		if done == to-from {
			return d.read(from, to)
		}
		if err := d.grow(); err != nil {
			return err
		}
	}
}

// inputs returns loop's limit, h, u, at and draw for the steps from..to−1, padded to a bucket of steps.
func (d *deviceGroup) inputs(from, to int, e *models.Embedded) []*tensors.Tensor {
	steps := loopSteps(d.net, to-from)
	at, draw := make([]int32, steps*d.count), make([]float32, steps*d.count)
	for step := from; step < to; step++ {
		line := (step - from) * d.count
		for i := range d.count {
			if i >= len(d.sequences) { // padded sequences have one cluster, and need no slots
				at[line+i], draw[line+i] = at[line+i-1], float32(drawnSlot(0))
				continue
			}
			q := d.sequences[i]
			at[line+i] = int32(q.row(step, e.Stride))
			// A uniform that rounds up to 1 takes the last candidate, as in invert.
			draw[line+i] = float32(d.draw(d.offset+i, step, q.point(step)))
		}
	}
	return []*tensors.Tensor{
		tensors.FromScalar(int32(to - from)), e.H, e.U,
		tensors.FromFlatDataAndDimensions(at, steps, d.count),
		tensors.FromFlatDataAndDimensions(draw, steps, d.count),
	}
}

// call runs the loop from a step of the segment on. It returns the step that the loop stopped before: the same one if
// the slots ran out at the last step of the segment before.
func (d *deviceGroup) call(fixed []*tensors.Tensor, done int) (int, error) {
	step := tensors.FromScalar(int32(done))
	defer engine.Free(step)
	in := append([]*tensors.Tensor{step}, d.state...)
	in = append(append(in, fixed...), d.net.Folded()...)
	out, err := d.loop.Call(in...)
	if err != nil {
		return 0, err
	}
	engine.Free(d.state...)
	d.state = out[1:]
	defer engine.Free(out[0])
	steps, err := engine.Float32s(out[0])
	if err != nil {
		return 0, err
	}
	return int(steps[0]), nil
}

// read writes the steps from..to−1, which the record holds, into the result.
func (d *deviceGroup) read(from, to int) error {
	values, err := engine.Float32s(d.state[inRecord])
	if err != nil {
		return err
	}
	for step := from; step < to; step++ {
		record := values[(step-from)*recorded*d.count:] // [4,S] of the step
		for i, q := range d.sequences {
			sequence, point := d.offset+i, q.point(step)
			d.result.Labels[sequence][point] = int32(record[i])
			if step < d.decided {
				continue
			}
			d.result.LogProb[sequence] += float64(record[d.count+i])
			d.result.Final[sequence] = float64(record[2*d.count+i])
			d.result.Entropy[sequence][point] = math.Max(0, float64(record[3*d.count+i]))
		}
	}
	return nil
}

// grow gives more slots, by way of the host.
func (d *deviceGroup) grow() error {
	slots := d.slots
	d.slots = d.net.Buckets.MoreSlots(slots)
	for _, i := range []int{inSums, inGammas} {
		values, err := engine.Float32s(d.state[i])
		if err != nil {
			return err
		}
		engine.Free(d.state[i])
		width := len(values) / (d.count * slots)
		grown := make([]float32, d.count*d.slots*width) // zero where there were no slots
		for s := range d.count {
			copy(grown[s*d.slots*width:], values[s*slots*width:(s+1)*slots*width])
		}
		d.state[i] = tensors.FromFlatDataAndDimensions(grown, d.count, d.slots, width)
	}
	return nil
}
