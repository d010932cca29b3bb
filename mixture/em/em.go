package em

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Nearest returns the most probable component of a row.
func (m *EM) Nearest(i int) (best int) {
	for k, shares := range m.Shares {
		if shares[i] > m.Shares[best][i] {
			best = k
		}
	}
	return best
}

// EM is a mixture of t distributions whose parameters are fitted to rows by expectation-maximization. Cells may be
// missing.
type EM struct {
	*Part
	Nu         float64
	Tails      []Tail // [D+1], by the number of present cells
	Components []Component
	Covariance [][]float64 // [K][D·D], lower triangle
	Sizes      []float64   // [K], Σ shares
	Shares     [][]float64 // [K][n], probability of the component given the row
	Distances  [][]float64 // [K][n], squared, of present cells
	pool       []float64   // [D], variance within clusters
	related    []float64   // [D·D], lower triangle, correlations within clusters, shrunk
	added      []float64   // [D], variances of the pseudo rows of a component

	held  []int32   // [n], fixed labels, −1 for free rows; nil if all are free
	parts []float64 // [n], weights in one component
	upper []float64
	Rng   Random // for missing cells
}

const fitSteps = 6 // EM steps when a point estimate is refitted

// New returns a mixture of number components, without parameters yet.
func New(p *Part, number int, nu float64) *EM {
	dim := p.Dim()
	m := &EM{
		Part: p, Nu: nu, Tails: NewTails(nu, dim), Sizes: make([]float64, number), pool: make([]float64, dim),
		Shares: Grid(number, p.N), Distances: Grid(number, p.N), Covariance: Grid(number, dim*dim),
		parts: make([]float64, p.N), upper: make([]float64, dim*dim),
		added: make([]float64, dim), Rng: NewRandom(uint64(number), 0x656d),
	}
	for range number {
		m.Components = append(m.Components, NewComponent(dim, p.Levels()))
	}
	return m
}

// Take makes the members the rows that are fitted, with the weights u.
func (m *EM) Take(members []int32, u []float64) {
	m.Part.take(members, u)
	for k := range m.Shares {
		m.Shares[k], m.Distances[k] = m.Shares[k][:len(members)], m.Distances[k][:len(members)]
	}
}

// Fit fits a mixture to rows from a partition [n] in number clusters.
func Fit(r *Rows, labels, held []int32, number int, nu float64) *EM {
	m := New(r.All(), number, nu)
	m.held = held
	for i, k := range labels {
		m.Shares[k][i] = 1
	}
	m.PoolScatter()
	m.Maximize(false)
	m.Expect()
	for range fitSteps {
		m.DrawCells()
		m.Maximize(true)
		m.Expect()
	}
	return m
}

// PoolScatter finds the variances and correlations within clusters, which shrink needs.
func (m *EM) PoolScatter() {
	dim := m.Dim()
	m.related = make([]float64, dim*dim)
	for k := range m.Components {
		m.weigh(k, false)
		m.moments(m.parts, m.Components[k].Mean, m.Covariance[k])
		floats.Add(m.related, m.Covariance[k])
	}
	for d := range m.pool {
		m.pool[d] = m.related[d*dim+d]/float64(m.N) + 1e-6
	}
	for i := range dim {
		for j := range i {
			m.related[i*dim+j] /= (float64(m.N) + m.pseudo()) * math.Sqrt(m.pool[i]*m.pool[j])
		}
	}
}

// pseudo returns the number of pseudo rows of a component.
func (m *EM) pseudo() float64 { return float64(m.Dim() + 2) }

// DrawCells draws a component for each row with missing cells, sets its share to 1, and draws the cells from it.
func (m *EM) DrawCells() {
	logs := make([]float64, len(m.Components))
	m.Rows.DrawCells(m.Rng, func(gap *Gap) (*Component, float64) {
		for k, shares := range m.Shares {
			logs[k] = math.Log(shares[gap.Row])
		}
		k := m.Rng.Pick(logs)
		for j, shares := range m.Shares {
			shares[gap.Row] = 0
			if j == k {
				shares[gap.Row] = 1
			}
		}
		u := m.Rng.RowScale(m.Nu, m.Distances[k][gap.Row], m.Dim()-len(gap.Missing))
		return &m.Components[k], 1 / math.Sqrt(u)
	})
}

// Expect computes shares and distances from the parameters.
func (m *EM) Expect() {
	for k := range m.Components {
		to := &m.Components[k]
		to.Distances(m.Columns, 0, m.Distances[k])
		floats.Mul(m.Distances[k], m.Weights)
		to.Join(&m.Rows, m.Tails, 0, m.Distances[k], m.Shares[k])
	}
	m.normalize()
}

