package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Checks tells whether clusters may be parts of one bent or skewed group, or segments of a time series. Clusters of
// outlying rows are left out. Categories only decide which cluster a row is in, and how much a component counts between
// two centres (valley.go).
type Checks struct {
	Score     bool    // there are no numbers, only categories: see valleys.score
	Groups    []int   // [clusters of Labels], the group of each, from 0 by first appearance; −1 for outlying rows
	Separated int     // G, the number of groups; fewer than the clusters if valleys are missing
	Order     float64 // p-value: probability that rows in random order are as similar to the rows before them
	Ties      []Tie   // one for each column with clusters of one value, in the order of the columns
}

// Tie is a column of numbers in which nearly all rows of some clusters have one value, such as a code or a default. The
// value is not a heap at an end of a scale (rounded.go).
type Tie struct {
	Column   int
	Clusters []int
	Values   []float64 // of each of these clusters
}

const (
	mostOrderChance = 0.001 // p-value up to which neighbouring rows count as similar
	checkedRows     = 2000  // of a large table, in runs of successive ones
	checkedRun      = 250
)

// Unseparated returns the groups of two or more clusters: no valley separates the clusters of a group.
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

// Alike reports whether neighbouring rows are more similar than by chance: the table is a series, or is sorted by more
// than its clusters.
func (c *Checks) Alike() bool { return c.Order <= mostOrderChance }

// check looks for faults of the clusters that are counted. It reads at most 2,000 rows of the table.
func (f *Fit) check(table Table, counted []bool, seed uint64) *Checks {
	m := f.on(f.encode(table.runs(checkedRows, checkedRun), true))
	m.rng = newRandom(seed, 0x636865636b)
	m.expect()
	m.drawCells()
	m.gaps, m.gapOf = nil, nil
	m.expect()
	checks := &Checks{Score: m.dim() == 0}
	checks.Groups, checks.Separated = newValleys(m).groups(counted)
	checks.Order = m.orderChance(counted)
	return checks
}

// ties lists the columns in which counted clusters have nearly one value, while the whole table has several.
func (e *encoder) ties(t Table, labels []int32, counted []bool) (all []Tie) {
	const nearly, fewest = 0.9, 5 // of the rows; values in a cluster, at least half of its rows
	for _, n := range e.Numbers {
		column, tie := t.column(n.Column), Tie{Column: n.Column}
		if _, share := mode(column); share >= nearly || n.Zeros {
			continue
		}
		atEnd := func(value float64) bool { return value == n.heaps[0] || value == n.heaps[1] }
		cells := make([][]float64, len(counted)) // of each cluster
		for i, label := range labels {
			cells[label] = append(cells[label], column[i])
		}
		for k, counts := range counted {
			there := len(present(cells[k]))
			value, share := mode(cells[k])
			if counts && !atEnd(value) && share >= nearly && there >= max(fewest, len(cells[k])/2) {
				tie.Clusters, tie.Values = append(tie.Clusters, k), append(tie.Values, value)
			}
		}
		if len(tie.Clusters) > 0 {
			all = append(all, tie)
		}
	}
	return all
}

// mode returns the most frequent value, and its share of all values; missing ones count in neither.
func mode(values []float64) (value, share float64) {
	values = present(values)
	value, count := stat.Mode(values, nil)
	return value, count / float64(max(len(values), 1))
}

// orderChance compares the rows of each cluster with the rows before them and returns Checks.Order. It uses von
// Neumann's ratio, the mean squared difference of successive rows over the variance, which is 2 ± 2/√n in random order.
func (m *em) orderChance(counted []bool) float64 {
	excess, variance := 0.0, 0.0
	nearest := make([][]int, len(m.components))
	for i := range m.n {
		k := m.nearest(i)
		nearest[k] = append(nearest[k], i)
	}
	for k, rows := range nearest {
		if !counted[k] || len(rows) < 3 {
			continue
		}
		for d := range m.dim() {
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

// residuals returns the coordinates of rows along the d-th axis of component k, with mean 0 and variance 1. Heavy tails
// are bounded.
func (m *em) residuals(k, d int, rows []int) []float64 {
	dim, of, out := m.dim(), &m.components[k], make([]float64, len(rows))
	for j, i := range rows {
		for e := d; e < dim; e++ {
			out[j] += of.factor[e*dim+d] * (m.columns[e][i] - of.mean[e])
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

// nearest returns the most probable component of a row.
func (m *em) nearest(i int) (best int) {
	for k, shares := range m.shares {
		if shares[i] > m.shares[best][i] {
			best = k
		}
	}
	return best
}
