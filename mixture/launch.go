package mixture

import "math"

const (
	launchRows   = 256 // rows of a large set that the EM looks at
	differingVar = 4.0 // squared distance of two rows that differ in a category
	manyColumns  = 6   // from here on launches with diagonal covariances are tried, too
)

// coins are what is random in a launch: they are tossed alike for splits and merges.
type coins struct {
	pseudo   float64 // pseudo rows of the prior, in units of D + 2
	share    float64 // of the set's variances that is the prior's
	metric   int     // of the first assignment: 0 the set's covariance, 1 its variances, 2 a direction, 3 one column
	column   int
	steps    int
	diagonal bool
	offset   float64 // in [0, 1), which rows of a large set are looked at
}

func (l *launch) toss(rng random) coins {
	c := coins{pseudo: 1, share: 0.4, metric: rng.IntN(3), steps: 4 + rng.IntN(9), offset: rng.Float64()}
	bits := rng.Uint64()
	if bits&1 == 0 {
		c.pseudo = 4
	}
	if bits&2 == 0 {
		c.share = 0.05
	}
	if dim := l.rows.dim(); dim > manyColumns {
		c.diagonal = bits&4 == 0
		if bits&24 == 0 {
			c.metric, c.column = 3, rng.IntN(dim)
		}
	}
	return c
}

// launch is a short EM of two Gaussians on a set of rows. It regularizes by the variances of the set itself: a prior
// from elsewhere keeps chains at too few clusters when columns are many.
type launch struct {
	rows    *rows
	all     *gatherer
	part    *gatherer
	chosen  []int32
	sides   [2]side
	prior   []float64 // [D], pseudo scatter of the set's variances
	pseudo  float64
	weights []float64
	matrix  []float64
	counts  []float64
	share   []float64
	dists   [2][]float64
	vector  []float64

	unitOdds []float64 // of units that are together, where something is known
}

// side is one of the two Gaussians.
type side struct {
	shape
	logWeight float64
	logLevel  []float64
}

func newLaunch(r *rows) *launch {
	dim, levels := r.dim(), r.levels()
	few := *r
	few.n = min(r.n, launchRows+2)
	l := &launch{rows: r, all: newGatherer(r), part: newGatherer(&few)}
	for s := range l.sides {
		l.sides[s] = side{shape: newShape(dim), logLevel: make([]float64, levels)}
		l.dists[s] = make([]float64, r.n)
	}
	l.prior, l.vector, l.matrix = make([]float64, dim), make([]float64, dim), make([]float64, dim*dim)
	l.weights, l.share, l.counts = make([]float64, r.n), make([]float64, r.n), make([]float64, levels)
	l.chosen = make([]int32, 0, launchRows+2)
	if r.known != nil {
		l.unitOdds = make([]float64, len(r.known.units))
	}
	return l
}

