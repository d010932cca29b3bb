package mixture

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Checks tells where the clusters of a posterior may be something else than they seem: pieces of one bent or skewed
// group, or stretches of a series. Clusters of outlying rows (fewer than LeastRows) take no part. Categories decide
// which cluster a row is in, and which components count between two centres (see valley); they have no density and no
// residuals of their own.
type Checks struct {
	Groups    []int   // [clusters of Labels], the group of each, from 0 as they come; −1 for outlying rows
	Separated int     // G, the number of groups; fewer than clusters tell that valleys are missing
	Order     float64 // chance of rows in random order to be as much like the rows before them in their clusters
}

// MostOrderChance is the chance at which neighbouring rows are alike.
const MostOrderChance = 0.001

const (
	checkedRows = 2000 // of a large table, in runs of successive ones
	checkedRun  = 250
)

// Unseparated returns the groups of at least two clusters: between those no valley was found.
func (c *Checks) Unseparated() (joined [][]int) {
	groups := make([][]int, c.Separated)
	for k, g := range c.Groups {
		if g >= 0 {
			groups[g] = append(groups[g], k)
		}
	}
	for _, g := range groups {
		if len(g) > 1 {
			joined = append(joined, g)
		}
	}
	return joined
}

// Alike reports whether neighbouring rows are alike more than chance makes them: the table is a series, or is sorted by
// more than its clusters.
func (c *Checks) Alike() bool { return c.Order <= MostOrderChance }

// Check looks for faults of the clusters of a table's posterior. Of large tables it looks at 2,000 rows. One seed gives
// the same answer.
func Check(table Table, p *Posterior, seed uint64) (*Checks, error) {
	if err := table.Validate(); err != nil {
		return nil, err
	}
	if len(p.Labels) != table.Rows {
		return nil, fmt.Errorf("the table has %d rows, its posterior %d", table.Rows, len(p.Labels))
	}
	m := p.Fit.on(p.Fit.encode(table.runs(checkedRows, checkedRun), true))
	m.rng = newRandom(seed, 0x636865636b)
	m.expect()
	if len(m.rows.gaps) > 0 {
		m.drawCells()
		m.rows.gaps, m.rows.gapOf = nil, nil
		m.expect()
	}
	checks, counted := &Checks{}, countedOf(p.Labels, len(p.Fit.Clusters))
	checks.Groups, checks.Separated = m.groups(counted)
	checks.Order = m.orderChance(counted)
	return checks, nil
}

// countedOf tells which clusters are more than outlying rows; the largest always is.
func countedOf(labels []int32, number int) []bool {
	sizes, counted := make([]int, number), make([]bool, number)
	for _, k := range labels {
		sizes[k]++
	}
	for k, size := range sizes {
		counted[k] = size >= min(LeastRows(len(labels)), slices.Max(sizes))
	}
	return counted
}

// orderChance compares the rows of each cluster with the rows before them by von Neumann's ratio: the mean squared
// difference of successive rows over the variance, which is 2 ± 2/√n in random order.
func (m *em) orderChance(counted []bool) float64 {
	excess, variance := 0.0, 0.0
	nearest := make([][]int, len(m.components))
	for i := range m.rows.n {
		k := m.nearest(i)
		nearest[k] = append(nearest[k], i)
	}
	for k, rows := range nearest {
		if !counted[k] || len(rows) < 3 {
			continue
		}
		for d := range m.rows.dim() {
			column := m.residuals(k, d, rows)
			sum := 0.0
			for i, x := range column[1:] {
				x -= column[i]
				sum += x * x
			}
			excess += sum - 2*floats.Dot(column, column)
			variance += 4 * float64(len(rows))
		}
	}
	if variance == 0 {
		return 1
	}
	return distuv.UnitNormal.CDF(excess / math.Sqrt(variance))
}

// residuals returns the coordinates of rows along the d-th axis of component k, bounded where tails are heavy, with
// mean 0 and variance 1.
func (m *em) residuals(k, d int, rows []int) []float64 {
	dim, of, out := m.rows.dim(), &m.components[k], make([]float64, len(rows))
	for j, i := range rows {
		for e := d; e < dim; e++ {
			out[j] += of.factor[e*dim+d] * (m.rows.columns[e][i] - of.mean[e])
		}
		if !math.IsInf(m.nu, 1) {
			out[j] *= math.Sqrt((m.nu + float64(dim)) / (m.nu + m.distances[k][i]))
		}
	}
	mean, deviation := stat.PopMeanStdDev(out, nil)
	for j := range out {
		out[j] = (out[j] - mean) / max(deviation, math.SmallestNonzeroFloat64)
	}
	return out
}
