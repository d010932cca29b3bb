package mixture

import "math"

// em is a mixture whose parameters are fitted to rows by expectation and maximization.
type em struct {
	rows       *rows
	nu         float64
	tails      []tail // [D+1], by the number of present cells
	components []component
	covariance [][]float64 // [K][D·D], lower triangle
	sizes      []float64   // [K], Σ shares
	pool       []float64   // [D], variance within clusters
	shares     [][]float64 // [K][n], probability of the component given the row
	distances  [][]float64 // [K][n], squared, of present cells
	logDensity []float64   // [n]

	held    []int32 // labels [n] that stay, −1 where free; nil if all are
	gather  *gatherer
	all     []int32
	weights []float64
	gapRoom gapRoom
}

const fitSteps = 6 // of the refit of a point estimate

// newEM returns the room for a mixture of number components on rows, with ν = nu.
func newEM(r *rows, number int, nu float64) *em {
	dim := r.dim()
	m := &em{rows: r, nu: nu, sizes: make([]float64, number), pool: make([]float64, dim)}
	for d := range dim + 1 {
		m.tails = append(m.tails, newTail(nu, d))
	}
	for range number {
		m.components = append(m.components, newComponent(dim, r.levels()))
		m.covariance = append(m.covariance, make([]float64, dim*dim))
		m.shares = append(m.shares, make([]float64, r.n))
		m.distances = append(m.distances, make([]float64, r.n))
	}
	m.logDensity, m.weights, m.gapRoom = make([]float64, r.n), make([]float64, r.n), newGapRoom(dim)
	return m
}

// fitEM fits a mixture to rows from a partition [n] in number clusters. Missing cells hold draws.
func fitEM(r *rows, labels []int32, number int, nu float64) *em {
	m := newEM(r, number, nu)
	if r.known != nil {
		m.held = r.known.held(labels)
	}
	for i, k := range labels {
		m.shares[k][i] = 1
	}
	m.gatherAll()
	for k := range m.components { // the variance within clusters comes first
		m.weigh(k)
		weight := m.gather.moments(m.weights, m.components[k].mean, m.covariance[k])
		m.sizes[k] = weight
		for d := range m.pool {
			m.pool[d] += m.covariance[k][d*r.dim()+d]
		}
	}
	for d := range m.pool {
		m.pool[d] = m.pool[d]/r.total() + 1e-6
	}
	m.maximize(false)
	m.refine(fitSteps)
	return m
}

func (m *em) refine(steps int) {
	m.expect()
	for range steps {
		m.maximize(true)
		m.expect()
	}
}

func (m *em) gatherAll() {
	m.gather, m.all = newGatherer(m.rows), make([]int32, m.rows.n)
	for i := range m.all {
		m.all[i] = int32(i)
		m.weights[i] = 1
	}
	m.gather.take(m.all, m.weights)
}

// setFactor follows a change of a component's covariance.
func (m *em) setFactor(k int) {
	to, dim := &m.components[k], m.rows.dim()
	clear(to.factor)
	for d := range dim {
		to.factor[d*dim+d] = 1
	}
	upper := m.gapRoom.inner
	to.halfLog = -0.5 * choleskyUpper(m.covariance[k], upper, dim)
	divideUpper(upper, to.factor, dim)
	if m.rows.gapOf != nil {
		to.fillPrecision()
	}
}

// expect computes shares, distances and log densities.
func (m *em) expect() {
	dim := m.rows.dim()
	for k := range m.components {
		to, logs, law := &m.components[k], m.shares[k], &m.tails[dim]
		to.distances(m.rows.columns, m.distances[k])
		base := to.logWeight + to.halfLog
		for i, d := range m.distances[k] {
			logs[i] = base + law.log(d)
		}
		for g := range m.rows.gaps {
			gap := &m.rows.gaps[g]
			d, halfLog := m.gapRoom.observed(m.rows, to, gap)
			m.distances[k][gap.row] = d
			logs[gap.row] = to.logWeight + halfLog + m.tails[dim-len(gap.missing)].log(d)
		}
		for q, codes := range m.rows.codes {
			levels := to.logLevel[m.rows.first[q]:m.rows.first[q+1]]
			for i, code := range codes {
				if code >= 0 {
					logs[i] += levels[code]
				}
			}
		}
	}
	m.normalize()
}

// normalize makes probabilities of the log joint probabilities in shares.
func (m *em) normalize() {
	for i := range m.logDensity {
		best, total := math.Inf(-1), 0.0
		for _, logs := range m.shares {
			best = max(best, logs[i])
		}
		for _, logs := range m.shares {
			logs[i] = math.Exp(logs[i] - best)
			total += logs[i]
		}
		m.logDensity[i] = best + math.Log(total)
		for _, logs := range m.shares {
			logs[i] /= total
		}
	}
	for i, label := range m.held {
		for k, shares := range m.shares {
			if label >= 0 {
				shares[i] = 0
			}
			if int(label) == k {
				shares[i] = 1
			}
		}
	}
}

