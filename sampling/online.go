package sampling

import (
	"context"
	"fmt"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// Stepper labels a stream: one point at a time, as it arrives, without later points (paper, appendix sec:online_mode).
// It is not safe for concurrent use.
type Stepper struct {
	net    *models.Network
	state  *state
	scorer scorer
	points int
}

// Decision is the answer of a Stepper about one point.
type Decision struct {
	Label   int32     // numbered by first appearance in the stream
	Probs   []float64 // [K+1] P_F of each cluster so far and, last, of a new one
	LogProb float64   // log p(c|x) of the stream so far, this point included
	Energy  float64   // E[c_{1:n}], this point included
}

// NewStepper starts a stream; each point gets its most probable label. It returns a *usererr.Error for a network that
// was not trained online, because its energies need the unassigned points.
func NewStepper(net *models.Network) (*Stepper, error) {
	if !net.Config.Online {
		return nil, usererr.New("train it with net.online=true, or cluster whole sets",
			"this model looks at the points to come, so it cannot label a stream")
	}
	return &Stepper{net: net, state: newState(net.Config), scorer: scorer{net: net}}, nil
}

// Clusters returns K, the number of clusters so far.
func (s *Stepper) Clusters() int { return s.state.k }

// Points returns the number of points so far.
func (s *Stepper) Points() int { return s.points }

// Next labels the next point x [D]. An error leaves the stream unchanged.
func (s *Stepper) Next(x []float32) (Decision, error) {
	if len(x) != s.net.Config.Dim {
		return Decision{}, fmt.Errorf("point %d has %d coordinates, but this model takes %d",
			s.points, len(x), s.net.Config.Dim)
	}
	h, u, err := s.net.Encode(context.Background(), x, 1)
	if err != nil {
		return Decision{}, fmt.Errorf("embed point %d: %w", s.points, err)
	}
	err = s.scorer.score([]*state{s.state}, func(int) []float32 { return h }, func(int) []float32 { return u })
	if err != nil {
		return Decision{}, fmt.Errorf("score point %d: %w", s.points, err)
	}
	energies := s.scorer.energies(0, s.state)
	logProbs := logSoftmaxNeg(energies)
	k := take(takeBest, logProbs)
	d := Decision{Label: int32(k), Probs: make([]float64, len(logProbs)), Energy: float64(energies[k])}
	for i, l := range logProbs {
		d.Probs[i] = math.Exp(l)
	}
	s.scorer.assign(0, s.state, k, h, logProbs[k])
	s.points++
	d.LogProb = s.state.logProb
	return d, nil
}
