package sampling

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

const (
	sideBySide  = 4096 // sequences that one compiled loop decodes; more are split
	segmentMost = 1024 // steps of one call of the loop, so that its record stays small and few lengths are compiled
	firstSlots  = 4    // slots to start with, rounded up to a bucket
)

// hasClosures reports whether the backend can run the compiled loop. (The XLA backend has While but does not list it
// among its operations; every backend with closures has it.)
func hasClosures(net *models.Network) bool { return net.Backend.Capabilities().Functions }

// RunCompiled decodes with a loop on the device: hundreds of steps a call, every sequence padded to the same number of
// slots. When a sequence has used all its slots the loop stops, the host doubles them, and the loop goes on where it
// stopped, so K has no bound.
//
// It is RunHost up to float32 rounding: a label can differ only where a decision is closer than that.
func (s *Sets) RunCompiled(sequences []Sequence, policy Policy) (*Result, error) {
	if !hasClosures(s.Net) {
		return nil, fmt.Errorf("decode: backend %s has no loops to compile", s.Net.Backend.Name())
	}
	policy, result, err := s.start(sequences, policy)
	if err != nil {
		return nil, err
	}
	var groups []*deviceGroup
	defer func() {
		for _, d := range groups {
			engine.Free(d.state...)
		}
	}()
	for from := 0; from < len(sequences); from += sideBySide {
		d, err := s.newDeviceGroup(sequences[from:min(from+sideBySide, len(sequences))], from, policy, result)
		if err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		groups = append(groups, d)
	}
	if err := s.windows(sequences, func(w window) error { return s.runWindow(groups, w) }); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return result, nil
}

// runWindow puts the embeddings of a window on the device and decodes its steps, segment by segment.
func (s *Sets) runWindow(groups []*deviceGroup, w window) error {
	h, u := s.padded(w.h, s.Net.Config.Width()), s.padded(w.u, s.Net.Config.StateWidth())
	defer engine.Free(h, u)
	for i, d := range groups {
		for from := w.from; from < w.to; from += segmentMost {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			to := min(from+segmentMost, w.to)
			if err := d.segment(w, from, to, h, u); err != nil {
				return err
			}
			if s.Progress != nil { // the groups take each window one after the other
				s.Progress(len(groups)*w.from+i*(w.to-w.from)+to-w.from, len(groups)*s.N)
			}
		}
	}
	return nil
}

// padded copies embeddings [M,width] to a tensor with M rounded up to a bucket.
func (s *Sets) padded(rows []float32, width int) *tensors.Tensor {
	m := s.Net.Buckets.Rows(len(rows) / width)
	if m*width > len(rows) {
		rows = append(make([]float32, 0, m*width), rows...)[:m*width]
	}
	return tensors.FromFlatDataAndDimensions(rows, m, width)
}

// deviceGroup is some of a run's sequences, decoded in step with each other on the device. Copies of the last sequence
// fill it up to a bucket.
type deviceGroup struct {
	net          *models.Network
	run          *engine.Func
	sequences    []Sequence
	offset       int               // the first one's index in the run
	count, slots int               // padded sequences and slots
	state        []*tensors.Tensor // loop's most, sums, gammas, ahead, carry, k
	policy       Policy
	result       *Result
}

