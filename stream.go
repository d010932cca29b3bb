package gfncp

import (
	"math/rand/v2"

	"github.com/gfncp/gfncp/sampling"
)

// Decision is what a Stream says of one point: its Label, numbered by first appearance; Probs [K+1] of each cluster so
// far and, last, of a new one; LogProb, log p(c|x) of the stream so far; and its Energy.
type Decision = sampling.Decision

// Stream labels points one at a time, each as soon as it is there, without a look at those to come. Memory grows with
// the clusters, not with the points. It is not safe for concurrent use.
type Stream struct {
	model   *Model
	stepper *sampling.Stepper
}

// Stream starts a stream that takes the most probable label of each point, or with an rng draws it. The model must have
// been trained for it (net.online, as mog-gfncp-online); another is an *Error.
func (m *Model) Stream(rng *rand.Rand) (*Stream, error) {
	m.inUse.RLock()
	defer m.inUse.RUnlock()
	if m.free == nil {
		return nil, ErrClosed
	}
	stepper, err := sampling.NewStepper(m.net, rng)
	if err != nil {
		return nil, err
	}
	return &Stream{m, stepper}, nil
}

// Next labels the next point x [D], which is taken as it is: centre and scale it to the sets of the model's training.
// After an error the stream stands where it stood before.
func (s *Stream) Next(x []float32) (Decision, error) {
	s.model.inUse.RLock()
	defer s.model.inUse.RUnlock()
	if s.model.free == nil {
		return Decision{}, ErrClosed
	}
	return s.stepper.Next(x)
}

// Clusters is the number of clusters so far.
func (s *Stream) Clusters() int { return s.stepper.Clusters() }
