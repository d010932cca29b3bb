package gfncp

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sampling"
)

// Decision is what a Stream says of one point: its Label, numbered by first appearance; Probs [K+1] of each cluster so
// far and, last, of a new one, given the labels so far; LogProb, log p(c|x) of the stream so far; its Energy.
type Decision struct {
	sampling.Decision
	// Warning says of the first point that lies far out of the training's sets where it lies; else empty.
	Warning string
}

// How many widths of the training's centres away a point lies far out, and too far: there it would change the energies
// of all later points.
const (
	farWidths    = 6
	tooFarWidths = 100
)

// Stream labels points one at a time, each as soon as it is there, without a look at those to come. Memory grows with
// the clusters, not with the points. It is not safe for concurrent use.
type Stream struct {
	model   *Model
	origin  []float64 // [D], taken off a point before it becomes float32
	center  []float32 // [D], taken off then
	factor  float64   // that the point is then multiplied by
	stepper *sampling.Stepper
	warned  bool
}

// Stream starts a stream that takes the most probable label of each point. The model must have been trained for it
// (net.online, as mog-gfncp-online); another is an *Error.
//
// Points should lie as those of the model's training do. like, if not nil, is a clustering of earlier points by a
// network of points in the plane: further ones are centred and scaled as these were.
func (m *Model) Stream(like *Clustering) (*Stream, error) {
	m.inUse.RLock()
	defer m.inUse.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	s := &Stream{model: m, origin: make([]float64, m.Dim()), center: make([]float32, m.Dim()), factor: 1}
	if known := m.trained.Config.Data; known.IsVectors() {
		s.factor = known.Factor
	}
	if like != nil {
		if err := s.prepareLike(like); err != nil {
			return nil, err
		}
	}
	var err error
	s.stepper, err = sampling.NewStepper(m.net)
	return s, err
}

// prepareLike takes the centre and the scale of a clustering.
func (s *Stream) prepareLike(c *Clustering) error {
	f, origin := c.Network, c.axes.Origin
	switch {
	case f == nil || c.axes.Encoding != nil || c.axes.Columns == nil:
		return usererr.New("save one by a model of points in the plane", "it is no clustering of points with one scale")
	case f.D != s.model.Dim() || len(f.Center) != f.D || !(f.Factor > 0) || origin != nil && len(origin) != f.D:
		return usererr.New("give one of as many", "it has points of %d coordinates, but the model takes %d", f.D,
			s.model.Dim())
	case origin != nil:
		s.origin = origin
	}
	s.center, s.factor = f.Center, f.Factor
	return nil
}

// Next labels the next point x [D]. Points that are no finite numbers, pixels out of 0..1 and another number of
// coordinates are an *Error; points too far out for the network wrap ErrNotFinite. After an error the stream stands
// where it stood before.
func (s *Stream) Next(x []float64) (Decision, error) {
	s.model.inUse.RLock()
	defer s.model.inUse.RUnlock()
	if s.model.closed {
		return Decision{}, ErrClosed
	}
	z, err := s.prepared(x)
	if err != nil {
		return Decision{}, err
	}
	d, err := s.stepper.Next(z)
	if err != nil {
		return Decision{}, err
	}
	return Decision{d, s.warning(z)}, nil
}

// prepared is the point x [D] as the network reads it: centred and scaled. It fails as Next does.
func (s *Stream) prepared(x []float64) ([]float32, error) {
	if len(x) != s.model.Dim() {
		return nil, usererr.New("give as many", "the point has %d coordinates, but this model takes %d", len(x),
			s.model.Dim())
	}
	known := s.model.trained.Config.Data
	z := make([]float32, len(x))
	for i, v := range x {
		v -= s.origin[i]
		z[i] = float32((float64(float32(v)) - float64(s.center[i])) * s.factor)
		switch far := math.Abs(float64(z[i])); {
		case math.IsNaN(far) || math.IsInf(far, 0):
			return nil, usererr.New("mend or leave out this point", "coordinate %d is %v, out of range", i+1, v)
		case known.IsMixture() && far > tooFarWidths*known.SigmaMu:
			return nil, fmt.Errorf("coordinate %d is %v: %w", i+1, v, ErrNotFinite)
		case known.IsImages() && (v < 0 || v > 1):
			return nil, usererr.New("divide pixels of 0..255 by 255", "pixel %d is %v, but pixels are 0..1", i+1, v)
		}
	}
	if known.IsImages() {
		data.NetworkUnits(z)
	}
	return z, nil
}

// warning warns once of a point far out of the training's sets: the stream needs another centre or scale.
func (s *Stream) warning(z []float32) string {
	known := s.model.trained.Config.Data
	if s.warned || !known.IsMixture() {
		return ""
	}
	for _, v := range z {
		if limit := farWidths * known.SigmaMu; math.Abs(float64(v)) > limit {
			s.warned = true
			return fmt.Sprintf("point %d lies at %.3g after scaling, but the model knows points up to about %.3g: "+
				"bring the stream there by a clustering of earlier points (--like)", s.Points(), v, limit)
		}
	}
	return ""
}

// Clusters is the number of clusters so far.
func (s *Stream) Clusters() int { return s.stepper.Clusters() }

// Points is the number of points so far.
func (s *Stream) Points() int { return s.stepper.Points() }
