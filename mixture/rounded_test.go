package mixture

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// The cells of a row have the normal distribution of its component, of variance Σ/u, given its exact cells and their
// bounds.
func TestDrawRounded(t *testing.T) {
	const draws, exact, u = 40_000, 0.7, 0.4
	sigma := []float64{1, 0, 0, 0.8, 1.5, 0, -0.5, 0.3, 2} // lower triangle
	low, high := [2]float64{-0.5, 1}, [2]float64{0.5, math.Inf(1)}
	r := &em.Rows{N: 1, Columns: [][]float64{{0}, {1.5}, {exact}}, First: []int{0}, Rounded: []em.Rounded{
		{Column: 0, Low: low[:1], High: high[:1]}, {Column: 1, Low: low[1:], High: high[1:]},
	}}
	c := newChain(r, &knowledge{}, []int32{0}, gaussian, em.NewRandom(2, 2))
	c.scales[0] = u
	to, upper := &c.components[0], make([]float64, 9)
	copy(to.Mean, []float64{0.2, -0.4, 0.1})
	for d := range 3 {
		to.Factor[d*3+d] = 1
	}
	em.CholeskyUpper(sigma, upper, 3)
	em.DivideUpper(upper, to.Factor, 3)
	to.FillPrecision()
	var found, want [3][]float64 // both cells and their product
	note := func(to *[3][]float64, x, y float64) {
		for i, v := range [...]float64{x, y, x * y} {
			to[i] = append(to[i], v)
		}
	}
	for range draws {
		c.drawRounded()
		note(&found, c.rows.Columns[0][0], c.rows.Columns[1][0])
	}
	rng := em.NewRandom(3, 3)
	conditional := func(d int) float64 { return to.Mean[d] + sigma[6+d]/sigma[8]*(exact-to.Mean[2]) }
	within := func(d, e int) float64 { return (sigma[3*d+e] - sigma[6+d]*sigma[6+e]/sigma[8]) / u }
	for len(want[0]) < draws {
		x := math.Sqrt(within(0, 0)) * rng.NormFloat64()
		slope := within(1, 0) / within(0, 0)
		y := conditional(1) + slope*x + math.Sqrt(within(1, 1)-slope*within(1, 0))*rng.NormFloat64()
		if x += conditional(0); x > low[0] && x < high[0] && y > low[1] {
			note(&want, x, y)
		}
	}
	for i, name := range []string{"rounded cell", "cell of a heap", "product"} {
		a, deviation := stat.MeanStdDev(found[i], nil)
		b, other := stat.MeanStdDev(want[i], nil)
		if math.Abs(a-b) > 0.02*other || math.Abs(deviation/other-1) > 0.02 {
			t.Errorf("%s: %.3f ± %.3f, want %.3f ± %.3f", name, a, deviation, b, other)
		}
	}

	c.rows.Rounded = c.rows.Rounded[:1] // then it is the density of one cell
	c.rows.Columns[1][0] = conditional(1)
	given := distuv.Normal{
		Mu: conditional(0), Sigma: math.Sqrt(within(0, 0) - within(1, 0)*within(1, 0)/within(1, 1)),
	}
	density := given.LogProb(c.rows.Columns[0][0]) - math.Log(given.CDF(high[0])-given.CDF(low[0]))
	if got := c.drawRounded(); !(math.Abs(got-density) <= 1e-9) {
		t.Errorf("log density %g, want %g", got, density)
	}
}

// Marks from 1 to 7 heap up at both ends. Two clusters of marks are two.
func TestMarks(t *testing.T) {
	short.Skip(t, "takes seconds")
	rng := em.NewRandom(4, 4)
	set := inTurn("marks", 600, 2)
	for d := range 5 {
		set.beside(func(row int) float64 {
			z := 3 + rng.NormFloat64()
			if d < 3 {
				z += 3 * float64(row%2)
			}
			return max(1, min(7, math.Round(z)))
		})
	}
	p := sampled(t, set, Options{Seed: 1})
	if p.Copies > 0 || len(p.Checks.Ties) > 0 {
		t.Errorf("%d copies, ties %v", p.Copies, p.Checks.Ties)
	}
	predicted := p.Fit.Predict(tableOf(set.columns))
	agree(t, "predictions of the rows", p.Labels, predicted.Labels, 0.95)
}

// A limit of measurement makes no cluster; a heap amid other numbers does, and the checks name its column.
func TestHeaps(t *testing.T) {
	short.Skip(t, "takes seconds")
	rng := em.NewRandom(5, 5)
	limit := drawn{name: "limit", number: 1, truth: make([]int32, 200)}
	limit.beside(func(int) float64 { return max(rng.NormFloat64(), -0.3) })
	limit.beside(func(row int) float64 { return limit.columns[0][row] + rng.NormFloat64() })
	if p := sampled(t, limit, Options{Seed: 1}); len(p.Checks.Ties) > 0 {
		t.Errorf("ties %+v", p.Checks.Ties)
	}
	apart := inTurn("zero or fifty", 200, 2)
	apart.beside(func(row int) float64 { return float64(row%2) * (50 + 5*rng.NormFloat64()) })
	apart.beside(func(row int) float64 { return apart.columns[0][row]/10 + rng.NormFloat64() })
	sampled(t, apart, Options{Seed: 1})
	code := drawn{truth: make([]int32, 200)}
	code.beside(func(row int) float64 {
		if row%4 == 0 {
			return 0.5
		}
		return rng.NormFloat64()
	})
	code.beside(func(row int) float64 { return code.columns[0][row] + rng.NormFloat64() })
	p := must.M1(Sample(t.Context(), tableOf(code.columns), Options{Seed: 2})) // with seed 1 no chain finds the heap
	if len(p.Checks.Ties) != 1 || p.Checks.Ties[0].Column != 0 || floats.Max(p.Checks.Ties[0].Values) != 0.5 {
		t.Errorf("K = %d, ties %+v", p.Number, p.Checks.Ties)
	}
	free := blobs(6, 120, 2, 2, 6)
	if p := sampled(t, free, Options{Seed: 1}); len(p.Checks.Ties) > 0 {
		t.Errorf("ties %+v", p.Checks.Ties)
	}
}

// Independent zeros of two amounts are no clusters.
func TestAmounts(t *testing.T) {
	short.Skip(t, "takes seconds")
	rng := em.NewRandom(6, 6)
	set := drawn{name: "amounts", number: 1, truth: make([]int32, 500)}
	shared := make([]float64, len(set.truth))
	for i := range shared {
		shared[i] = 1.2 * rng.NormFloat64()
	}
	for _, zeros := range []float64{0.4, 0.2} {
		set.beside(func(row int) float64 {
			if rng.Float64() < zeros {
				return 0
			}
			return math.Exp(4 + shared[row] + 0.9*rng.NormFloat64())
		})
	}
	p := sampled(t, set, Options{Seed: 1})
	if p.Uses[0] != tables.ManyZeros || p.Uses[1] != tables.ManyZeros {
		t.Errorf("uses %v", p.Uses)
	}
}
