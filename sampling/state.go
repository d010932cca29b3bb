package sampling

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/metrics"
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

// candidates writes the K+1 rows of the next point, given by its h' [W]. Its u' must have left ahead.
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

// leave subtracts u' [V] of a point from ahead.
func (s *state) leave(u []float32) {
	for j, v := range u {
		s.ahead[j] -= float64(v)
	}
}

// join adds h' [W] of a point to the sum of slot k. It leaves g' of the slot as it was: see renew.
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

// scorer evaluates the candidates of the next point of several sequences in one call of the network, packed without
// gaps. Its buffers are kept from step to step.
type scorer struct {
	net           *models.Network
	sums          []float32 // [R,W]
	rest, cluster []float32 // [R,V]
	energy        []float32 // [R]
	first         []int     // per sequence: its first row
}

// score evaluates the K+1 candidates of each state's next point, given by its h' [W] and u' [V]. Energies that are not
// finite give metrics.ErrNotFinite: the points lie far outside the training range.
func (c *scorer) score(states []*state, h, u func(i int) []float32) error {
	for i, st := range states {
		st.leave(u(i))
	}
	padded, total := c.fill(states, h)
	if err := c.net.Score(c.sums, c.rest, padded, c.cluster, c.energy); err != nil {
		return err
	}
	return c.finite(total)
}

// clusters renews g' of every cluster of the states.
func (c *scorer) clusters(states []*state) error {
	total := 0
	for _, st := range states {
		total += st.k
	}
	padded := c.net.DecisionRows(total)
	c.grow(padded)
	row := 0
	for _, st := range states {
		for i, v := range st.sums {
			c.sums[row*st.w+i] = float32(v)
		}
		clear(c.rest[row*st.v : (row+st.k)*st.v])
		row += st.k
	}
	if err := c.net.Score(c.sums, c.rest, padded, c.cluster, c.energy); err != nil {
		return err
	}
	row = 0
	for _, st := range states {
		for k := range st.k {
			st.renew(k, c.cluster[row*st.v:(row+1)*st.v])
			row++
		}
	}
	return nil
}

// last is score for last points: no point is ahead, and g' of the clusters is not evaluated. A state may repeat.
func (c *scorer) last(states []*state, h func(i int) []float32) error {
	padded, total := c.fill(states, h)
	if err := c.net.LastEnergies(c.sums, c.rest, padded, c.energy); err != nil {
		return err
	}
	return c.finite(total)
}

// fill lays out the candidates of each state's next point, total rows, and makes room for as many as padded.
func (c *scorer) fill(states []*state, h func(i int) []float32) (padded, total int) {
	c.first = c.first[:0]
	for _, st := range states {
		c.first = append(c.first, total)
		total += st.k + 1
	}
	padded = c.net.DecisionRows(total)
	c.grow(padded)
	for i, st := range states {
		st.candidates(h(i), c.sums[c.first[i]*st.w:], c.rest[c.first[i]*st.v:])
	}
	return padded, total
}

// finite reports the first of the used rows whose energy is not finite.
func (c *scorer) finite(used int) error {
	for row, e := range c.energy[:used] {
		if e-e != 0 { // NaN or ±Inf
			return fmt.Errorf("energy of candidate row %d is %v: %w", row, e, metrics.ErrNotFinite)
		}
	}
	return nil
}

// grow makes room for rows rows; new space is zero.
func (c *scorer) grow(rows int) {
	if extra := rows - len(c.energy); extra > 0 {
		w, v := c.net.Config.Width(), c.net.Config.StateWidth()
		c.sums = append(c.sums, make([]float32, extra*w)...)
		c.rest = append(c.rest, make([]float32, extra*v)...)
		c.cluster = append(c.cluster, make([]float32, extra*v)...)
		c.energy = append(c.energy, make([]float32, extra)...)
	}
}

// energies returns the K+1 energies of the i-th state's candidates.
func (c *scorer) energies(i int, st *state) []float32 {
	return c.energy[c.first[i] : c.first[i]+st.k+1]
}

// assign moves the point with h' [W] into slot k of st, which is the i-th state or a copy of it. logProb is the
// decision's log-probability.
func (c *scorer) assign(i int, st *state, k int, h []float32, logProb float64) {
	row := c.first[i] + k
	st.join(k, h)
	st.renew(k, c.cluster[row*st.v:(row+1)*st.v])
	st.logProb += logProb
}

// logSoftmaxNeg is log softmax(−E) in float64.
func logSoftmaxNeg(energies []float32) []float64 {
	lowest, sum := float64(slices.Min(energies)), 0.0
	for _, e := range energies {
		sum += math.Exp(lowest - float64(e))
	}
	logs := make([]float64, len(energies))
	for k, e := range energies {
		logs[k] = lowest - float64(e) - math.Log(sum)
	}
	return logs
}

// entropy is −Σ p log p in nats.
func entropy(logProbs []float64) float64 {
	var h float64
	for _, l := range logProbs {
		if p := math.Exp(l); p > 0 {
			h -= p * l
		}
	}
	return h
}
