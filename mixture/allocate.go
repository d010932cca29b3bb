package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// learnedRows is how many rows of a large set the sides learn from.
const learnedRows = 500

// allocate gives the rows of a set to two sides, one after the other in random order (Dahl 2005), and returns the log
// probability of the sides inLeft. The i-th row is on the left, the j-th on the right. Each further row goes to a side
// with probabilities that follow from the rows there. If draw is set, the sides are drawn; else they are the current
// ones. The order and the probabilities depend on the set, its scales, the anchors and random numbers alone, so the
// reverse of a merge is the same computation. It ends early when the log probability falls below least.
func (c *chain) allocate(set *em.Summary, rows []int32, i, j int, draw bool, least float64) (log float64) {
	c.inLeft = c.inLeft[:len(rows)]
	c.inLeft[i], c.inLeft[j] = true, false
	c.order = append(c.order[:0], c.leading(rows)...)
	c.rng.Shuffle(len(c.order), func(a, b int) { c.order[a], c.order[b] = c.order[b], c.order[a] })
	c.law.begin(set, &c.sides)
	for s, anchor := range [2]int{i, j} {
		c.learn(&c.sides[s], rows[anchor])
	}
	rare, product := 0.05/float64(len(rows)), 1.0
	for at, m := range c.order {
		if m == i || m == j {
			continue
		}
		row := rows[m]
		left, right := &c.sides[0], &c.sides[1]
		odds := right.logPredictive(c.rows, row, c.scales[row]) - left.logPredictive(c.rows, row, c.scales[row])
		chance := min(max(1/(1+math.Exp(min(odds, 500))), rare), 1-rare)
		if draw {
			c.inLeft[m] = c.rng.Float64() < chance
		}
		to := left
		if !c.inLeft[m] {
			to, chance = right, 1-chance
		}
		if product *= chance; product < 1e-9 {
			if log += math.Log(product); log < least {
				return log
			}
			product = 1
		}
		if at < learnedRows {
			c.learn(to, row)
		}
	}
	c.follow(rows)
	return log + math.Log(product)
}

// learn adds a row, and all rows that must be together with it, to a side.
func (c *chain) learn(s *side, row int32) {
	if u := c.known.unit(row); u >= 0 {
		for _, i := range c.known.units[u].rows {
			s.add(c.rows, i, c.scales[i])
		}
		return
	}
	s.add(c.rows, row, c.scales[row])
}

// follow puts the rows that must be together on the side of the first of them.
func (c *chain) follow(rows []int32) {
	if len(c.known.units) == 0 {
		return
	}
	for m, row := range rows {
		switch u := c.known.unit(row); {
		case u >= 0 && c.known.leads(row):
			c.onLeft[u] = c.inLeft[m]
		case u >= 0:
			c.inLeft[m] = c.onLeft[u]
		}
	}
}

// side is the posterior of a normal distribution, Σ ~ IW(ν₀ + n, S), and of category probabilities, given some rows.
// The mean has a flat prior.
type side struct {
	law            *law    // of the prior
	n, weight      float64 // rows, Σ u
	logDet, top    float64 // log |S|, log n + gammaOf n − ½·log |S|
	mean           []float64
	factor         []float64 // [D·D], upper R of S = Rᵀ·R
	counts, totals []float64 // of levels and of variables, with one pseudo row for each level

	at            int32     // the row of delta, solved and distance, −1 for none
	delta, solved []float64 // row − mean, R⁻ᵀ·(row − mean)
	distance      float64   // squared length of solved

	spread, logSpread float64 // the last spread of a predictive, and its logarithm
}

func newSide(dim, levels, variables int) side {
	return side{
		mean: make([]float64, dim), factor: make([]float64, dim*dim), delta: make([]float64, dim),
		solved: make([]float64, dim), counts: make([]float64, levels), totals: make([]float64, variables),
	}
}

