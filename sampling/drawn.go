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

// Drawn are labels of each set that stay on the device.
type Drawn struct {
	Record   *tensors.Tensor // what the loop noted, for DrawnLabels; the caller's to free
	Slots    int             // at least the number of clusters of any set
	Clusters []int           // K of each set
}

// OnDevice reports whether DrawOnDevice can decode the sets: the device embeds them, and one loop takes all steps.
func (s *Sets) OnDevice() bool { return s.there != nil && inOneLoop(s.B, s.N) }

func inOneLoop(b, n int) bool { return n <= segmentMost && b <= sideBySide }

// StaysOnDevice reports whether DrawOnDevice will decode B sets of N points of the network.
func StaysOnDevice(net *models.Network, b, n int) bool {
	return net.Device && net.FitsDevice(b, n) && inOneLoop(b, n)
}

// BlankDrawn has the shapes of what DrawOnDevice gives for B sets of N points, as long as no set needs more slots.
func BlankDrawn(net *models.Network, b, n int) *Drawn {
	return &Drawn{
		Record: tensors.FromShape(shapes.Make(dtypes.Float32, loopSteps(net, n), recorded, net.Buckets.SideBySide(b))),
		Slots:  firstSlots(net), Clusters: make([]int, b),
	}
}

// DrawOnDevice is Run of EachSet that leaves the labels on the device; OnDevice must hold. Nothing but B numbers of
// clusters comes back. Should a set need more slots, all begins again with twice as many.
func (s *Sets) DrawOnDevice(policy Policy) (*Drawn, error) {
	if !s.OnDevice() {
		return nil, fmt.Errorf("decode: %d sets of %d points do not stay on the device", s.B, s.N)
	}
	sequences := s.EachSet()
	d, err := s.newDeviceGroup(sequences, 0, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		if d.policy, err = policy.bind(s, sequences); err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		drawn, err := s.drawOnce(d)
		if err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		if drawn != nil {
			return drawn, nil
		}
		d.slots = s.Net.Buckets.Slots(2 * d.slots)
	}
}

// drawOnce is nil where the slots ran out. The sets are padded as their embeddings are, so that each sequence's Σ u' is
// that of its set.
func (s *Sets) drawOnce(d *deviceGroup) (*Drawn, error) {
	e, err := s.there()
	if err != nil {
		return nil, err
	}
	defer e.Free()
	fixed := d.inputs(s.embeddedWindow(e), 0, s.N, e.H, e.U)
	defer engine.Free(fixed[0], fixed[3], fixed[4])
	if err := d.beginWith(e.Ahead, e.Carry); err != nil {
		return nil, err
	}
	defer d.free()
	record, status, err := d.call(fixed, 0)
	if err != nil {
		return nil, err
	}
	if int(status[0]) < s.N {
		engine.Free(record)
		return nil, nil
	}
	drawn := &Drawn{Record: record, Slots: d.slots, Clusters: make([]int, s.B)}
	for i := range drawn.Clusters {
		drawn.Clusters[i] = int(status[1+i])
	}
	return drawn, nil
}

// DrawnLabels are the labels [B,N] of a record as int32, −1 at padded points; count is the real number of points.
func DrawnLabels(record, count *Node, b, n int) *Node {
	labels := Slice(record, AxisRange(0, n), AxisRange(0, 1), AxisRange(0, b))
	labels = ConvertDType(Transpose(Reshape(labels, n, b), 0, 1), dtypes.Int32)
	point := Iota(record.Graph(), shapes.Make(dtypes.Int32, b, n), 1)
	return Where(LessThan(point, count), labels, Const(record.Graph(), int32(-1)))
}
