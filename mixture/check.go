package mixture

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Checks tells where the clusters of a posterior may be something else than they seem: pieces of one bent or skewed
// group, of a shape that the mixture does not have, or stretches of a series. Clusters of outlying rows (fewer than
// LeastRows) take no part. Categories decide which cluster a row is in, and which components count between two
// centres (see valley); they have no density and no residuals of their own.
type Checks struct {
	Groups    []int // [clusters of Labels], the group of each, from 0 as they come; −1 for outlying rows
	Separated int   // G, the number of groups; fewer than clusters tell that valleys are missing
	Shape     ShapeCheck
	Order     float64 // chance of rows in random order to be as much like the rows before them in their clusters
}

// MostOrderChance is the chance at which neighbouring rows are alike.
const MostOrderChance = 0.001

const (
	checkedRows = 2000 // of a large table, in runs of successive ones
	checkedRun  = 250
	shapeRows   = 1000 // most that are compared with sets drawn from the mixture
	fewestRows  = 300  // at least
	shapeWork   = 6e6  // rows × clusters × squared columns: about a second for all sets
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

// Check looks for faults of the clusters of a table's posterior. Of large tables it looks at some thousand rows. One
// seed gives the same answer. A cancelled context returns its error.
func Check(ctx context.Context, table Table, p *Posterior, seed uint64) (*Checks, error) {
	if err := table.Validate(); err != nil {
		return nil, err
	}
	if len(p.Labels) != table.Rows {
		return nil, fmt.Errorf("the table has %d rows, its posterior %d", table.Rows, len(p.Labels))
	}
	c := &checker{fit: p.Fit, counted: countedOf(p.Labels, len(p.Fit.Clusters)), rng: newRandom(seed, 0x636865636b)}
	m := c.on(table.runs(checkedRows, checkedRun))
	checks := &Checks{Order: 1, Shape: noShape}
	checks.Groups, checks.Separated = c.groups(m)
	if c.fit.dim == 0 {
		return checks, nil
	}
	checks.Order = c.orderChance(m)
	if most := c.shapeRows(); most < m.rows.n {
		m = c.on(table.runs(most, 1))
	}
	var err error
	checks.Shape, err = c.checkShape(ctx, m)
	return checks, err
}

// shapeRows is how many rows are compared with sets drawn from the mixture.
func (c *checker) shapeRows() int {
	const fixed = 50 // products a row and cluster, besides those of columns
	row := len(c.fit.Clusters) * (c.fit.dim*c.fit.dim + fixed)
	return max(fewestRows, min(shapeRows, shapeWork/row))
}

// checker is what the checks of one posterior share.
type checker struct {
	fit     *Fit
	counted []bool // [K], not outlying rows
	rng     random
}

// countedOf tells which clusters are more than outlying rows; the largest always is.
func countedOf(labels []int32, number int) []bool {
	sizes, largest := make([]int, number), 0
	for _, k := range labels {
		if sizes[k]++; sizes[k] > sizes[largest] {
			largest = int(k)
		}
	}
	counted := make([]bool, number)
	for k, size := range sizes {
		counted[k] = size >= LeastRows(len(labels)) || k == largest
	}
	return counted
}

// on returns the fitted mixture on rows of the table, with their shares and with their missing cells drawn.
func (c *checker) on(t Table) *em {
	m := c.fit.on(c.fit.encoder.encode(t, true))
	m.expect()
	if len(m.rows.gaps) == 0 {
		return m
	}
	m.drawCells()
	m.rows.gaps, m.rows.gapOf = nil, nil
	m.expect()
	return m
}

// orderChance compares the rows of each cluster with the rows before them by von Neumann's ratio: the mean squared
// difference of successive rows over the variance, which is 2 ± 2/√n in random order.
func (c *checker) orderChance(m *em) float64 {
	excess, variance := 0.0, 0.0
	for k, rows := range m.nearestRows() {
		if !c.counted[k] || len(rows) < 3 {
			continue
		}
		for _, column := range m.residuals(k, rows) {
			sum := 0.0
			for i, x := range column[1:] {
				x -= column[i]
				sum += x * x
			}
			excess += sum - 2*dot(column, column)
			variance += 4 * float64(len(rows))
		}
	}
	if variance == 0 {
		return 1
	}
	return distuv.UnitNormal.CDF(excess / math.Sqrt(variance))
}