// begin sets both sides to the prior of a cluster with the scales of set.
func (l *law) begin(set *em.Summary, sides *[2]side) {
	dim := len(set.Mean)
	clear(l.matrix)
	l.addPrior(set)
	logDet := em.Cholesky(l.matrix, l.factor, dim)
	if l.df != l.gammasDf {
		l.gammasDf, l.gammas = l.df, l.gammas[:0]
	}
	for at := range sides {
		s := &sides[at]
		s.law, s.n, s.weight, s.logDet, s.at = l, 0, 0, logDet, -1
		for d := range dim {
			for e := range d + 1 {
				s.factor[e*dim+d] = l.factor[d*dim+e]
			}
		}
		for k := range s.counts {
			s.counts[k] = 1
		}
		for q := range s.totals {
			s.totals[q] = float64(l.first[q+1] - l.first[q])
		}
	}
}

// gammaOf returns log [Γ(½·df)/Γ(½·(df−D))] of a side of n rows, df = ν₀ + n. It keeps the values in gammas.
func (l *law) gammaOf(n int) float64 {
	for at := len(l.gammas); at <= n; at++ {
		df, dim := l.df+float64(at), float64(len(l.centre))
		gamma := 0.0
		if at < 2 {
			gamma = em.LogGammaFunction(0.5*df) - em.LogGammaFunction(0.5*(df-dim))
		} else {
			gamma = l.gammas[at-2] + math.Log((df-2)/(df-2-dim))
		}
		l.gammas = append(l.gammas, gamma)
	}
	return l.gammas[n]
}

// deviate computes the row's delta, solved and distance, unless they are known, and returns the distance.
func (s *side) deviate(r *em.Rows, row int32) float64 {
	if row == s.at {
		return s.distance
	}
	s.at, s.distance = row, 0
	dim := len(s.mean)
	for d, column := range r.Columns {
		s.delta[d] = column[row] - s.mean[d]
	}
	copy(s.solved, s.delta)
	for d := range dim {
		line := s.factor[d*dim+d : (d+1)*dim]
		y := s.solved[d] / line[0]
		s.distance += y * y
		floats.AddScaled(s.solved[d+1:], -y, line[1:])
	}
	return s.distance
}

// logPredictive returns the log probability of a row with scale u, up to a constant that all sides share: a t
// distribution with covariance proportional to S·(1/u + 1/weight), times the number of rows. The side has a row.
func (s *side) logPredictive(r *em.Rows, row int32, u float64) (log float64) {
	dim, spread := float64(len(s.mean)), 1/u+1/s.weight
	if spread != s.spread {
		s.spread, s.logSpread = spread, math.Log(spread)
	}
	log = s.top - 0.5*dim*s.logSpread - 0.5*(s.law.df+s.n)*math.Log(1+s.deviate(r, row)/spread)
	for q, codes := range r.Codes {
		if code := codes[row]; code >= 0 {
			log += math.Log(s.counts[r.First[q]+int(code)] / s.totals[q])
		}
	}
	return log
}

// add adds a row with scale u.
func (s *side) add(r *em.Rows, row int32, u float64) {
	for q, codes := range r.Codes {
		if code := codes[row]; code >= 0 {
			s.counts[r.First[q]+int(code)]++
			s.totals[q]++
		}
	}
	dim := len(s.mean)
	if s.n++; s.n == 1 {
		s.weight = u
		s.top = s.law.gammaOf(1) - 0.5*s.logDet
		for d, column := range r.Columns {
			s.mean[d] = column[row]
		}
		return
	}
	distance, share := s.deviate(r, row), u/(s.weight+u)
	between := share * s.weight
	s.weight += u
	s.at = -1 // the mean moves
	s.logDet += math.Log(1 + between*distance)
	s.top = math.Log(s.n) + s.law.gammaOf(int(s.n)) - 0.5*s.logDet
	root := math.Sqrt(between)
	for d := range s.delta {
		s.mean[d] += share * s.delta[d]
		s.delta[d] *= root
	}
	for d := range dim { // RᵀR + δδᵀ by rotations (Gill et al. 1974)
		line, rest := s.factor[d*dim+d:(d+1)*dim], s.delta[d:dim]
		length := math.Sqrt(line[0]*line[0] + rest[0]*rest[0])
		cos, sin := line[0]/length, rest[0]/length
		for e, x := range line { // in a few columns faster than blas64.Rot
			line[e], rest[e] = cos*x+sin*rest[e], cos*rest[e]-sin*x
		}
	}
}
