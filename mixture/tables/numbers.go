package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/mixture/em"
)

// Numeric is a column used as a number: y = (f(x) − centre)/scale with f the identity, a logarithm or a normal score.
type Numeric struct {
	Column int       `json:"column"`
	Log    bool      `json:"log,omitempty"`
	Sign   float64   `json:"sign,omitempty"` // f(x) = sign·log(sign·x + shift)
	Shift  float64   `json:"shift,omitempty"`
	Zeros  bool      `json:"zeros,omitempty"` // a cell with 0 is missing: zeros are a category
	Knots  []float64 `json:"knots,omitempty"` // rising; f is a normal score, linear between these quantiles
	Centre float64   `json:"centre"`
	Scale  float64   `json:"scale"`

	step   float64    // of a rounded column, else 0
	noise  float64    // width of the noise: a step, or the last decimal of numbers with few decimals
	drawn  bool       // cells are drawn within their steps, see rounded.go
	heaps  [2]float64 // the least and the largest value if many rows have it, else ∓Inf
	keys   bool       // may name the rows: whole numbers, all different
	tells  Use        // Counter or Key if the column surely is one, else ""
	skewed bool       // its logarithm is to be tried
}

const (
	fewestToLog = 8 // distinct values of a column whose logarithm is tried
	skewToLog   = 0.8
	mostKnots   = 201
)

// fitNumber fits a number to a column of a table; distinct are its different values.
func fitNumber(t Table, at int, column, distinct []float64) Numeric {
	n := Numeric{Column: at}
	n.step, n.drawn = stepOf(column, distinct)
	n.keys = len(column) >= fewestKeys && len(distinct) == len(column) && wholeNumbers(distinct)
	if countsRows(column) {
		n.tells = Counter
	} else if n.keys && distinct[len(distinct)-1]-distinct[0] < 2*float64(len(column)) { // hardly a number is left out
		n.tells = Key
	}
	n.noise = max(n.step, decimalStep(distinct))
	n.fit(t)
	return n
}

// fit fits everything that depends on whether zeros are numbers.
func (n *Numeric) fit(t Table) {
	column := n.values(t, false)
	distinct := DistinctOf(column)
	n.heaps = n.endHeaps(column, distinct)
	n.fitLog(column, distinct)
	n.fitScale(t)
}

// manyZeros reports whether zeros may be a category.
func (n *Numeric) manyZeros(t Table) bool {
	const share, fewest = 0.05, 4 // zeros of all rows; different values
	column := t.Column(n.Column)
	many := float64(count(column, 0)) >= share*float64(len(column))
	return n.heaps[0] == 0 && len(DistinctOf(column)) >= fewest && many
}

func count(column []float64, value float64) int {
	return floats.Count(func(x float64) bool { return x == value }, column)
}

// stepOf returns the step of a rounded column, 0 for other columns, and whether the step is so wide that cells are
// drawn.
func stepOf(column, distinct []float64) (step float64, wide bool) {
	const whole = 0.7 // a column with fewer different values is rounded
	if float64(len(distinct)) >= whole*float64(len(column)) {
		return 0, false
	}
	_, scale := robustScale(column)
	step = usualStep(column, distinct)
	return step, step >= coarse*scale
}

// usualStep returns the 10 % quantile, over the rows, of the distance from a row's value to the nearest other value.
func usualStep(column, distinct []float64) float64 {
	var steps []float64
	for _, x := range present(column) {
		at, _ := slices.BinarySearch(distinct, x)
		step := math.Inf(1)
		if at > 0 {
			step = x - distinct[at-1]
		}
		if at+1 < len(distinct) {
			step = min(step, distinct[at+1]-x)
		}
		steps = append(steps, step)
	}
	slices.Sort(steps)
	return steps[len(steps)/10]
}

// DistinctOf returns the different values that are present, rising.
func DistinctOf(column []float64) []float64 { return slices.Compact(sorted(column)) }

// present returns the values that are not missing.
func present(column []float64) []float64 { return slices.DeleteFunc(slices.Clone(column), math.IsNaN) }

// sorted returns the values that are not missing, rising.
func sorted(column []float64) []float64 { return slices.Sorted(slices.Values(present(column))) }

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

// fitLog sets skewed, and the logarithm to try: log x if the skew and all values are positive, else the logarithm of
// the distance to a bound beyond the least value, or for negative skew beyond the largest.
func (n *Numeric) fitLog(column, distinct []float64) {
	const margin = 0.05
	skew := skewness(present(column))
	within := skewness(slices.DeleteFunc(present(column), func(x float64) bool {
		return x == n.heaps[0] || x == n.heaps[1] // heaps at the ends may hide the skew
	}))
	if math.Abs(within) > math.Abs(skew) {
		skew = within
	}
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

func skewness(values []float64) float64 {
	return stat.Moment(3, values, nil) / math.Pow(stat.Moment(2, values, nil), 1.5)
}

// values returns the cells that are numbers, with noise if that is set; NaN for other cells.
func (n *Numeric) values(t Table, noise bool) []float64 {
	column, rng := t.Column(n.Column), em.NewRandom(uint64(n.Column), 0x6e6f697365)
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
func (n *Numeric) fitScale(t Table) {
	n.Centre, n.Scale = 0, 1
	n.Centre, n.Scale = robustScale(n.encode(t, false))
}

// log returns the logarithm of the distance to the bound.
func (n *Numeric) log(x float64) float64 {
	return math.Log(max(n.Sign*x+n.Shift, math.SmallestNonzeroFloat64))
}

// encode returns y of all cells [N], NaN where a cell holds no number; with noise if that is set.
func (n *Numeric) encode(t Table, noise bool) []float64 { return n.scaled(n.values(t, noise)) }

// scaled replaces numbers by their y.
func (n *Numeric) scaled(column []float64) []float64 {
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

// logJacobian returns Σ log dy/dx over the cells that hold exact numbers: those without a lower bound.
func (n *Numeric) logJacobian(t Table, low []float64) (sum float64) {
	for i, x := range n.values(t, false) {
		if !math.IsNaN(x) && (low == nil || math.IsNaN(low[i])) {
			sum -= math.Log(n.Scale)
			if n.Log {
				sum -= n.log(x)
			}
		}
	}
	return sum
}

// robustScale returns the median, and the interquartile range divided by that of a standard normal. If half of the rows
// or more lie in one narrow heap, a wider range between quantiles replaces it: one that is over ten times as wide. A
// few far rows change neither result. The scale is 0 for a constant column.
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

// normalScore returns the standard normal quantile at the share of knots below x, with interpolation.
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