// weigh sets the weights to the rows' shares in component k times their counts.
func (m *em) weigh(k int) {
	copy(m.weights, m.shares[k])
	if m.rows.known != nil {
		for i, count := range m.rows.known.counts {
			m.weights[i] *= count
		}
	}
}

// maximize fits all components to the shares; measured tells that distances are known, else all u are 1.
func (m *em) maximize(measured bool) {
	total := 0.0
	for k := range m.shares {
		m.weigh(k)
		m.sizes[k] = 0
		for _, weight := range m.weights {
			m.sizes[k] += weight
		}
		total += m.sizes[k] + 0.5
	}
	for k := range m.components {
		m.weigh(k)
		if measured {
			m.scaleWeights(k)
			m.fillCells(k)
		}
		to := &m.components[k]
		to.logWeight = math.Log((m.sizes[k] + 0.5) / total)
		m.gather.moments(m.weights, to.mean, m.covariance[k])
		m.shrink(k, measured)
		m.fitLevels(k)
		m.setFactor(k)
	}
}

// scaleWeights multiplies the weights by the expected u of each row.
func (m *em) scaleWeights(k int) {
	if math.IsInf(m.nu, 1) {
		return
	}
	dim := float64(m.rows.dim())
	for i, d := range m.distances[k] {
		m.weights[i] *= (m.nu + dim) / (m.nu + d)
	}
	for _, gap := range m.rows.gaps {
		m.weights[gap.row] *= (m.nu + dim - float64(len(gap.missing))) / (m.nu + dim)
	}
}

// fillCells gives missing cells their expectation under component k.
func (m *em) fillCells(k int) {
	for g := range m.rows.gaps {
		gap := &m.rows.gaps[g]
		m.gapRoom.observed(m.rows, &m.components[k], gap)
		size := len(gap.missing)
		pull := m.gapRoom.pull[:size]
		solveLowerTransposed(m.gapRoom.inner[:size*size], pull)
		for j, d := range gap.missing {
			m.gather.columns[d][gap.row] = m.components[k].mean[d] - pull[j]
		}
	}
}

// shrink makes of a scatter a covariance with D + 2 pseudo rows around its own variances, or around a part of those
// within all clusters where rows are few. What is unknown of missing cells is added, by the component's last precision.
func (m *em) shrink(k int, measured bool) {
	const part, least = 0.3, 1e-3
	s, dim, n := m.covariance[k], m.rows.dim(), m.sizes[k]
	for g := range m.rows.gaps {
		if measured {
			m.addUnknown(k, &m.rows.gaps[g])
		}
	}
	pseudo := float64(dim + 2)
	for i := range dim {
		own := max(s[i*dim+i]/max(n, 1), least*m.pool[i])
		if n <= float64(dim+1) {
			own = part * m.pool[i]
		}
		s[i*dim+i] += pseudo * own
		for j := range i + 1 {
			s[i*dim+j] /= n + pseudo
		}
	}
}

// addUnknown adds the covariance of a row's missing cells given its present ones, times the row's share.
func (m *em) addUnknown(k int, gap *gap) {
	size, dim := len(gap.missing), m.rows.dim()
	inner, column := m.gapRoom.inner[:size*size], m.gapRoom.pull[:size]
	for i, d := range gap.missing {
		for j, e := range gap.missing[:i+1] {
			inner[i*size+j] = at(m.components[k].precision, dim, d, e)
		}
	}
	cholesky(inner, inner, size)
	share := m.shares[k][gap.row] * m.rows.count(int32(gap.row))
	for j, e := range gap.missing {
		clear(column)
		column[j] = 1
		solveLower(inner, column)
		solveLowerTransposed(inner, column)
		for i := j; i < size; i++ {
			m.covariance[k][gap.missing[i]*dim+e] += share * column[i]
		}
	}
}

// fitLevels estimates the category probabilities of component k, with one pseudo row a level.
func (m *em) fitLevels(k int) {
	for q, codes := range m.rows.codes {
		levels := m.components[k].logLevel[m.rows.first[q]:m.rows.first[q+1]]
		total := float64(len(levels))
		for l := range levels {
			levels[l] = 1
		}
		for i, code := range codes {
			if code >= 0 {
				share := m.shares[k][i] * m.rows.count(int32(i))
				levels[code] += share
				total += share
			}
		}
		for l, count := range levels {
			levels[l] = math.Log(count / total)
		}
	}
}
