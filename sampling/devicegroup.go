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
	net          *models.Network
	run          *engine.Func
	sequences    []Sequence
	offset       int               // the first one's index in the run
	count, slots int               // padded sequences and slots
	state        []*tensors.Tensor // loop's most, sums, gammas, ahead, carry, k, record
	shared       []bool            // for each tensor of the state: zeros returned it
	policy       Policy
	decided      int // see decidedFrom
	result       *Result
}

// newDeviceGroup returns a group that has yet to begin.
func (s *Sets) newDeviceGroup(sequences []Sequence, offset int, policy Policy, result *Result) (*deviceGroup, error) {
	run, err := program(s.Net)
	if err != nil {
		return nil, err
	}
	b := s.Net.Buckets
	return &deviceGroup{
		net: s.Net, run: run, sequences: sequences, offset: offset, policy: policy, result: result,
		decided: decidedFrom(policy, s.N), count: b.Sequences(len(sequences)), slots: firstSlots(s.Net),
	}, nil
}

// firstSlots returns the number of slots that a loop begins with.
func firstSlots(net *models.Network) int { return net.Buckets.Slots(max(net.Buckets.First, 1)) }

// loopSteps returns the number of steps that a loop has room for, given the steps that it takes.
func loopSteps(net *models.Network, steps int) int {
	return min(net.Buckets.InLoop(steps), max(segmentMost, steps))
}

// totals holds Σ u' of sets [B,V]: rounded values and their rounding errors.
type totals struct{ ahead, carry []float32 }

// split rounds values and keeps the rounding errors.
func split(values []float64) totals {
	t := totals{make([]float32, len(values)), make([]float32, len(values))}
	for i, v := range values {
		t.ahead[i] = float32(v)
		t.carry[i] = float32(v - float64(t.ahead[i]))
	}
	return t
}

// start sets the state before the first step, given Σ u' of all sets.
func (d *deviceGroup) start(u0 totals) error {
	width := d.net.Config.StateWidth()
	of := func(values []float32) *tensors.Tensor {
		each := make([]float32, d.count*width)
		for i := range d.count {
			set := d.sequence(i).Set
			copy(each[i*width:(i+1)*width], values[set*width:])
		}
		return tensors.FromFlatDataAndDimensions(each, d.count, width)
	}
	return d.reset(of(u0.ahead), of(u0.carry))
}

// reset is start, given Σ u' and its rounding error for the group's sequences as tensors [S,V].
func (d *deviceGroup) reset(ahead, carry *tensors.Tensor) error {
	sums, err := zeros(d.net, d.count, d.slots, d.net.Config.Width())
	if err != nil {
		return err
	}
	gammas, err := zeros(d.net, d.count, d.slots, d.net.Config.StateWidth())
	if err != nil {
		return err
	}
	d.state = []*tensors.Tensor{
		tensors.FromScalar(int32(0)), sums, gammas, ahead, carry,
		tensors.FromFlatDataAndDimensions(make([]int32, d.count), d.count), nil,
	}
	d.shared = []bool{inSums: true, inGammas: true, inRecord: true}
	return nil
}

// Indices in deviceGroup.state.
const (
	inSums   = 1
	inGammas = 2
	inRecord = stateCount - 2
)

// clear empties the record, which has room for so many steps.
func (d *deviceGroup) clear(steps int) error {
	record, err := zeros(d.net, steps, recorded, d.count)
	if err != nil {
		return err
	}
	if !d.shared[inRecord] {
		engine.Free(d.state[inRecord])
	}
	d.state[inRecord], d.shared[inRecord] = record, true
	return nil
}

// free gives the state back.
func (d *deviceGroup) free() {
	for i, t := range d.state {
		if t != nil && !d.shared[i] {
			engine.Free(t)
		}
	}
	d.state = nil
}

var zeroTensors engine.Kept[[3]int, *tensors.Tensor]

// zeros returns a tensor of zeros that stays on the device. Every loop begins with it.
func zeros(net *models.Network, a, b, c int) (*tensors.Tensor, error) {
	return zeroTensors.Get(net.Backend, [3]int{a, b, c}, func() (*tensors.Tensor, error) {
		t := tensors.FromFlatDataAndDimensions(make([]float32, a*b*c), a, b, c)
		return t, engine.ToDevice(net.Backend, t)
	})
}

// sequence returns the i-th padded sequence.
func (d *deviceGroup) sequence(i int) Sequence { return d.sequences[min(i, len(d.sequences)-1)] }

// segment decodes the steps from..to−1 of a window, whose embeddings are h and u.
func (d *deviceGroup) segment(ctx context.Context, w window, from, to int, h, u *tensors.Tensor) error {
	fixed := d.inputs(w, from, to, h, u)
	defer engine.Free(fixed[0], fixed[3], fixed[4])
	if _, err := d.loop(ctx, fixed, to-from); err != nil {
		return err
	}
	return d.read(from, to)
}

// loop takes so many steps on the inputs fixed, until ctx ends. If slots run out, it goes on with more of them from the
// step where it stands. It returns the number of clusters of each padded sequence. The record holds the decisions.
func (d *deviceGroup) loop(ctx context.Context, fixed []*tensors.Tensor, steps int) (clusters []float32, err error) {
	if err := d.clear(loopSteps(d.net, steps)); err != nil {
		return nil, err
	}
	for done := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		status, err := d.call(fixed, done)
		if err != nil {
			return nil, err
		}
		done = int(status[0]) // unchanged if the slots ran out at the last step of the segment before
		if done == steps {
			return status[1:], nil
		}
		if err := d.grow(); err != nil {
			return nil, err
		}
	}
}

// inputs returns loop's limit, h, u, at and draw for the steps from..to−1, padded to a bucket of steps.
func (d *deviceGroup) inputs(w window, from, to int, h, u *tensors.Tensor) []*tensors.Tensor {
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
			at[line+i] = int32(w.row(q, step))
			// A uniform that rounds up to 1 takes the last candidate, as in invert.
			draw[line+i] = float32(d.policy.draw(d.offset+i, step, q.point(step)))
		}
	}
	return []*tensors.Tensor{
		tensors.FromScalar(int32(to - from)), h, u,
		tensors.FromFlatDataAndDimensions(at, steps, d.count),
		tensors.FromFlatDataAndDimensions(draw, steps, d.count),
	}
}

// call runs the loop from a step of the segment on. It returns the status: the step that the loop stopped before, and
// each sequence's number of clusters.
func (d *deviceGroup) call(fixed []*tensors.Tensor, done int) (status []float32, err error) {
	step := tensors.FromScalar(int32(done))
	defer engine.Free(step)
	in := append([]*tensors.Tensor{step}, d.state...)
	in = append(append(in, fixed...), d.net.Folded()...)
	out, err := d.run.Call(in...)
	if err != nil {
		return nil, err
	}
	d.free()
	d.state, d.shared = out[1:], make([]bool, len(out)-1)
	defer engine.Free(out[0])
	return engine.Float32s(out[0])
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
