package sampling

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
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

// groups cuts the sequences into groups that one loop decodes, and starts the groups.
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

// Drawn holds the labels of each set on the device.
type Drawn struct {
	Record   *tensors.Tensor // record of the loop, for DrawnLabels; the caller frees it
	Slots    int             // at least the number of clusters of any set
	Clusters []int           // K of each set
}

// OnDevice reports whether DrawOnDevice can decode the sets: the device embeds them, and one loop takes all steps.
func (s *Sets) OnDevice() bool { return s.embedThere != nil && inOneLoop(s.B, s.N) }

func inOneLoop(b, n int) bool { return n <= segmentMost && b <= sideBySide }

// StaysOnDevice reports whether DrawOnDevice will decode B sets of N points of the network.
func StaysOnDevice(net *models.Network, b, n int) bool {
	return net.Device && net.FitsDevice(b, n) && inOneLoop(b, n)
}

// BlankDrawn returns a result without clusters, of the shapes that DrawOnDevice returns for B sets of N points.
func BlankDrawn(net *models.Network, b, n int) *Drawn {
	return &Drawn{
		Record: tensors.FromShape(shapes.Make(dtypes.Float32, loopSteps(net, n), recorded, net.Buckets.Sequences(b))),
		Slots:  firstSlots(net), Clusters: make([]int, b),
	}
}

// DrawOnDevice runs EachSet and leaves the labels on the device; OnDevice must hold. Only the B numbers of clusters
// return to the host, and the clusters so far if a set needs more slots.
func (s *Sets) DrawOnDevice(policy Policy) (*Drawn, error) {
	sequences := s.EachSet()
	policy, err := policy.bind(s, sequences)
	if err != nil {
		return nil, err
	}
	d, err := s.newDeviceGroup(sequences, 0, policy, nil)
	if err != nil {
		return nil, err
	}
	e, err := s.embedThere()
	if err != nil {
		return nil, err
	}
	defer e.Free()
	fixed := d.inputs(s.wholeWindow(embedding{}, e.Stride), 0, s.N, e.H, e.U)
	defer engine.Free(fixed[0], fixed[3], fixed[4])
	if err := d.reset(e.Ahead, e.Carry); err != nil {
		return nil, err
	}
	defer d.free()
	clusters, err := d.loop(s.ctx, fixed, s.N)
	if err != nil {
		return nil, err
	}
	drawn := &Drawn{Record: d.state[inRecord], Slots: d.slots, Clusters: make([]int, s.B)}
	d.state[inRecord] = nil
	for i := range drawn.Clusters {
		drawn.Clusters[i] = int(clusters[i])
	}
	return drawn, nil
}

// DrawnLabels returns the labels [B,N] of a record as int32, −1 at padded points; count is the real number of points.
func DrawnLabels(record, count *Node, b, n int) *Node {
	labels := Slice(record, AxisRange(0, n), AxisRange(0, 1), AxisRange(0, b))
	labels = ConvertDType(Transpose(Reshape(labels, n, b), 0, 1), dtypes.Int32)
	point := Iota(record.Graph(), shapes.Make(dtypes.Int32, b, n), 1)
	return Where(LessThan(point, count), labels, Const(record.Graph(), int32(-1)))
}
