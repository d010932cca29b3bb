package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// em is a mixture whose parameters are fitted to rows by expectation-maximization. In a launch the scales u and all
// cells are known, and the rows are Gaussian given u. Else the rows have t distributions, and cells may be missing.
type em struct {
	*part
	nu         float64
	tails      []tail // [D+1], by the number of present cells
	components []component
	covariance [][]float64 // [K][D·D], lower triangle
	sizes      []float64   // [K], Σ shares
	shares     [][]float64 // [K][n], probability of the component given the row
	distances  [][]float64 // [K][n], squared, of present cells
	prior      []float64   // [D], pseudo scatter in a launch; else nil
	pseudo     float64     // number of pseudo rows
	sharpness  float64     // with two components, shares are proportional to p^sharpness
	pool       []float64   // [D], variance within clusters
	related    []float64   // [D·D], lower triangle, correlations within clusters, shrunk; nil in a launch
	added      []float64   // [D], variances of the pseudo rows of a component

	held  []int32   // [n], fixed labels, −1 for free rows; nil if all are free
	parts []float64 // [n], weights in one component
	upper []float64
	rng   random // for missing cells
}

const fitSteps = 6 // EM steps when a point estimate is refitted

// newEM returns a mixture of number components, without parameters yet.
func newEM(p *part, number int, nu float64) *em {
	dim := p.dim()
	m := &em{
		part: p, nu: nu, tails: newTails(nu, dim), sizes: make([]float64, number), pool: make([]float64, dim),
		shares: grid(number, p.n), distances: grid(number, p.n), covariance: grid(number, dim*dim),
		pseudo: float64(dim + 2), sharpness: 1, parts: make([]float64, p.n), upper: make([]float64, dim*dim),
		added: make([]float64, dim), rng: newRandom(uint64(number), 0x656d),
	}
	for range number {
		m.components = append(m.components, newComponent(dim, p.levels()))
	}
	return m
}

// take makes the members the rows that are fitted, with the weights u.
func (m *em) take(members []int32, u []float64) {
	m.part.take(members, u)
	for k := range m.shares {
		m.shares[k], m.distances[k] = m.shares[k][:len(members)], m.distances[k][:len(members)]
	}
}

// fitEM fits a mixture to rows from a partition [n] in number clusters.
func fitEM(r *rows, labels []int32, number int, nu float64) *em {
	m := newEM(r.all(), number, nu)
	m.held = r.known.held(labels)
	for i, k := range labels {
		m.shares[k][i] = 1
	}
	m.poolScatter()
	m.maximize(false)
	m.expect()
	for range fitSteps {
		m.drawCells()
		m.maximize(true)
		m.expect()
	}
	return m
}

// poolScatter finds the variances and correlations within clusters, which shrink needs.
func (m *em) poolScatter() {
	dim := m.dim()
	m.related = make([]float64, dim*dim)
	for k := range m.components {
		m.weigh(k, false)
		m.moments(m.parts, m.components[k].mean, m.covariance[k])
		floats.Add(m.related, m.covariance[k])
	}
	for d := range m.pool {
		m.pool[d] = m.related[d*dim+d]/float64(m.n) + 1e-6
	}
	for i := range dim {
		for j := range i {
			m.related[i*dim+j] /= (float64(m.n) + m.pseudo) * math.Sqrt(m.pool[i]*m.pool[j])
		}
	}
}

// drawCells draws a component for each row with missing cells, sets its share to 1, and draws the cells from it.
func (m *em) drawCells() {
	logs := make([]float64, len(m.components))
	m.rows.drawCells(m.rng, func(gap *gap) (*component, float64) {
		for k, shares := range m.shares {
			logs[k] = math.Log(shares[gap.row])
		}
		k := m.rng.pick(logs)
		for j, shares := range m.shares {
			shares[gap.row] = 0
			if j == k {
				shares[gap.row] = 1
			}
		}
		u := m.rng.rowScale(m.nu, m.distances[k][gap.row], m.dim()-len(gap.missing))
		return &m.components[k], 1 / math.Sqrt(u)
	})
}

