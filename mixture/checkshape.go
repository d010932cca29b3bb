package mixture

import (
	"context"
	"math"
)

// ShapeCheck compares the table with sets drawn from the mixture and fitted alike.
type ShapeCheck struct {
	Chance  float64 // of such a set to depart as much as the table; 1 where nothing can be compared
	Fault   Fault   // what departs most
	Cluster int     // it is about, or −1
	Column  int     // of numbers, it is about, or −1
}

// Fault is a way in which rows depart from a mixture.
type Fault int

// The faults of shape.
const (
	Skewed      Fault = iota // a cluster has a longer tail to one side
	SkewedAll                // the clusters together
	HeavyTails               // a cluster has more rows far out
	LightTails               // a cluster ends sharply
	ColumnShape              // the law of a column, or of a sum of columns
	Distances                // the law of the distances from the centres
	faults
)

// MostShapeChance is the chance at which the shape of clusters is in doubt.
const MostShapeChance = 0.02

// InDoubt reports whether the table departs from the mixture more than chance does.
func (s ShapeCheck) InDoubt() bool { return s.Chance <= MostShapeChance }

const (
	shapeSets  = 100 // that are drawn
	directions = 12  // besides the axes
)

var noShape = ShapeCheck{Chance: 1, Cluster: -1, Column: -1}

// departure is how far rows depart from their mixture, by fault.
type departure struct {
	size    [faults]float64
	cluster [faults]int
	column  int // of the rows, or a direction
}

// checkShape draws sets from the fit, refits it to each and to the rows, and compares the departures: each over its
// spread among the sets, and of these the largest.
func (c *checker) checkShape(ctx context.Context, m *em) (ShapeCheck, error) {
	p := c.newShapePanel()
	own := p.of(c.refit(m.rows))
	sets := make([]departure, shapeSets)
	for b := range sets {
		if err := ctx.Err(); err != nil {
			return ShapeCheck{}, err
		}
		sets[b] = p.of(c.refit(c.draw(m.rows)))
	}
	var mean, spread [faults]float64
	for f := range faults {
		for _, s := range sets {
			mean[f] += s.size[f] / shapeSets
		}
		for _, s := range sets {
			spread[f] += (s.size[f] - mean[f]) * (s.size[f] - mean[f]) / shapeSets
		}
	}
	worst := func(d departure) (at Fault, most float64) {
		most = math.Inf(-1)
		for f := range faults {
			if z := (d.size[f] - mean[f]) / math.Sqrt(spread[f]); z > most { // never where no cluster has enough rows
				at, most = f, z
			}
		}
		return at, most
	}
	fault, most := worst(own)
	out := ShapeCheck{Fault: fault, Cluster: own.cluster[fault], Column: -1}
	if fault == ColumnShape && own.column < c.fit.dim {
		out.Column = c.fit.encoder.numbers[own.column].column
	}
	beyond := 1.0
	for _, s := range sets {
		if _, z := worst(s); z >= most {
			beyond++
		}
	}
	out.Chance = beyond / (shapeSets + 1)
	return out, nil
}

// refit fits the mixture to rows by a few steps from the posterior's.
func (c *checker) refit(r *rows) *em {
	m := c.fit.on(r)
	for k := range m.components {
		for d := range m.pool {
			m.pool[d] += m.covariance[k][d*r.dim()+d] * math.Exp(m.components[k].logWeight)
		}
	}
	m.gatherAll()
	m.refine(fitSteps)
	return m
}

// shapePanel measures departures.
type shapePanel struct {
	counted    []bool
	directions [][]float64 // axes first
	value      *lookup     // of the square of a standard variable
	distance   *lookup     // of a squared distance
}

func (c *checker) newShapePanel() *shapePanel {
	dim, nu := c.fit.dim, c.fit.Degrees
	p := &shapePanel{counted: c.counted, value: newLookup(nu, 1), distance: newLookup(nu, dim)}
	for j := range dim + directions {
		direction := make([]float64, dim)
		switch {
		case j < dim:
			direction[j] = 1
		case dim == 1:
			return p
		default:
			for d := range direction {
				direction[d] = c.rng.NormFloat64()
			}
		}
		p.directions = append(p.directions, direction)
	}
	return p
}

// of measures the departure of the rows of a mixture from it.
func (p *shapePanel) of(m *em) departure {
	out := departure{column: -1}
	for f := range out.cluster {
		out.cluster[f] = -1
	}
	for k, rows := range m.members() {
		if !p.counted[k] || len(rows) < fewestMembers(m.rows.dim()) {
			continue
		}
		skew, tail := moments(m.residuals(k, rows))
		out.size[SkewedAll] += skew
		for f, size := range [...]float64{Skewed: skew, HeavyTails: tail, LightTails: -tail} {
			if f != int(SkewedAll) && (out.cluster[f] < 0 || size > out.size[f]) {
				out.size[f], out.cluster[f] = size, k
			}
		}
	}
	for j, direction := range p.directions {
		if size := p.along(m, direction); size > out.size[ColumnShape] {
			out.size[ColumnShape], out.column = size, j
		}
	}
	out.size[Distances] = p.distances(m)
	return out
}