// run returns each member's share of the left side, whose anchor is the i-th member; the j-th is the right one's. set
// is the summary of the members. The result is valid until the next call.
func (l *launch) run(set *summary, members []int32, u []float64, i, j int, c coins) []float64 {
	rows, gather := members, l.part
	if len(members) > launchRows {
		rows, i, j = l.choose(members, i, j, c.offset)
	}
	gather.take(rows, u)
	dim := l.rows.dim()
	l.pseudo = float64(dim+2) * c.pseudo
	for d := range l.prior {
		l.prior[d] = l.pseudo * c.share * (set.scatter[d*dim+d]/set.n + 1e-9)
	}
	l.begin(set, gather, rows, i, j, c)
	for step := range c.steps {
		l.maximize(gather, rows, c.diagonal)
		if step < c.steps-1 {
			l.expect(gather, rows)
		}
	}
	if len(members) > launchRows {
		gather = l.all
		gather.take(members, u)
	}
	l.expect(gather, members)
	share := l.share[:len(members)]
	least := 0.05 / float64(len(members))
	for k, s := range share {
		share[k] = min(max(s, least), 1-least)
	}
	if l.rows.known != nil {
		l.joinShares(members, share, least)
	}
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

// begin assigns the rows to the nearer anchor in one of three metrics.
func (l *launch) begin(set *summary, g *gatherer, rows []int32, i, j int, c coins) {
	share := l.share[:len(rows)]
	switch c.metric {
	case 2:
		l.project(set, g.columns, i, j, 1+c.steps/3, share)
		return
	case 3:
		partAt(g.columns[c.column], i, j, share)
		return
	}
	for s, anchor := range [2]int{i, j} {
		side := &l.sides[s]
		for d, column := range g.columns {
			side.mean[d] = column[anchor]
		}
		if s == 0 {
			l.setFactor(side, set.scatter, set.n, c.metric == 1 || c.diagonal, c.metric == 1)
		} else {
			copy(side.factor, l.sides[0].factor)
			side.diagonal = l.sides[0].diagonal
		}
		side.distances(g.columns, l.dists[s][:len(rows)])
		for _, codes := range l.rows.codes {
			own := codes[rows[anchor]]
			for k, row := range rows {
				if codes[row] != own {
					l.dists[s][k] += differingVar
				}
			}
		}
	}
	for k := range share {
		a, b := l.dists[0][k], l.dists[1][k]
		switch {
		case a < b:
			share[k] = 1
		case a > b:
			share[k] = 0
		default:
			share[k] = 0.5
		}
	}
}

// setFactor sets the factor of a side to that of the posterior mean of its covariance, or of the prior's alone.
func (l *launch) setFactor(s *side, scatterOf []float64, n float64, diagonal, priorOnly bool) {
	dim := len(s.mean)
	s.diagonal, s.halfLog = diagonal, 0
	clear(s.factor)
	total := l.pseudo + n
	if diagonal {
		for d, prior := range l.prior {
			variance := (prior + scatterOf[d*dim+d]) / total
			if priorOnly {
				variance = prior / l.pseudo
			}
			s.factor[d*dim+d] = 1 / math.Sqrt(variance)
			s.halfLog -= 0.5 * math.Log(variance)
		}
		return
	}
	for i := range dim {
		for j := range i + 1 {
			l.matrix[i*dim+j] = scatterOf[i*dim+j] / total
		}
		l.matrix[i*dim+i] += l.prior[i] / total
		s.factor[i*dim+i] = 1
	}
	s.halfLog = -0.5 * choleskyUpper(l.matrix, l.matrix, dim)
	divideUpper(l.matrix, s.factor, dim)
}

// project parts the rows on a direction: a few power iterations of the set's correlations from the anchors' difference.
func (l *launch) project(set *summary, columns [][]float64, i, j, iterations int, share []float64) {
	dim := l.rows.dim()
	v, next, root := l.vector, l.sides[0].mean, l.sides[1].mean
	for d, column := range columns {
		root[d] = math.Sqrt(set.scatter[d*dim+d]/set.n + 1e-9)
		v[d] = (column[i] - column[j]) / root[d]
	}
	for range iterations {
		norm := 0.0
		for d := range next {
			next[d] = 0
			for e := range v {
				next[d] += at(set.scatter, dim, d, e) / (root[d] * root[e]) * v[e]
			}
			norm += next[d] * next[d]
		}
		norm = 1 / (math.Sqrt(norm) + 1e-300)
		for d := range v {
			v[d] = next[d] * norm
		}
	}
	projection := l.dists[0][:len(share)]
	clear(projection)
	for d, column := range columns {
		addScaled(projection, v[d]/root[d], column)
	}
	partAt(projection, i, j, share)
}

// partAt gives each row to the anchor on its side of the middle between both.
func partAt(projection []float64, i, j int, share []float64) {
	threshold := 0.5 * (projection[i] + projection[j])
	above := projection[i] > threshold
	for k, p := range projection {
		share[k] = 0
		if (p > threshold) == above {
			share[k] = 1
		}
	}
}
