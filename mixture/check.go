package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Checks tells whether clusters may be parts of one bent or skewed group, or segments of a time series. Clusters of
// outlying rows are left out. Categories only decide which cluster a row is in, and how much a component counts between
// two centres (see valley).
type Checks struct {
	Score     bool    // there are no numbers, only categories: scoreValley looks for valleys
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
	checks.Groups, checks.Separated = m.groups(counted)
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

// Two clusters are joined if the density between them is at least pairValley times that at the less dense end, and they
// overlap by pairOverlap. Three and more are joined if each link of a chain between them has chainValley and
// chainOverlap.
const (
	pairValley   = 0.65
	pairOverlap  = 0.03 // share of a cluster's mass in rows of the other; it keeps nested clusters apart
	chainValley  = 0.3
	chainOverlap = 0.02
	ridgePoints  = 21
)

// groups joins the clusters that no valley separates (Ray & Lindsay 2005, Hennig 2010).
func (m *em) groups(counted []bool) (groups []int, number int) {
	k := len(m.components)
	near, linked := sets(upTo(0, k)), sets(upTo(0, k))
	mass := m.shared()
	for a := range k {
		for b := range a {
			overlap := max(mass[a][b], mass[b][a])
			if !counted[a] || !counted[b] || overlap < chainOverlap {
				continue
			}
			v := m.valley(a, b)
			if v >= chainValley {
				linked.join(a, b)
			}
			if v >= pairValley && overlap >= pairOverlap {
				near.join(a, b)
			}
		}
	}
	sizes := make([]int, k)
	for a := range k {
		sizes[linked.of(a)]++
	}
	names := map[int]int{}
	for a := range k {
		if first := linked.of(a); sizes[first] > 2 {
			near.join(a, first)
		}
	}
	for a := range k {
		group := -1
		if set := near.of(a); counted[a] {
			if _, known := names[set]; !known {
				names[set] = len(names)
			}
			group = names[set]
		}
		groups = append(groups, group)
	}
	return groups, len(names)
}

// shared returns, as [a][b], the share of the mass of cluster a that lies in rows of cluster b.
func (m *em) shared() [][]float64 {
	k := len(m.components)
	mass := grid(k, k)
	for i := range m.n {
		z := m.nearest(i)
		for a, shares := range m.shares {
			mass[a][z] += shares[i]
		}
	}
	for _, of := range mass {
		floats.Scale(1/max(floats.Sum(of), 1), of)
	}
	return mass
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

// valley returns the least density of the mixture on the ridge between the centres of a and b, divided by the density
// at the less dense end. Without a valley it returns 1. Components with other categories than a and b count less.
// Without numbers it returns scoreValley.
func (m *em) valley(a, b int) float64 {
	if m.dim() == 0 {
		return m.scoreValley(a, b)
	}
	at := m.ridge(a, b)
	logs, distances := make([][]float64, ridgePoints), make([]float64, ridgePoints)
	law := &m.tails[m.dim()]
	for k := range m.components {
		to := &m.components[k]
		to.distances(at, 0, distances)
		base := to.logWeight + to.halfLog + floats.LogSumExp([]float64{m.likeness(a, k), m.likeness(b, k)})
		for i, d := range distances {
			logs[i] = append(logs[i], base+law.log(d))
		}
	}
	heights := distances
	for i, components := range logs {
		heights[i] = floats.LogSumExp(components)
	}
	return math.Exp(floats.Min(heights) - min(heights[0], heights[ridgePoints-1]))
}

// scoreValley returns the valley between the rows of a and b in their log-likelihood ratio, which separates a from b
// best. Classes that differ in several categories have a valley there; levels of one trait, such as an ability, have
// none. A cluster that is most probable in no row has a valley towards all clusters but the one whose rows hold most of
// its mass.
func (m *em) scoreValley(a, b int) float64 {
	var scores []float64
	var labels []int32
	from, to := &m.components[a], &m.components[b]
	for i := range m.n {
		k := m.nearest(i)
		if k != a && k != b {
			continue
		}
		score := 0.0
		for q, codes := range m.codes {
			if codes[i] >= 0 {
				level := m.first[q] + int(codes[i])
				score += from.logLevel[level] - to.logLevel[level]
			}
		}
		label := int32(0)
		if k == b {
			label = 1
		}
		scores, labels = append(scores, score), append(labels, label)
	}
	ofRowless := func(k, other int) float64 {
		if floats.MaxIdx(m.shared()[k]) == other {
			return 1
		}
		return 0
	}
	switch {
	case !slices.Contains(labels, 0):
		return ofRowless(a, b)
	case !slices.Contains(labels, 1):
		return ofRowless(b, a)
	}
	return fitColumn(scores, labels).valley(0, 1)
}

// likeness returns the log probability that a row of a and a row of k agree in all categories.
func (m *em) likeness(a, k int) (sum float64) {
	for q := range m.variables() {
		first, last := m.first[q], m.first[q+1]
		same := 0.0
		for l := first; l < last; l++ {
			same += math.Exp(m.components[a].logLevel[l] + m.components[k].logLevel[l])
		}
		sum += math.Log(same)
	}
	return sum
}

// ridge returns points [D][ridgePoints] from the centre of a to the centre of b, on the curve that holds all extrema of
// any mixture of a and b.
func (m *em) ridge(a, b int) [][]float64 {
	dim, from, to := m.dim(), &m.components[a], &m.components[b]
	out, precisions, both := grid(dim, ridgePoints), grid(2, dim*dim), make([]float64, dim*dim)
	point, pull := make([]float64, dim), make([]float64, dim)
	addProduct(precisions[0], 1, general(from.factor, dim))
	addProduct(precisions[1], 1, general(to.factor, dim))
	blas64.Symv(1, symmetric(precisions[1], dim), vector(floats.SubTo(point, to.mean, from.mean)), 0, vector(pull))
	for i := range ridgePoints {
		t := float64(i) / (ridgePoints - 1)
		floats.ScaleTo(both, 1-t, precisions[0])
		floats.AddScaled(both, t, precisions[1])
		floats.ScaleTo(point, t, pull)
		cholesky(both, both, dim)
		solveLower(both, point)
		solveLowerTransposed(both, point)
		for d, x := range point {
			out[d][i] = from.mean[d] + x
		}
	}
	return out
}
