package mixture

import (
	"context"
	"fmt"
	"math"
)

// Checks tells where the clusters of a posterior may be something else than they seem: pieces of one bent or skewed
// group, of a shape that the mixture does not have, or stretches of a series. Clusters of outlying rows (fewer than
// LeastRows) take no part. Categories decide which cluster a row is in, and which components count between two
// centres (see valley); they have no density and no residuals of their own.
type Checks struct {
	Groups    []int // [clusters of Labels], the group of each, from 0 as they come; −1 for outlying rows
	Separated int   // G, the number of groups; fewer than clusters tell that valleys are missing
	Shape     ShapeCheck
	Order     OrderCheck
}

const (
	overlapRows = 5000 // of a large table that the overlap of clusters is taken from
	shapeRows   = 1000 // most that are compared with sets drawn from the mixture
	fewestRows  = 300  // at least
	shapeWork   = 6e6  // rows × clusters × squared columns: about a second for all sets
	orderRows   = 2000 // whose order is looked at, in runs of successive ones
	orderRun    = 250
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
	c.fillRoots()
	checks := &Checks{}
	checks.Groups, checks.Separated = c.groups(c.on(table.runs(overlapRows, 1)))
	if c.fit.dim == 0 {
		checks.Shape, checks.Order = noShape, noOrder
		return checks, nil
	}
	var err error
	if checks.Shape, err = c.checkShape(ctx, c.complete(c.on(table.runs(c.shapeRows(), 1)))); err != nil {
		return nil, err
	}
	checks.Order, err = c.checkOrder(ctx, c.complete(c.on(table.runs(orderRows, orderRun))))
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
	counted []bool      // [K], not outlying rows
	roots   [][]float64 // [K][D·D], Cholesky factors of the covariances
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

// runs returns at most most rows, in evenly spaced runs of length successive ones.
func (t Table) runs(most, length int) Table {
	if t.Rows <= most {
		return t
	}
	out, number := Table{Categories: make([]Category, len(t.Categories))}, most/length
	for k := range number {
		lo := k * (t.Rows - length) / max(number-1, 1)
		part := t.part(lo, lo+length)
		out.Rows += part.Rows
		out.Numbers = append(out.Numbers, part.Numbers...)
		for q, c := range part.Categories {
			out.Categories[q].Levels = c.Levels
			out.Categories[q].Codes = append(out.Categories[q].Codes, c.Codes...)
		}
	}
	return out
}

// on returns the fitted mixture on rows of the table, with their shares.
func (c *checker) on(t Table) *em {
	m := c.fit.on(c.fit.encoder.encode(t, true))
	m.expect()
	return m
}

// complete returns the mixture on the same rows with their missing cells drawn from it.
func (c *checker) complete(m *em) *em {
	r := m.rows
	if len(r.gaps) == 0 {
		return m
	}
	logs := make([]float64, len(m.components))
	for i := range r.gaps {
		gap := &r.gaps[i]
		for k, shares := range m.shares {
			logs[k] = math.Log(shares[gap.row])
		}
		k, missing := c.rng.pick(logs), len(gap.missing)
		to := &m.components[k]
		distance, _ := m.gapRoom.observed(r, to, gap)
		spread, pull := c.rowScale(distance, r.dim()-missing), m.gapRoom.pull[:missing]
		for j := range pull {
			pull[j] = spread*c.rng.NormFloat64() - pull[j]
		}
		solveLowerTransposed(m.gapRoom.inner[:missing*missing], pull)
		for j, d := range gap.missing {
			r.columns[d][gap.row] = to.mean[d] + pull[j]
		}
	}
	full := c.fit.on(&rows{n: r.n, columns: r.columns, codes: r.codes, first: r.first})
	full.expect()
	return full
}
