package gfncp

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// Decision is what a Stream says of one point: its Label, numbered by first appearance; Probs [K+1] of each cluster so
// far and, last, of a new one, given the labels so far; LogProb, log p(c|x) of the stream so far; its Energy; and
// KPosterior, P(K) of the points so far (StreamOptions.Samples).
type Decision struct {
	sampling.Decision
	KPosterior []posterior.KProb
}

// StreamOptions are the settings of Model.Stream. Start from DefaultStreamOptions.
type StreamOptions struct {
	// Samples is the number of partitions that are followed beside the stream's own labels, for Decision.KPosterior;
	// default 200. For models of Gaussian mixtures these are samples of the exact posterior (posterior.Filter), as
	// Cluster refines to. With 0, and for other models, P(K) is given the stream's own labels so far: it doubts the
	// last one alone.
	Samples int `json:"samples"`
	// Seed names the samples; default 1.
	Seed uint64 `json:"seed"`
	// Center [D] is taken off every point, which is then multiplied by Factor: they should bring the stream to the sets
	// of the model's training, which lie around 0. nil is 0; 0 is the factor of the training, for mixtures 1. A
	// clustering of earlier points knows both (Fitted). Images, pixels in 0..1, have neither.
	Center []float32 `json:"center"`
	Factor float64   `json:"factor"`
}

// DefaultStreamOptions returns 200 samples, seed 1, and points that are taken as they are.
func DefaultStreamOptions() StreamOptions { return StreamOptions{Samples: 200, Seed: 1} }

// MaxStreamSamples bounds StreamOptions.Samples.
const MaxStreamSamples = 10_000

// Stream labels points one at a time, each as soon as it is there, without a look at those to come. Memory grows with
// the clusters, not with the points. It is not safe for concurrent use. Save keeps it in a file, and
// Model.ResumeStream goes on from there.
type Stream struct {
	model   *Model
	options StreamOptions
	stepper *sampling.Stepper
	filter  *posterior.Filter // nil: P(K) is of the stream's own labels
}

// Stream starts a stream that takes the most probable label of each point. The model must have been trained for it
// (net.online, as mog-gfncp-online); another is an *Error, and so are faults of the options.
func (m *Model) Stream(o StreamOptions) (*Stream, error) {
	m.inUse.RLock()
	defer m.inUse.RUnlock()
	if m.free == nil {
		return nil, ErrClosed
	}
	known := m.trained.Config.Data
	if o.Factor == 0 {
		o.Factor = 1
		if known.IsVectors() {
			o.Factor = known.Factor
		}
	}
	if err := o.check(m.Dim(), known.IsImages()); err != nil {
		return nil, err
	}
	stepper, err := sampling.NewStepper(m.net, nil)
	if err != nil {
		return nil, err
	}
	s := &Stream{m, o, stepper, nil}
	if o.Samples > 0 && known.IsMixture() && known.FixedK == 0 {
		s.filter, err = posterior.NewFilter(
			posterior.Gaussian{Dim: known.Dim, Tau: known.SigmaMu, Sigma: known.SigmaX},
			posterior.CRP{Alpha: known.AlphaMin, AlphaMax: known.AlphaMax}, o.Samples)
	}
	return s, err
}

func (o StreamOptions) check(dim int, images bool) error {
	finite := func(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
	switch {
	case o.Samples < 0 || o.Samples > MaxStreamSamples:
		return usererr.New(fmt.Sprintf("use 0 to %d", MaxStreamSamples), "Samples = %d", o.Samples)
	case images && (o.Center != nil || o.Factor != 1):
		return usererr.New("leave them out: pixels are always 0..1", "Center and Factor have no meaning for images")
	case o.Center != nil && len(o.Center) != dim:
		return usererr.New(fmt.Sprintf("give %d", dim), "Center has %d coordinates", len(o.Center))
	case slices.ContainsFunc(o.Center, func(v float32) bool { return !finite(v) }):
		return usererr.New("use finite numbers", "Center = %v", o.Center)
	case !(o.Factor > 0) || math.IsInf(o.Factor, 0):
		return usererr.New("use a factor above 0", "Factor = %v", o.Factor)
	}
	return nil
}

// Next labels the next point x [D]. Points that are no finite numbers, pixels out of 0..1 and another number of
// coordinates are an *Error; points too far out for the network wrap ErrNotFinite. After an error the stream stands
// where it stood before.
func (s *Stream) Next(x []float32) (Decision, error) {
	s.model.inUse.RLock()
	defer s.model.inUse.RUnlock()
	if s.model.free == nil {
		return Decision{}, ErrClosed
	}
	z, err := s.Prepared(x)
	if err != nil {
		return Decision{}, err
	}
	before := s.stepper.Clusters()
	own, err := s.stepper.Next(z)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Decision: own}
	if s.filter == nil {
		fresh := own.Probs[before]
		for _, k := range []posterior.KProb{{K: before, P: 1 - fresh}, {K: before + 1, P: fresh}} {
			if k.P > 0 {
				d.KPosterior = append(d.KPosterior, k)
			}
		}
		return d, nil
	}
	// the network has taken the point, whose density is finite then
	if err := s.filter.Add(data.Rand(s.options.Seed, "stream", s.stepper.Points()), data.Float64s(z)); err != nil {
		return Decision{}, fmt.Errorf("P(K): %w", err)
	}
	d.KPosterior = s.filter.KPosterior()
	return d, nil
}

// Prepared is the point x [D] as the network reads it: centred and scaled. It fails as Next does.
func (s *Stream) Prepared(x []float32) ([]float32, error) {
	if len(x) != s.model.Dim() {
		return nil, usererr.New("give as many", "the point has %d coordinates, but this model takes %d", len(x),
			s.model.Dim())
	}
	images := s.model.trained.Config.Data.IsImages()
	z := slices.Clone(x)
	for i, v := range x {
		at := 0.0
		if s.options.Center != nil {
			at = float64(s.options.Center[i])
		}
		z[i] = float32((float64(v) - at) * s.options.Factor)
		switch {
		case math.IsNaN(float64(z[i])) || math.IsInf(float64(z[i]), 0):
			return nil, usererr.New("mend or leave out this point", "coordinate %d is %v, out of range", i+1, v)
		case images && (v < 0 || v > 1):
			return nil, usererr.New("divide pixels of 0..255 by 255", "pixel %d is %v, but pixels are 0..1", i+1, v)
		}
	}
	if images {
		data.NetworkUnits(z)
	}
	return z, nil
}

// Clusters is the number of clusters so far.
func (s *Stream) Clusters() int { return s.stepper.Clusters() }

// Points is the number of points so far.
func (s *Stream) Points() int { return s.stepper.Points() }

// Options are those that the stream was started with; Factor is never 0.
func (s *Stream) Options() StreamOptions { return s.options }
