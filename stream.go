package gfncp

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sampling"
)

// Decision is a Stream's answer for one point. Label is its cluster, numbered by first appearance. Probs [K+1] are the
// probabilities of the clusters so far and, last, of a new one. LogProb is log p(c|x) of the stream so far, Energy its
// energy.
type Decision struct {
	sampling.Decision
	// Warning is set for the first point that lies far outside the training sets. It says where the point lies.
	Warning string
}

// The limits of a coordinate, in standard deviations of the training sets' centres. A point beyond farWidths gets a
// warning. A point beyond tooFarWidths is an error, because it would change the energies of all later points.
const (
	farWidths    = 6
	tooFarWidths = 100
)

// Stream labels points one at a time, as they arrive, and never sees later ones. Memory grows with the number of
// clusters, not of points. It is not safe for concurrent use.
type Stream struct {
	model   *Model
	origin  []float64 // [D], subtracted from a point before it becomes float32
	center  []float32 // [D], subtracted after that
	factor  float64   // multiplies the centred point
	stepper *sampling.Stepper
	warned  bool
}

// Stream starts a stream that takes the most probable label of each point. The model must have been trained with
// net.online, as mog-gfncp-online was; otherwise it returns an *Error.
//
// Points should have the location and scale of the model's training sets. like, if not nil, is a clustering of earlier
// points by a network that neither encodes tables nor reads images: the stream's points are then centred and scaled as
// these were.
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
	if err := c.given(); err != nil {
		return err
	}
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

// Next labels the next point x [D]. It returns an *Error for coordinates that are not finite, for pixels outside 0..1,
// and for a wrong number of coordinates. The error for a point too far out wraps ErrNotFinite. An error leaves the
// stream unchanged.
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
		case math.IsNaN(x[i]) || math.IsInf(x[i], 0):
			return nil, usererr.New("mend or leave out this point", "coordinate %d is %v, out of range", i+1, v)
		case known.IsMixture() && far > tooFarWidths*known.SigmaMu:
			return nil, usererr.New("scale the points, or start the stream like a clustering of earlier ones",
				"coordinate %d is %v, more than %g times the width of the training sets from 0", i+1, v,
				float64(tooFarWidths)).Because(ErrNotFinite)
		case known.IsImages() && (v < 0 || v > 1):
			return nil, usererr.New("divide pixels of 0..255 by 255", "pixel %d is %v, but pixels are 0..1", i+1, v)
		case math.IsNaN(far) || math.IsInf(far, 0):
			return nil, usererr.New("mend or leave out this point", "coordinate %d is %v, out of range",
				i+1, v).Because(ErrNotFinite)
		}
	}
	if known.IsImages() {
		data.NetworkUnits(z)
	}
	return z, nil
}

// warning returns a warning for the first point far outside the training sets, and else an empty text.
func (s *Stream) warning(z []float32) string {
	known := s.model.trained.Config.Data
	if s.warned || !known.IsMixture() {
		return ""
	}
	for _, v := range z {
		if limit := farWidths * known.SigmaMu; math.Abs(float64(v)) > limit {
			s.warned = true
			return fmt.Sprintf("point %d lies at %.3g after scaling, but the model knows points up to about %.3g: "+
				"start the stream like a clustering of earlier points", s.Points(), v, limit)
		}
	}
	return ""
}

// Clusters is the number of clusters so far.
func (s *Stream) Clusters() int { return s.stepper.Clusters() }

// Points is the number of points so far.
func (s *Stream) Points() int { return s.stepper.Points() }