// normalize turns the log joint probabilities in shares into probabilities.
func (m *EM) normalize() {
	for i := range m.N {
		best, total := math.Inf(-1), 0.0
		for _, logs := range m.Shares {
			best = max(best, logs[i])
		}
		for _, logs := range m.Shares {
			logs[i] = math.Exp(logs[i] - best)
			total += logs[i]
		}
		for _, logs := range m.Shares {
			logs[i] /= total
		}
	}
	for i, label := range m.held {
		if label >= 0 {
			for _, shares := range m.Shares {
				shares[i] = 0
			}
			m.Shares[label][i] = 1
		}
	}
}

// weigh sets parts to the rows' weights times their shares in component k. If distances are measured and the rows have
// t distributions, the expected u of each row is a further factor.
func (m *EM) weigh(k int, measured bool) {
	m.parts = floats.MulTo(m.parts[:m.N], m.Shares[k], m.Weights)
	if measured && !math.IsInf(m.Nu, 1) {
		for i, d := range m.Distances[k] {
			m.parts[i] *= (m.Nu + float64(m.Dim())) / (m.Nu + d)
		}
	}
}

// Maximize fits all components to the shares. measured tells whether distances are known; if not, unknown u are 1.
func (m *EM) Maximize(measured bool) {
	total := 0.0
	for k, shares := range m.Shares {
		m.Sizes[k] = floats.Sum(shares)
		total += m.Sizes[k] + 0.5
	}
	for k := range m.Components {
		m.weigh(k, measured)
		to := &m.Components[k]
		to.LogWeight = math.Log((m.Sizes[k] + 0.5) / total)
		m.moments(m.parts, to.Mean, m.Covariance[k])
		m.shrink(k)
		m.fitLevels(k)
		m.SetFactor(k)
	}
}

// shrink turns the scatter of component k into a covariance, shrunk by pseudo rows. They have the component's own
// variances, or for few rows a part of the variances within clusters. Their correlations lie between the component's
// own and those within all clusters: without correlations they would widen a thin oblique cluster, and rows would move
// to another one.
func (m *EM) shrink(k int) {
	const part, least = 0.3, 1e-3
	s, dim, n, pseudo := m.Covariance[k], m.Dim(), m.Sizes[k], m.pseudo()
	own := n / (n + pseudo) // share of the component's own correlations
	for d := range dim {
		if n <= float64(dim+1) {
			m.added[d], own = pseudo*part*m.pool[d], 0
		} else {
			m.added[d] = pseudo * max(s[d*dim+d]/n, least*m.pool[d])
		}
	}
	m.relate(s, own)
	for i := range dim {
		s[i*dim+i] += m.added[i]
		for j := range i + 1 {
			s[i*dim+j] /= n + pseudo
		}
	}
}

// relate adds the products of the pseudo rows to a scatter s. own is the share of the scatter's own correlations.
func (m *EM) relate(s []float64, own float64) {
	dim := m.Dim()
	for i := range dim {
		for j := range i {
			at := i*dim + j
			correlation := s[at] / math.Sqrt(max(s[i*dim+i]*s[j*dim+j], math.SmallestNonzeroFloat64))
			s[at] += math.Sqrt(m.added[i]*m.added[j]) * (own*correlation + (1-own)*m.related[at])
		}
	}
}

// SetFactor computes the factor of a component, and what depends on it, from its covariance.
func (m *EM) SetFactor(k int) {
	to, dim := &m.Components[k], m.Dim()
	clear(to.Factor)
	for d := range dim {
		to.Factor[d*dim+d] = 1
	}
	to.HalfLog = -0.5 * CholeskyUpper(m.Covariance[k], m.upper, dim)
	DivideUpper(m.upper, to.Factor, dim)
	if m.GapOf != nil {
		to.FillPrecision()
	}
}

// fitLevels estimates the category probabilities of component k, with one pseudo row for each level.
func (m *EM) fitLevels(k int) {
	for q, codes := range m.Codes {
		levels := m.Components[k].LogLevel[m.First[q]:m.First[q+1]]
		total := float64(len(levels))
		for l := range levels {
			levels[l] = 1
		}
		for i, code := range codes {
			if code >= 0 {
				levels[code] += m.Shares[k][i]
				total += m.Shares[k][i]
			}
		}
		for l, count := range levels {
			levels[l] = math.Log(count / total)
		}
	}
}
