package sampling

import "slices"

// state is what a sequence knows after some of its points; H is the network's hidden width. Sums are kept in float64,
// so that a million points add up without drift.
type state struct {
	h       int
	sums    []float64 // [K,H] Σ h' of each cluster
	gammas  []float32 // [K,H] g' of each cluster
	total   []float64 // [H] Σ_k g' of all clusters
	ahead   []float64 // [H] Σ u' of the points after the current one
	k       int       // clusters so far
	logProb float64   // Σ log P_F
}

func newState(h int) *state {
	return &state{h: h, total: make([]float64, h), ahead: make([]float64, h)}
}

// candidates writes the K+1 rows of the next point, given by its h' [H], whose own u' is no longer in ahead.
func (s *state) candidates(h []float32, sums, rest []float32) {
	width := s.h
	for k := 0; k <= s.k; k++ {
		z, r := sums[k*width:(k+1)*width], rest[k*width:(k+1)*width]
		if k == s.k {
			copy(z, h)
			for j := range r {
				r[j] = float32(s.total[j] + s.ahead[j])
			}
			continue
		}
		sum, gamma := s.sums[k*width:(k+1)*width], s.gammas[k*width:(k+1)*width]
		for j := range z {
			z[j] = float32(sum[j]) + h[j]
			r[j] = float32(s.total[j] + s.ahead[j] - float64(gamma[j]))
		}
	}
}

// assign moves the point with h' [H] into slot k, whose g' with the point in it is gamma [H].
func (s *state) assign(k int, h, gamma []float32) {
	width := s.h
	if k == s.k {
		s.sums = append(s.sums, make([]float64, width)...)
		s.gammas = append(s.gammas, make([]float32, width)...)
		s.k++
	}
	sum, old := s.sums[k*width:(k+1)*width], s.gammas[k*width:(k+1)*width]
	for j := range sum {
		sum[j] += float64(h[j])
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