func (s *Sets) newDeviceGroup(sequences []Sequence, offset int, policy Policy, result *Result) (*deviceGroup, error) {
	run, err := program(s.Net, policy.rule())
	if err != nil {
		return nil, err
	}
	buckets, width := s.Net.Buckets, s.Net.Config.StateWidth()
	d := &deviceGroup{
		net: s.Net, run: run, sequences: sequences, offset: offset, policy: policy, result: result,
		count: buckets.Slots(len(sequences)), slots: buckets.Slots(firstSlots),
	}
	if len(sequences) >= 32 { // finer steps pay here
		d.count = buckets.Points(len(sequences))
	}
	ahead, carry := make([]float32, d.count*width), make([]float32, d.count*width)
	for i := range d.count {
		set := d.sequence(i).Set
		for j, total := range s.u0[set*width : (set+1)*width] {
			value := float32(total)
			ahead[i*width+j], carry[i*width+j] = value, float32(total-float64(value))
		}
	}
	d.state = []*tensors.Tensor{
		tensors.FromScalar(int32(0)), d.clusters(nil, 0, s.Net.Config.Width()), d.clusters(nil, 0, width),
		tensors.FromFlatDataAndDimensions(ahead, d.count, width),
		tensors.FromFlatDataAndDimensions(carry, d.count, width),
		tensors.FromFlatDataAndDimensions(make([]int32, d.count), d.count),
	}
	return d, nil
}

// sequence returns the i-th padded sequence.
func (d *deviceGroup) sequence(i int) Sequence { return d.sequences[min(i, len(d.sequences)-1)] }

// clusters copies values [S,slots,width] into a tensor with the group's slots, zero where there were none.
func (d *deviceGroup) clusters(values []float32, slots, width int) *tensors.Tensor {
	grown := make([]float32, d.count*d.slots*width)
	if slots > 0 {
		for i := range d.count {
			copy(grown[i*d.slots*width:], values[i*slots*width:(i+1)*slots*width])
		}
	}
	return tensors.FromFlatDataAndDimensions(grown, d.count, d.slots, width)
}

// segment decodes the steps from..to−1 of a window, whose embeddings are h and u.
func (d *deviceGroup) segment(w window, from, to int, h, u *tensors.Tensor) error {
	fixed := append([]*tensors.Tensor{tensors.FromScalar(int32(to - from)), h, u}, d.inputs(w, from, to)...)
	defer engine.Free(fixed[0], fixed[3], fixed[4])
	for done := 0; ; {
		next, err := d.call(fixed, from, done)
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

// inputs returns loop's at and draw for the steps from..to−1, padded to a bucket of steps.
func (d *deviceGroup) inputs(w window, from, to int) []*tensors.Tensor {
	steps := d.net.Buckets.Points(to - from)
	at, draw := make([]int32, steps*d.count), make([]float32, steps*d.count)
	for step := from; step < to; step++ {
		line := (step - from) * d.count
		for i := range d.count {
			if i >= len(d.sequences) {
				at[line+i], draw[line+i] = at[line+i-1], draw[line+i-1]
				continue
			}
			q := d.sequences[i]
			at[line+i] = int32(w.row(q, step))
			draw[line+i] = d.policy.draw(d.offset+i, step, q.point(step))
		}
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(at, steps, d.count),
		tensors.FromFlatDataAndDimensions(draw, steps, d.count),
	}
}

// call runs the loop from a step of the segment on and returns the step it stopped before.
func (d *deviceGroup) call(fixed []*tensors.Tensor, from, done int) (int, error) {
	step := tensors.FromScalar(int32(done))
	defer engine.Free(step)
	in := append([]*tensors.Tensor{step}, d.state...)
	in = append(append(in, fixed...), d.net.Folded()...)
	out, err := d.run.Call(in...)
	if err != nil {
		return 0, err
	}
	defer engine.Free(out[:2]...)
	engine.Free(d.state...)
	d.state = out[2:]
	record, err := engine.Float32s(out[0])
	if err != nil {
		return 0, err
	}
	stopped, err := engine.Float32s(out[1])
	if err != nil {
		return 0, err
	}
	next := int(stopped[0]) // done itself, if the slots ran out with the last step of the segment before
	for step := done; step < next; step++ {
		d.collect(from+step, record[step*recorded*d.count:(step+1)*recorded*d.count])
	}
	return next, nil
}

// collect writes the record [4,S] of one step into the result.
func (d *deviceGroup) collect(step int, record []float32) {
	for i, q := range d.sequences {
		sequence, point := d.offset+i, q.point(step)
		d.result.Labels[sequence][point] = int32(record[i])
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