// expect computes shares and distances from the parameters.
func (m *em) expect() {
	for k := range m.components {
		to := &m.components[k]
		to.distances(m.columns, 0, m.distances[k])
		floats.Mul(m.distances[k], m.weights)
		to.join(&m.rows, m.tails, 0, m.distances[k], m.shares[k])
	}
	m.normalize()
}

// normalize turns the log joint probabilities in shares into probabilities.
func (m *em) normalize() {
	if len(m.shares) == 2 {
		a, b := m.shares[0], m.shares[1][:len(m.shares[0])]
		for i, log := range a {
			a[i] = 1 / (1 + math.Exp(min(m.sharpness*(b[i]-log), 500)))
			b[i] = 1 - a[i]
		}
	} else {
		for i := range m.n {
			best, total := math.Inf(-1), 0.0
			for _, logs := range m.shares {
				best = max(best, logs[i])
			}
			for _, logs := range m.shares {
				logs[i] = math.Exp(logs[i] - best)
				total += logs[i]
			}
			for _, logs := range m.shares {
				logs[i] /= total
			}
		}
	}
	for i, label := range m.held {
		if label >= 0 {
			for _, shares := range m.shares {
				shares[i] = 0
			}
			m.shares[label][i] = 1
		}
	}
}

// weigh sets parts to the rows' weights times their shares in component k. If distances are measured and the rows have
// t distributions, the expected u of each row is a further factor.
func (m *em) weigh(k int, measured bool) {
	m.parts = floats.MulTo(m.parts[:m.n], m.shares[k], m.weights)
	if measured && !math.IsInf(m.nu, 1) {
		for i, d := range m.distances[k] {
			m.parts[i] *= (m.nu + float64(m.dim())) / (m.nu + d)
		}
	}
}

// maximize fits all components to the shares. measured tells whether distances are known; if not, unknown u are 1.
func (m *em) maximize(measured bool) {
	total := 0.0
	for k, shares := range m.shares {
		m.sizes[k] = floats.Sum(shares)
		total += m.sizes[k] + 0.5
	}
	for k := range m.components {
		m.weigh(k, measured)
		to := &m.components[k]
		to.logWeight = math.Log((m.sizes[k] + 0.5) / total)
		m.moments(m.parts, to.mean, m.covariance[k])
		m.shrink(k)
		m.fitLevels(k)
		m.setFactor(k)
	}
}

// shrink turns the scatter of component k into a covariance, shrunk by pseudo rows. They have the scatter of the prior.
// Without a prior they have the component's own variances, or for few rows a part of the variances within clusters.
// Their correlations lie between the component's own and those within all clusters: without correlations they would
// widen a thin oblique cluster, and rows would move to another one.
func (m *em) shrink(k int) {
	const part, least = 0.3, 1e-3
	s, dim, n := m.covariance[k], m.dim(), m.sizes[k]
	own := n / (n + m.pseudo) // share of the component's own correlations
	for d := range dim {
		switch at := d*dim + d; {
		case m.prior != nil:
			m.added[d] = m.prior[d]
		case n <= float64(dim+1):
			m.added[d], own = m.pseudo*part*m.pool[d], 0
		default:
			m.added[d] = m.pseudo * max(s[at]/n, least*m.pool[d])
		}
	}
	if m.related != nil {
		m.relate(s, own)
	}
	for i := range dim {
		s[i*dim+i] += m.added[i]
		for j := range i + 1 {
			s[i*dim+j] /= n + m.pseudo
		}
	}
}

// relate adds the products of the pseudo rows to a scatter s. own is the share of the scatter's own correlations.
func (m *em) relate(s []float64, own float64) {
	dim := m.dim()
	for i := range dim {
		for j := range i {
			at := i*dim + j
			correlation := s[at] / math.Sqrt(max(s[i*dim+i]*s[j*dim+j], math.SmallestNonzeroFloat64))
			s[at] += math.Sqrt(m.added[i]*m.added[j]) * (own*correlation + (1-own)*m.related[at])
		}
	}
}

