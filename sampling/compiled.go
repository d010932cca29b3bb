package sampling

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

const (
	sideBySide  = 4096 // sequences that one compiled loop decodes; more are split
	segmentMost = 1024 // steps of one call of the loop, so that its record stays small and few lengths are compiled
)

// runCompiled is runHost up to float32 rounding, with a loop on the device: hundreds of steps a call, every sequence
// padded to the same number of slots. When a sequence has used all its slots the loop stops, the host adds as many, and
// the loop goes on where it stopped, so K has no bound.
func (s *Sets) runCompiled(sequences []Sequence, policy Policy) (*Result, error) {
	all := s.start(sequences, policy)
	e, err := s.onDevice()
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	defer e.Free()
	groups := (len(sequences) + sideBySide - 1) / sideBySide
	for i := range groups {
		group := all.part(i*sideBySide, min((i+1)*sideBySide, len(sequences)))
		err := s.runGroup(group, e, func(step int) {
			if s.Progress != nil {
				s.Progress(i*s.N+step, groups*s.N)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
	}
	return all.result, nil
}

// runGroup decodes some sequences, segment by segment.
func (s *Sets) runGroup(group run, e *models.Embedded, hear func(step int)) error {
	d, err := s.newDeviceGroup(group, e)
	if err != nil {
		return err
	}
	defer func() { engine.Free(d.state...) }()
	for from := 0; from < s.N; from += segmentMost {
		to := min(from+segmentMost, s.N)
		if err := d.segment(s.ctx, from, to, e); err != nil {
			return err
		}
		hear(to)
	}
	return nil
}

// onDevice returns the embedded sets for the compiled loop: the device embeds them, or they come from the host.
func (s *Sets) onDevice() (*models.Embedded, error) {
	if s.embedThere != nil {
		return s.embedThere()
	}
	e, err := s.onHost()
	if err != nil {
		return nil, err
	}
	w, v := s.Net.Config.Width(), s.Net.Config.StateWidth()
	ahead, carry := split(e.ahead)
	return &models.Embedded{
		H: s.padded(e.h, w), U: s.padded(e.u, v), Sets: s.B, Stride: s.N,
		Ahead: tensors.FromFlatDataAndDimensions(ahead, s.B, v),
		Carry: tensors.FromFlatDataAndDimensions(carry, s.B, v),
	}, nil
}

// padded copies embeddings [M,width] to a tensor with M rounded up to a bucket.
func (s *Sets) padded(rows []float32, width int) *tensors.Tensor {
	m := s.Net.Buckets.Rows(len(rows) / width)
	if m*width > len(rows) {
		rows = append(make([]float32, 0, m*width), rows...)[:m*width]
	}
	return tensors.FromFlatDataAndDimensions(rows, m, width)
}

// split rounds values and returns the rounding errors, too.
func split(values []float64) (rounded, rest []float32) {
	rounded, rest = make([]float32, len(values)), make([]float32, len(values))
	for i, v := range values {
		rounded[i] = float32(v)
		rest[i] = float32(v - float64(rounded[i]))
	}
	return rounded, rest
}
