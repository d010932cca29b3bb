package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// Checks tells whether clusters may be parts of one bent or skewed group, several groups, or segments of a time series.
// Clusters of outlying rows are left out. Categories only decide which cluster a row is in, and how much a component
// counts between two centres (valley.go).
type Checks struct {
	Score     bool         // there are no numbers, only categories: see valleys.score
	Groups    []int        // [clusters of Labels], the group of each, from 0 by first appearance; −1 for outlying rows
	Separated int          // G, the number of groups; fewer than the clusters if valleys are missing
	Order     float64      // p-value: probability that rows in random order are as similar to the rows before them
	Ties      []tables.Tie // one for each column with clusters of one value, in the order of the columns
	Humps     []Hump       // by clusters, then columns
}

// Hump is a column of numbers in which the rows of one cluster form several groups: there may be more clusters.
type Hump struct{ Cluster, Column int }

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

// Check looks for faults of the clusters that are counted. It reads at most 2,000 rows of the table.
func (f *Mixture) Check(table tables.Table, counted []bool, seed uint64) *Checks {
	m := f.on(f.Encode(table.Runs(checkedRows, checkedRun), true))
	m.Rng = em.NewRandom(seed, 0x636865636b)
	m.Expect()
	m.DrawCells()
	m.Gaps, m.GapOf = nil, nil
	m.Expect()
	checks := &Checks{Score: m.Dim() == 0}
	v := newValleys(m)
	checks.Groups, checks.Separated = v.groups(counted)
	nearest := make([][]int, len(m.Components)) // rows of each counted cluster
	for i, k := range v.labels {
		if counted[k] {
			nearest[k] = append(nearest[k], i)
		}
	}
	checks.Order = orderChance(m, nearest)
	if f.Projection == nil {
		checks.Humps = f.humps(m, nearest)
	}
	return checks
}

// humps lists the columns in which the rows of a cluster have several humps with a deep valley between them. Censored
// cells are left out: equal values at an end of a scale are no hump. Between heaps of ages there are no deep valleys.
func (f *Mixture) humps(m *em.EM, clusters [][]int) (all []Hump) {
	tests := m.Dim() * len(clusters)
	for k, rows := range clusters {
		for d, column := range m.Columns {
			values := em.Pick(column, m.Uncensored(d, rows))
			slices.Sort(values)
			if len(values) > 0 && em.Bimodal(values, tests) && em.HasValley(values, tests) {
				all = append(all, Hump{k, f.Numbers[d].Column})
			}
		}
	}
	return all
}

// orderChance compares the rows of each cluster with the rows before them and returns Checks.Order. It uses von
// Neumann's ratio, the mean squared difference of successive rows over the variance, which is 2 ± 2/√n in random order.
func orderChance(m *em.EM, clusters [][]int) float64 {
	excess, variance := 0.0, 0.0
	for k, rows := range clusters {
		if len(rows) < 3 {
			continue
		}
		for d := range m.Dim() {
			column := residuals(m, k, d, rows)
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
func residuals(m *em.EM, k, d int, rows []int) []float64 {
	dim, of, out := m.Dim(), &m.Components[k], make([]float64, len(rows))
	for j, i := range rows {
		for e := d; e < dim; e++ {
			out[j] += of.Factor[e*dim+d] * (m.Columns[e][i] - of.Mean[e])
		}
		if !math.IsInf(m.Nu, 1) {
			out[j] *= math.Sqrt((m.Nu + float64(dim)) / (m.Nu + m.Distances[k][i]))
		}
	}
	mean, deviation := stat.PopMeanStdDev(out, nil)
	for j := range out {
		out[j] = (out[j] - mean) / max(deviation, math.SmallestNonzeroFloat64)
	}
	return out
}
