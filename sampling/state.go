package sampling

import (
	"slices"

	"github.com/gfncp/gfncp/models"
)

// state holds the sums of a sequence after some of its points; W and V are the network's widths. Sums are kept in
// float64, so that a million points add up without drift.
type state struct {
	w, v    int
	sums    []float64 // [K,W] Σ h' of each cluster
	gammas  []float32 // [K,V] g' of each cluster
	total   []float64 // [V] Σ_k g' of all clusters
	ahead   []float64 // [V] Σ u' of the points after the current one
	k       int       // clusters so far
	logProb float64   // Σ log P_F
}

func newState(c models.Config) *state {
	w, v := c.Width(), c.StateWidth()
	return &state{w: w, v: v, total: make([]float64, v), ahead: make([]float64, v)}
}

// candidates writes the K+1 rows of the next point, given by its h' [W], whose own u' is no longer in ahead.
func (s *state) candidates(h []float32, sums, rest []float32) {
	w, v := s.w, s.v
	for k := 0; k <= s.k; k++ {
		z, r := sums[k*w:(k+1)*w], rest[k*v:(k+1)*v]
		if k == s.k {
			copy(z, h)
			for j := range r {
				r[j] = float32(s.total[j] + s.ahead[j])
			}
			continue
		}
		sum, gamma := s.sums[k*w:(k+1)*w], s.gammas[k*v:(k+1)*v]
		for j := range z {
			z[j] = float32(sum[j]) + h[j]
		}
		for j := range r {
			r[j] = float32(s.total[j] + s.ahead[j] - float64(gamma[j]))
		}
	}
}

// leave takes the point with u' [V] from those ahead.
func (s *state) leave(u []float32) {
	for j, v := range u {
		s.ahead[j] -= float64(v)
	}
}

// assign moves the point with h' [W] into slot k, whose g' with the point in it is gamma [V].
func (s *state) assign(k int, h, gamma []float32) {
	s.join(k, h)
	s.renew(k, gamma)
}

// join adds the point with h' [W] to the sum of slot k, whose g' is then no longer that of its points.
func (s *state) join(k int, h []float32) {
	w := s.w
	if k == s.k {
		s.sums = append(s.sums, make([]float64, w)...)
		s.gammas = append(s.gammas, make([]float32, s.v)...)
		s.k++
	}
	sum := s.sums[k*w : (k+1)*w]
	for j := range sum {
		sum[j] += float64(h[j])
	}
}

// renew sets g' [V] of slot k.
func (s *state) renew(k int, gamma []float32) {
	old := s.gammas[k*s.v : (k+1)*s.v]
	for j := range old {
		s.total[j] += float64(gamma[j]) - float64(old[j])
		old[j] = gamma[j]
	}
}

// clone returns an independent copy.
func (s *state) clone() *state {
	c := *s
	c.sums, c.gammas = slices.Clone(s.sums), slices.Clone(s.gammas)
	c.total, c.ahead = slices.Clone(s.total), slices.Clone(s.ahead)
	return &c
}
