package mixture

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// number is a column used as a number: y = (f(x) − centre)/scale with f the identity, a logarithm or a normal score.
type number struct {
	Column int       `json:"column"`
	Log    bool      `json:"log,omitempty"`
	Sign   float64   `json:"sign,omitempty"` // f(x) = sign·log(sign·x + shift)
	Shift  float64   `json:"shift,omitempty"`
	Zeros  bool      `json:"zeros,omitempty"` // a cell with 0 is missing: zeros are a category
	Knots  []float64 `json:"knots,omitempty"` // rising; f is a normal score, linear between these quantiles
	Centre float64   `json:"centre"`
	Scale  float64   `json:"scale"`

	step   float64 // of a rounded column, else 0
	noise  float64 // width of the noise: a step, or the last decimal of numbers with few decimals
	keys   bool    // may name the rows: whole numbers, all different
	tells  Use     // Counter or Key if the column is one without doubt; else ""
	skewed bool    // its logarithm is to be tried
}

const (
	fewestToLog = 8 // distinct values of a column whose logarithm is tried
	skewToLog   = 0.8
	mostKnots   = 201
)

// fitNumber fits a number to a column of a table; distinct are its different values.
func fitNumber(t Table, at int, column, distinct []float64) number {
	const whole = 0.7 // a column with fewer different values is rounded
	n := number{Column: at}
	if float64(len(distinct)) < whole*float64(len(column)) {
		gaps := stepsOf(distinct)
		n.step = gaps[len(gaps)/10]
	}
	n.keys = len(column) >= fewestKeys && len(distinct) == len(column) && wholeNumbers(distinct)
	if countsRows(column) {
		n.tells = Counter
	} else if n.keys && distinct[len(distinct)-1]-distinct[0] < 2*float64(len(column)) { // hardly a number is left out
		n.tells = Key
	}
	n.noise = max(n.step, decimalStep(distinct))
	n.fitLog(column, distinct)
	n.fitScale(t)
	return n
}

// distinctOf returns the different values that are present, rising.
func distinctOf(column []float64) []float64 { return slices.Compact(sorted(column)) }

// present returns the values that are not missing.
func present(column []float64) []float64 { return slices.DeleteFunc(slices.Clone(column), math.IsNaN) }

// sorted returns the values that are not missing, rising.
func sorted(column []float64) []float64 { return slices.Sorted(slices.Values(present(column))) }

// stepsOf returns the differences between successive values, rising.
func stepsOf(values []float64) []float64 {
	steps := floats.SubTo(make([]float64, len(values)-1), values[1:], values[:len(values)-1])
	slices.Sort(steps)
	return steps
}

// decimalStep returns 10⁻ᵏ if all values are written with k ≤ 6 decimals, else 0. Sums of such columns lie on a lattice
// though the columns look smooth.
func decimalStep(distinct []float64) float64 {
	const most, tolerance = 6, 1e-6
	for scale := 1.0; scale <= 1e6; scale *= 10 {
		before := math.Inf(-1)
		if !slices.ContainsFunc(distinct, func(x float64) bool {
			last := before
			before = math.Round(x * scale)
			return math.Abs(x*scale-before) > tolerance || before == last // tiny numbers would all be 0
		}) {
			return 1 / scale
		}
	}
	return 0
}

// fitLog finds out whether a column is skewed and which logarithm is to be tried: log x if all values are positive,
// else that of the distance to a bound beyond the least (or largest) value.
func (n *number) fitLog(column, distinct []float64) {
	const margin = 0.05
	values := present(column)
	second := stat.Moment(2, values, nil)
	skew := stat.Moment(3, values, nil) / math.Pow(second, 1.5)
	if n.skewed = len(distinct) >= fewestToLog && math.Abs(skew) > skewToLog; !n.skewed { // NaN of huge numbers
		return
	}
	median, _ := robustScale(column)
	least, largest := distinct[0]-n.noise/2, distinct[len(distinct)-1]+n.noise/2
	switch n.Sign = 1; {
	case skew < 0:
		n.Sign, n.Shift = -1, largest+margin*(largest-median)
	case least > 0:
		n.Shift = 0
	default:
		n.Shift = margin*(median-least) - least
	}
}

