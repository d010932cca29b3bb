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
func (s *Sets) OnDevice() bool { return s.embedThere != nil && inOneLoop(s.B, s.N) }

func inOneLoop(b, n int) bool { return n <= segmentMost && b <= sideBySide }

// StaysOnDevice reports whether DrawOnDevice will decode B sets of N points of the network.
func StaysOnDevice(net *models.Network, b, n int) bool {
	return net.Device && net.FitsDevice(b, n) && inOneLoop(b, n)
}

// BlankDrawn has the shapes of what DrawOnDevice gives for B sets of N points.
func BlankDrawn(net *models.Network, b, n int) *Drawn {
	return &Drawn{
		Record: tensors.FromShape(shapes.Make(dtypes.Float32, loopSteps(net, n), recorded, net.Buckets.SideBySide(b))),
		Slots:  firstSlots(net), Clusters: make([]int, b),
	}
}

// DrawOnDevice is Run of EachSet that leaves the labels on the device; OnDevice must hold. Only the B numbers of
// clusters come back, and where a set needs more slots the clusters so far. The sets are padded as
// their embeddings are, so that each sequence's Σ u' is that of its set.
func (s *Sets) DrawOnDevice(policy Policy) (*Drawn, error) {
	if !s.OnDevice() {
		return nil, fmt.Errorf("decode: %d sets of %d points do not stay on the device", s.B, s.N)
	}
	drawn, err := s.drawOnDevice(policy)
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return drawn, nil
}

func (s *Sets) drawOnDevice(policy Policy) (*Drawn, error) {
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
	drawn := &Drawn{Record: d.takeRecord(), Slots: d.slots, Clusters: make([]int, s.B)}
	for i := range drawn.Clusters {
		drawn.Clusters[i] = int(clusters[i])
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
