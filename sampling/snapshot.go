package sampling

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/metrics"
)

// Snapshot is all that a Stepper keeps of the points it has seen: what it needs to go on in another process. K are its
// clusters; W and V the network's widths (models.Config.Width, StateWidth).
type Snapshot struct {
	Points  int
	LogProb float64   // log p(c|x)
	Total   []float64 // [V] the sum of g' of all clusters
	Sums    []float64 // [K,W] the sum of h' of the points of each cluster
	Gammas  []float32 // [K,V] g' of each cluster
}

// Snapshot copies what the stream is at. The rng of a Stepper that draws its labels is not part of it.
func (s *Stepper) Snapshot() Snapshot {
	st := s.state
	return Snapshot{
		s.points, st.logProb, slices.Clone(st.total), slices.Clone(st.sums), slices.Clone(st.gammas),
	}
}

// Restore puts the stream where it was when the snapshot was taken; with the same network it goes on as it would have
// then. A snapshot of another network, or whose parts do not fit together, is an error that wraps metrics.ErrLength,
// and changes nothing.
func (s *Stepper) Restore(shot Snapshot) error {
	st := newState(s.net.Config)
	st.k, st.logProb = len(shot.Gammas)/st.v, shot.LogProb
	if len(shot.Total) != st.v || len(shot.Sums) != st.k*st.w || len(shot.Gammas) != st.k*st.v ||
		st.k > shot.Points || (st.k == 0) != (shot.Points == 0) {
		return fmt.Errorf("a stream of %d points has %d, %d and %d values, widths %d and %d: %w", shot.Points,
			len(shot.Total), len(shot.Sums), len(shot.Gammas), st.w, st.v, metrics.ErrLength)
	}
	st.total, st.sums, st.gammas = slices.Clone(shot.Total), slices.Clone(shot.Sums), slices.Clone(shot.Gammas)
	s.state, s.points = st, shot.Points
	return nil
}