// values returns the cells that are numbers, with noise if that is set; NaN for other cells.
func (n *number) values(t Table, noise bool) []float64 {
	column, rng := t.column(n.Column), newRandom(uint64(n.Column), 0x6e6f697365)
	for i, x := range column {
		if n.Zeros && x == 0 {
			column[i] = math.NaN()
		}
		if noise {
			column[i] += (rng.Float64() - 0.5) * n.noise
		}
	}
	return column
}

// fitScale fits centre and scale to the values of f.
func (n *number) fitScale(t Table) {
	n.Centre, n.Scale = 0, 1
	n.Centre, n.Scale = robustScale(n.encode(t, false))
}

// log returns the logarithm of the distance to the bound.
func (n *number) log(x float64) float64 {
	return math.Log(max(n.Sign*x+n.Shift, math.SmallestNonzeroFloat64))
}

// encode returns y of all cells [N], NaN where a cell holds no number; with noise if that is set.
func (n *number) encode(t Table, noise bool) []float64 {
	column := n.values(t, noise)
	for i, x := range column {
		switch {
		case len(n.Knots) > 0:
			x = normalScore(n.Knots, x)
		case n.Log:
			x = n.Sign * n.log(x)
		}
		column[i] = (x - n.Centre) / n.Scale
	}
	return column
}

// logJacobian returns Σ log dy/dx over the cells that hold numbers.
func (n *number) logJacobian(t Table) (sum float64) {
	for _, x := range n.values(t, false) {
		if !math.IsNaN(x) {
			sum -= math.Log(n.Scale)
			if n.Log {
				sum -= n.log(x)
			}
		}
	}
	return sum
}

// robustScale returns the median, and the interquartile range divided by that of a standard normal. If a range of more
// rows is more than ten times as wide it replaces the interquartile range: then half of the rows, or more, lie in one
// heap. A few rows far out change neither. The scale is 0 for a constant column.
func robustScale(column []float64) (centre, scale float64) {
	values := sorted(column)
	if len(values) == 0 {
		return 0, 0
	}
	at := func(share float64) float64 { return values[int(share*float64(len(values)-1)+0.5)] }
	for _, tail := range [...]struct{ share, normal float64 }{{.25, 1.349}, {.05, 3.290}, {.01, 4.653}, {0, 6}} {
		wider := (at(1-tail.share) - at(tail.share)) / tail.normal
		if scale == 0 || wider > 10*scale && tail.share > 0 {
			scale = wider
		}
	}
	return at(0.5), scale
}

// normalScore returns the quantile of a standard normal at the share of knots below x.
func normalScore(knots []float64, x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	at, _ := slices.BinarySearch(knots, x)
	place := float64(min(at, len(knots)-1))
	if at > 0 && at < len(knots) {
		place -= (knots[at] - x) / (knots[at] - knots[at-1])
	}
	return standardQuantile((place + 0.5) / float64(len(knots)))
}

func standardQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

const (
	evidenceSweeps = 120  // of a chain that weighs whether to take logarithms
	evidenceChains = 2    // the best one counts
	evidenceCells  = 8000 // of the table that it sees, at least 300 rows and at most 1,000
	evidenceGain   = 3.0  // of log evidence that logarithms must bring
	mostFlips      = 12   // skewed columns that are tried one by one; more are not
	mostToFlip     = 20   // columns of a table whose columns are tried one by one
)

