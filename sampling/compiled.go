package sampling

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

const (
	sideBySide  = 4096 // sequences that one compiled loop decodes; more are split
	segmentMost = 1024 // steps of one call of the loop, so that its record stays small and few lengths are compiled
)

// runCompiled is runHost up to float32 rounding, with a loop on the device: hundreds of steps a call, every sequence
// padded to the same number of slots. When a sequence has used all its slots the loop stops, the host adds as many, and
// the loop goes on where it stopped, so K has no bound.
func (s *Sets) runCompiled(sequences []Sequence, policy Policy) (*Result, error) {
	policy, result, err := s.start(sequences, policy)
	if err != nil {
		return nil, err
	}
	if s.embedThere != nil {
		err = s.runEmbedded(sequences, policy, result)
	} else {
		err = s.runWindows(sequences, policy, result)
	}
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return result, nil
}

// runEmbedded decodes sets that the device embeds itself.
func (s *Sets) runEmbedded(sequences []Sequence, policy Policy, result *Result) error {
	e, err := s.embedThere()
	if err != nil {
		return err
	}
	defer e.Free()
	ahead, err := engine.Float32s(e.Ahead)
	if err != nil {
		return err
	}
	carry, err := engine.Float32s(e.Carry)
	if err != nil {
		return err
	}
	groups, err := s.groups(sequences, policy, result, totals{ahead, carry})
	defer freeGroups(groups)
	if err != nil {
		return err
	}
	return s.runWindow(groups, s.wholeWindow(embedding{}, e.Stride), e.H, e.U)
}

// runWindows decodes sets whose embeddings come from the host, window by window.
func (s *Sets) runWindows(sequences []Sequence, policy Policy, result *Result) error {
	u0, err := s.u0()
	if err != nil {
		return err
	}
	groups, err := s.groups(sequences, policy, result, split(u0))
	defer freeGroups(groups)
	if err != nil {
		return err
	}
	return s.windows(sequences, func(w window) error {
		h, u := s.padded(w.h, s.Net.Config.Width()), s.padded(w.u, s.Net.Config.StateWidth())
		defer engine.Free(h, u)
		return s.runWindow(groups, w, h, u)
	})
}

// groups cuts the sequences into those that one loop decodes.
func (s *Sets) groups(
	sequences []Sequence, policy Policy, result *Result, u0 totals,
) (groups []*deviceGroup, err error) {
	for from := 0; from < len(sequences); from += sideBySide {
		d, err := s.newDeviceGroup(sequences[from:min(from+sideBySide, len(sequences))], from, policy, result)
		if err != nil {
			return groups, err
		}
		if err := d.start(u0); err != nil {
			return groups, err
		}
		groups = append(groups, d)
	}
	return groups, nil
}

func freeGroups(groups []*deviceGroup) {
	for _, d := range groups {
		d.free()
	}
}

// runWindow decodes the steps of a window, whose embeddings are h and u on the device, segment by segment.
func (s *Sets) runWindow(groups []*deviceGroup, w window, h, u *tensors.Tensor) error {
	for i, d := range groups {
		for from := w.from; from < w.to; from += segmentMost {
			to := min(from+segmentMost, w.to)
			if err := d.segment(s.ctx, w, from, to, h, u); err != nil {
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
