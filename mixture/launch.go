package mixture

import "gonum.org/v1/gonum/floats"

const (
	launchRows   = 256 // rows of a large set that the EM looks at
	differingVar = 4.0 // squared distance of two rows that differ in a category
)

// coins are what is random in a launch: they are tossed alike for splits and merges.
type coins struct {
	pseudo float64 // pseudo rows of the prior, in units of D + 2
	share  float64 // of the set's variances that is the prior's
	whole  bool    // the first assignment is by the set's covariance, else by its variances
	steps  int
	offset float64 // in [0, 1), which rows of a large set are looked at
}

func (l *launch) toss(rng random) coins {
	bits := rng.Uint64()
	c := coins{pseudo: 1, share: 0.4, whole: bits&1 == 0, steps: 3 + rng.IntN(4), offset: rng.Float64()}
	if bits&2 == 0 {
		c.pseudo = 4
	}
	if bits&4 == 0 {
		c.share = 0.05
	}
	return c
}

// launch is a short EM of two Gaussians on a set of rows. It regularizes by the variances of the set itself: a prior
// from elsewhere keeps chains at too few clusters when columns are many.
type launch struct {
	em     *em
	chosen []int32
	odds   []float64 // [units], log odds of the rows that are together
}

func newLaunch(r *rows) *launch {
	l := &launch{em: newEM(r, 2), chosen: make([]int32, 0, launchRows+2), odds: make([]float64, len(r.known.units))}
	l.em.prior = make([]float64, r.dim())
	return l
}

// run returns each member's share of the left side, whose anchor is the i-th member; the j-th is the right one's. set
// is the summary of the members. The result is valid until the next call.
func (l *launch) run(set *summary, members []int32, u []float64, i, j int, c coins) []float64 {
	m, dim, rows := l.em, l.em.rows.dim(), members
	if len(members) > launchRows {
		rows, i, j = l.choose(members, i, j, c.offset)
	}
	m.take(rows, u)
	m.pseudo = float64(dim+2) * c.pseudo
	for d := range m.prior {
		m.prior[d] = m.pseudo * c.share * (set.scatter[d*dim+d]/set.n + 1e-9)
	}
	l.begin(set, i, j, c)
	for step := range c.steps {
		m.maximize(false)
		if step < c.steps-1 {
			m.expect()
		}
	}
	if len(members) > launchRows {
		m.take(members, u)
	}
	m.expect()
	share, least := m.shares[0], 0.05/float64(len(members))
	for k, s := range share {
		share[k] = min(max(s, least), 1-least)
	}
	m.rows.known.joinShares(members, share, l.odds, least)
	return share
}

// choose takes evenly spaced members and the anchors, and returns the anchors' places among them.
func (l *launch) choose(members []int32, i, j int, offset float64) (rows []int32, left, right int) {
	l.chosen = append(l.chosen[:0], members[i], members[j])
	spacing := float64(len(members)) / launchRows
	for k := range launchRows {
		if at := int((float64(k) + offset) * spacing); at != i && at != j {
			l.chosen = append(l.chosen, members[at])
		}
	}
	return l.chosen, 0, 1
}

// begin assigns the rows to the nearer anchor.
func (l *launch) begin(set *summary, i, j int, c coins) {
	m, dim := l.em, l.em.rows.dim()
	n := 0.0
	clear(m.covariance[0])
	if c.whole {
		n = set.n
		copy(m.covariance[0], set.scatter)
	}
	for d, prior := range m.prior {
		m.covariance[0][d*dim+d] += prior
	}
	floats.Scale(1/(n+m.pseudo), m.covariance[0])
	m.setFactor(0)
	for s, anchor := range [2]int{i, j} {
		side := &m.components[s]
		for d, column := range m.gather.columns {
			side.mean[d] = column[anchor]
		}
		copy(side.factor, m.components[0].factor)
		side.distances(m.gather.columns, 0, m.distances[s])
		for _, codes := range m.gather.codes {
			for k, code := range codes {
				if code != codes[anchor] {
					m.distances[s][k] += differingVar
				}
			}
		}
	}
	for k, a := range m.distances[0] {
		share := 0.5
		switch b := m.distances[1][k]; {
		case a < b:
			share = 1
		case a > b:
			share = 0
		}
		m.shares[0][k], m.shares[1][k] = share, 1-share
	}
}