// setFactor computes the factor of a component, and what depends on it, from its covariance.
func (m *em) setFactor(k int) {
	to, dim := &m.components[k], m.dim()
	clear(to.factor)
	for d := range dim {
		to.factor[d*dim+d] = 1
	}
	to.halfLog = -0.5 * choleskyUpper(m.covariance[k], m.upper, dim)
	divideUpper(m.upper, to.factor, dim)
	if m.gapOf != nil {
		to.fillPrecision()
	}
}

// fitLevels estimates the category probabilities of component k, with one pseudo row for each level.
func (m *em) fitLevels(k int) {
	for q, codes := range m.codes {
		levels := m.components[k].logLevel[m.first[q]:m.first[q+1]]
		total := float64(len(levels))
		for l := range levels {
			levels[l] = 1
		}
		for i, code := range codes {
			if code >= 0 {
				levels[code] += m.shares[k][i]
				total += m.shares[k][i]
			}
		}
		for l, count := range levels {
			levels[l] = math.Log(count / total)
		}
	}
}

const (
	launchRows   = 256 // rows of a large set that the EM looks at
	differingVar = 4.0 // squared distance of two rows that differ in a category
)

// sharpnesses are the powers to which a launch may raise its probabilities; one is drawn. If two clusters overlap much,
// one EM is far more certain of the labels than the posterior is: with power 1 alone, a chain hardly ever merges them.
var sharpnesses = [...]float64{1, 0.6, 0.4}

// launch fits two Gaussians to a set of rows by a short EM. It returns for each member the probability that it is on
// the left side. The anchor of the left side is the i-th member, that of the right side the j-th. set is the summary of
// the members. The EM regularizes by the variances of the set itself: with other priors, chains stay at too few
// clusters in many columns. Splits and merges use random numbers in the same way. Hot launches have more steps, and
// power 1. The result is valid until the next call.
func (m *em) launch(set *summary, members []int32, u []float64, i, j int, hot bool, rng random) []float64 {
	dim, rows := m.dim(), members
	coins, steps, offset := rng.Uint64(), 2+rng.IntN(3), rng.Float64()
	if hot {
		steps += 2
	}
	if len(members) > launchRows {
		rows, i, j = evenly(members, i, j, offset), 0, 1
	}
	m.take(rows, u)
	m.pseudo = float64(dim + 2)
	if coins&2 == 0 {
		m.pseudo *= 4
	}
	part := 0.4 // prior scatter of a pseudo row, as a share of the set's variances
	if coins&4 == 0 {
		part = 0.05
	}
	for d := range m.prior {
		m.prior[d] = m.pseudo * part * (set.scatter[d*dim+d]/set.n + 1e-9)
	}
	m.begin(set, i, j, coins&1 == 0)
	for step := range steps {
		m.maximize(false)
		if step < steps-1 {
			m.expect()
		}
	}
	if len(members) > launchRows {
		m.take(members, u)
	}
	if !hot {
		m.sharpness = sharpnesses[(coins>>3)%uint64(len(sharpnesses))]
	}
	m.expect()
	m.sharpness = 1
	share, least := m.shares[0], 0.05/float64(len(members))
	for k, s := range share {
		share[k] = min(max(s, least), 1-least)
	}
	return share
}

// evenly returns the i-th and the j-th member, and then evenly spaced other ones.
func evenly(members []int32, i, j int, offset float64) []int32 {
	chosen, spacing := make([]int32, 0, launchRows+2), float64(len(members))/launchRows
	chosen = append(chosen, members[i], members[j])
	for k := range launchRows {
		if at := int((float64(k) + offset) * spacing); at != i && at != j {
			chosen = append(chosen, members[at])
		}
	}
	return chosen
}

// begin assigns each row to the nearer anchor: by the set's covariance if whole is set, else by its variances.
func (m *em) begin(set *summary, i, j int, whole bool) {
	dim, n := m.dim(), 0.0
	clear(m.covariance[0])
	if whole {
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
		for d, column := range m.columns {
			side.mean[d] = column[anchor]
		}
		copy(side.factor, m.components[0].factor)
		side.distances(m.columns, 0, m.distances[s])
		for _, codes := range m.codes {
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