// chooseLogs decides by evidence which skewed columns are replaced by their logarithms: first all or none, and then one
// by one.
func (e *encoder) chooseLogs(ctx context.Context, t Table, seed uint64) error {
	t = e.known(t)
	var skewed []int
	for i, n := range e.Numbers {
		if n.skewed {
			skewed = append(skewed, i)
		}
	}
	if len(skewed) == 0 || e.Projection != nil {
		return nil
	}
	part := e.evidenceRows(t)
	best := e.evidence(ctx, part, seed)
	try := func(columns ...int) {
		least := evidenceGain
		if e.Numbers[columns[0]].Log { // which are to be taken back
			least = -evidenceGain
		}
		e.flip(t, columns)
		if gain := e.evidence(ctx, part, seed) - best; gain <= least {
			e.flip(t, columns)
		} else {
			best += gain
		}
	}
	try(skewed...)
	if len(skewed) > 1 && len(skewed) <= mostFlips && len(e.Numbers) <= mostToFlip {
		for _, i := range skewed {
			try(i)
		}
	}
	e.dropLinear(t) // a product is a sum of logarithms
	e.fitRemainders(t)
	return ctx.Err()
}

// evidenceRows returns the rows from which the evidence is estimated.
func (e *encoder) evidenceRows(t Table) Table {
	return t.runs(min(1000, max(300, evidenceCells/max(len(e.Numbers), 1))), 1)
}

// flip replaces columns by their logarithms, or logarithms by the columns.
func (e *encoder) flip(t Table, columns []int) {
	for _, i := range columns {
		n := &e.Numbers[i]
		n.Log = !n.Log
		n.fitScale(t)
		e.uses[n.Column] = Number
		if n.Zeros {
			e.uses[n.Column] = ManyZeros
		} else if n.Log {
			e.uses[n.Column] = Logarithm
		}
	}
	e.fitRemainders(t)
}

// evidence estimates the log evidence of a table in its own units: the largest of some short chains, as a chain may
// stay at a worse mode, plus the Jacobian. The value has no meaning if ctx ended.
func (e *encoder) evidence(ctx context.Context, t Table, seed uint64) float64 {
	log := bestOf(evidenceChains, seed, func(_ int, rng random) float64 {
		return shortChain(ctx, e.encode(t, true), rng)
	})
	for i := range e.Numbers {
		log += e.Numbers[i].logJacobian(t)
	}
	for _, m := range e.Remainders {
		log -= float64(t.Rows) * math.Log(m.Scale)
	}
	return log
}

// shortChain returns the mean log density of the draws of a short chain with Schwarz's penalty. The mean lies below the
// largest log density by half the number of parameters. The value has no meaning if ctx ended.
func shortChain(ctx context.Context, r *rows, rng random) float64 {
	c := newChain(r, make([]int32, r.n), gaussian, rng)
	return c.shortMean(ctx, c.penalized)
}

// shortMean returns the mean of a value over the later draws of a short chain. It has no meaning if ctx ended.
func (c *chain) shortMean(ctx context.Context, value func() float64) float64 {
	sum, count := 0.0, 0.0
	c.shortRun(ctx, func() {
		sum += value()
		count++
	})
	return sum / count
}

// shortRun runs a short chain and calls visit at its later draws, until ctx ends.
func (c *chain) shortRun(ctx context.Context, visit func()) {
	for sweep := 0; sweep < evidenceSweeps && ctx.Err() == nil; sweep++ {
		c.sweep(sweep < evidenceSweeps/2)
		if sweep >= evidenceSweeps*5/8 {
			visit()
		}
	}
}

// penalized returns the log density with Schwarz's penalty. It lies above the log density of a draw by half the number
// of parameters, as the best parameters do.
func (c *chain) penalized() float64 {
	return c.logDensity + 0.5*c.parameters*(1-math.Log(float64(c.rows.n)))
}

// countParameters returns the number of free parameters of the current clusters.
func (c *chain) countParameters() float64 {
	dim := float64(c.rows.dim())
	total := -1.0
	for _, k := range c.clusters {
		total += 1 + dim + float64(c.rows.levels()-c.rows.variables())
		shape := dim * (dim + 1) / 2
		if c.rows.dim() > fewColumns { // by how far its rows outweigh the prior
			shape *= k.n / (k.n + c.law.df)
		}
		total += shape
	}
	return total
}
