package sampling

import (
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
	state        []*tensors.Tensor // loop's most, sums, gammas, ahead, carry, k
	shared       bool              // sums and gammas are zeros
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
		decided: decidedFrom(policy, s.N), count: b.SideBySide(len(sequences)), slots: firstSlots(s.Net),
	}, nil
}

// firstSlots are the slots that a loop begins with.
func firstSlots(net *models.Network) int { return net.Buckets.Slots(max(net.Buckets.First, 1)) }

// loopSteps are the steps that a loop has room for, of so many.
func loopSteps(net *models.Network, steps int) int {
	return min(net.Buckets.InLoop(steps), max(segmentMost, steps))
}

// totals are Σ u' of sets [B,V] as rounded values and what rounding took from them.
type totals struct{ ahead, carry []float32 }

// split rounds totals.
func split(values []float64) totals {
	t := totals{make([]float32, len(values)), make([]float32, len(values))}
	for i, v := range values {
		t.ahead[i] = float32(v)
		t.carry[i] = float32(v - float64(t.ahead[i]))
	}
	return t
}

// begin sets the state before the first step, given Σ u' of all sets.
func (d *deviceGroup) begin(u0 totals) error {
	width := d.net.Config.StateWidth()
	of := func(values []float32) *tensors.Tensor {
		each := make([]float32, d.count*width)
		for i := range d.count {
			set := d.sequence(i).Set
			copy(each[i*width:(i+1)*width], values[set*width:])
		}
		return tensors.FromFlatDataAndDimensions(each, d.count, width)
	}
	return d.beginWith(of(u0.ahead), of(u0.carry))
}

// beginWith is begin with the tensors [S,V] of the group's sequences.
func (d *deviceGroup) beginWith(ahead, carry *tensors.Tensor) error {
	sums, err := zeros(d.net, d.count, d.slots, d.net.Config.Width())
	if err != nil {
		return err
	}
	gammas, err := zeros(d.net, d.count, d.slots, d.net.Config.StateWidth())
	if err != nil {
		return err
	}
	d.shared = true
	d.state = []*tensors.Tensor{
		tensors.FromScalar(int32(0)), sums, gammas, ahead, carry,
		tensors.FromFlatDataAndDimensions(make([]int32, d.count), d.count),
	}
	return nil
}

// free gives the state back.
func (d *deviceGroup) free() {
	for i, t := range d.state {
		if !d.shared || i != 1 && i != 2 {
			engine.Free(t)
		}
	}
	d.state, d.shared = nil, false
}

// zeroKey tells the tensors of zeros apart.
type zeroKey struct {
	device int
	dims   [3]int
}

var zeroTensors engine.Kept[zeroKey, *tensors.Tensor]

// zeros is a tensor that stays on the network's device: the state of every loop begins with it.
func zeros(net *models.Network, a, b, c int) (*tensors.Tensor, error) {
	return zeroTensors.Get(net.Backend, zeroKey{net.Place, [3]int{a, b, c}}, func() (*tensors.Tensor, error) {
		t := tensors.FromFlatDataAndDimensions(make([]float32, a*b*c), a, b, c)
		return t, engine.MoveTo(net.Backend, net.Place, t)
	})
}

// sequence returns the i-th padded sequence.
func (d *deviceGroup) sequence(i int) Sequence { return d.sequences[min(i, len(d.sequences)-1)] }

// clusters copies values [S,slots,width] into a tensor with the group's slots, zero where there were none.
func (d *deviceGroup) clusters(values []float32, slots, width int) *tensors.Tensor {
	grown := make([]float32, d.count*d.slots*width)
	for i := range d.count {
		copy(grown[i*d.slots*width:], values[i*slots*width:(i+1)*slots*width])
	}
	return tensors.FromFlatDataAndDimensions(grown, d.count, d.slots, width)
}

// segment decodes the steps from..to−1 of a window, whose embeddings are h and u.
func (d *deviceGroup) segment(w window, from, to int, h, u *tensors.Tensor) error {
	fixed := d.inputs(w, from, to, h, u)
	defer engine.Free(fixed[0], fixed[3], fixed[4])
	for done := 0; ; {
		record, status, err := d.call(fixed, done)
		if err != nil {
			return err
		}
		next := int(status[0]) // done itself, if the slots ran out with the last step of the segment before
		err = d.read(record, from, done, next)
		engine.Free(record)
		if err != nil {
			return err
		}
		if done = next; done == to-from {
			return nil
		}
		if err := d.grow(); err != nil {
			return err
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
				at[line+i], draw[line+i] = at[line+i-1], drawnSlot(0)
				continue
			}
			q := d.sequences[i]
			at[line+i] = int32(w.row(q, step))
			draw[line+i] = d.policy.draw(d.offset+i, step, q.point(step))
		}
	}
	return []*tensors.Tensor{
		tensors.FromScalar(int32(to - from)), h, u,
		tensors.FromFlatDataAndDimensions(at, steps, d.count),
		tensors.FromFlatDataAndDimensions(draw, steps, d.count),
	}
}

// call runs the loop from a step of the segment on. It returns the record, which is the caller's to free, and the
// status: the step that the loop stopped before, and each sequence's number of clusters.
func (d *deviceGroup) call(fixed []*tensors.Tensor, done int) (record *tensors.Tensor, status []float32, err error) {
	step := tensors.FromScalar(int32(done))
	defer engine.Free(step)
	in := append([]*tensors.Tensor{step}, d.state...)
	in = append(append(in, fixed...), d.net.Folded()...)
	out, err := d.run.CallOn(d.net.Place, in...)
	if err != nil {
		return nil, nil, err
	}
	d.free()
	d.state = out[2:]
	defer engine.Free(out[1])
	if status, err = engine.Float32s(out[1]); err != nil {
		engine.Free(out[0])
		return nil, nil, err
	}
	return out[0], status, nil
}

// read collects the steps done..next−1 of a segment from the record of the call that made them.
func (d *deviceGroup) read(record *tensors.Tensor, from, done, next int) error {
	values, err := engine.Float32s(record)
	if err != nil {
		return err
	}
	for step := done; step < next; step++ {
		d.collect(from+step, values[step*recorded*d.count:(step+1)*recorded*d.count])
	}
	return nil
}

// collect writes the record [4,S] of one step into the result.
func (d *deviceGroup) collect(step int, record []float32) {
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

// grow doubles the slots.
func (d *deviceGroup) grow() error {
	slots := d.slots
	d.slots = d.net.Buckets.Slots(2 * slots)
	for _, i := range []int{1, 2} { // sums, gammas
		values, err := engine.Float32s(d.state[i])
		if err != nil {
			return err
		}
		engine.Free(d.state[i])
		d.state[i] = d.clusters(values, slots, len(values)/(d.count*slots))
	}
	return nil
}
