package mixture

import (
	"fmt"
	"math"
	"testing"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/stattest"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
)

// drawFromPrior draws everything but the rows from the prior, not with the chain's own updates where it can be helped.
func (c *chain) drawFromPrior() {
	l, dim, rng := c.law, c.rows.Dim(), c.rng
	l.scale = scaleRate / rng.Gamma(scaleShape)
	df := float64(dim + 2)
	rng.Bartlett(df, l.factor, dim)
	clear(l.shared)
	em.AddProduct(l.shared, l.scale/df, em.General(l.factor, dim))
	for d := range dim {
		l.centre[d] = math.Sqrt(centreVariance) * rng.NormFloat64()
	}
	for d := range dim {
		l.ownScale[d] = ownScaleMean + math.Sqrt(ownScaleVariance)*rng.NormFloat64()
	}
	l.ownSpread = spreads[rng.IntN(len(spreads))]
	l.df = float64(dim) + 1 + surplus[rng.IntN(len(surplus))]
	l.refresh()
	c.alpha = rng.Gamma(3) / 3 / (rng.Gamma(1.5) / 1.5)
	c.number = c.partition.numbers[rng.Pick(append([]float64{}, c.partition.logNumber...))]
	logs := make([]float64, len(degrees))
	for at := range logs {
		logs[at] = logDegreesPrior(at)
	}
	c.tail = rng.Pick(logs)
	c.clusters = nil
	c.drawEmpty()
	for i := range c.labels {
		for k := range c.number {
			c.logs[k] = c.components[k].LogWeight
		}
		c.labels[i] = int32(rng.Pick(c.logs[:c.number]))
		c.scales[i] = 1
		if nu := degrees[c.tail]; c.tail != gaussian {
			c.scales[i] = rng.Gamma(0.5*nu) / (0.5 * nu)
		}
	}
}

// drawRows draws all cells given labels, scales and parameters; component[i] is the component of row i.
func (c *chain) drawRows(component []int32) {
	x := make([]float64, c.rows.Dim())
	for i, k := range component {
		of := &c.components[k]
		for d := range x {
			x[d] = c.rng.NormFloat64() / math.Sqrt(c.scales[i])
		}
		em.SolveLowerTransposed(of.Factor, x)
		for d := range x {
			c.rows.Columns[d][i] = of.Mean[d] + x[d]
		}
		for q, codes := range c.rows.Codes {
			if codes[i] >= 0 {
				levels := of.LogLevel[c.rows.First[q]:c.rows.First[q+1]]
				codes[i] = int32(c.rng.Pick(append([]float64{}, levels...)))
			}
		}
	}
	for _, r := range c.rows.Rounded {
		const step, least, largest = 1.5, -3, 3 // everything below and above heaps up there
		for i, y := range c.rows.Columns[r.Column] {
			if math.IsNaN(r.Low[i]) {
				continue
			}
			r.Low[i] = step * math.Floor(y/step)
			r.High[i] = r.Low[i] + step
			switch {
			case y < least:
				r.Low[i], r.High[i] = math.Inf(-1), least
			case y > largest:
				r.Low[i], r.High[i] = largest, math.Inf(1)
			}
		}
	}
}

// quantities are what the two samplers must agree on.
func (c *chain) quantities() map[string]float64 {
	l, dim := c.law, c.rows.Dim()
	is := func(it bool) float64 {
		if it {
			return 1
		}
		return 0
	}
	q := map[string]float64{
		"clusters": float64(metrics.Clusters(c.labels)), "log number": math.Log(float64(c.number)),
		"log alpha": math.Log(c.alpha), "tail": float64(c.tail), "gaussian": is(c.tail == gaussian),
		"log u":  math.Log(c.scales[1]),
		"df":     math.Log(l.df),
		"centre": l.centre[dim-1], "centre²": l.centre[dim-1] * l.centre[dim-1],
		"cell": math.Tanh(c.rows.Columns[0][0]), "cell²": math.Tanh(math.Pow(c.rows.Columns[0][0], 2)),
		"missing": math.Tanh(c.rows.Columns[dim-1][1]), "missing²": math.Tanh(math.Pow(c.rows.Columns[dim-1][1], 2)),
		"both":       math.Tanh(c.rows.Columns[0][1] * c.rows.Columns[dim-1][1]),
		"far":        math.Log(math.Abs(c.rows.Columns[0][0]-c.rows.Columns[0][1]) + 1e-9),
		"same level": is(c.rows.Codes[0][0] == c.rows.Codes[0][2]), "together": is(c.labels[0] == c.labels[1]),
	}
	cell, cells := c.rows.Columns[0][0], c.rows.Rounded[0]
	q["beyond an end"] = math.Tanh(max(cell-max(cells.Low[0], 3), min(cells.High[0], -3)-cell, 0))
	q["place in step"] = 0.5
	if width := cells.High[0] - cells.Low[0]; !math.IsInf(width, 0) {
		q["place in step"] = math.Abs((cell-cells.Low[0])/width - 0.5)
	}
	if l.scaled {
		q["own scale"], q["own spread"] = l.ownScale[0], l.ownSpread
	} else {
		q["log scale"], q["log shared"] = math.Log(l.scale), math.Log(l.shared[0])
		q["correlation"] = l.shared[dim] / math.Sqrt(l.shared[0]*l.shared[dim+1])
	}
	return q
}

// Geweke (2004): the chain's sweeps in turn with new rows given its state must keep the joint prior of both. The test
// covers every update: labels, split and merge, u, ν, κ, scales, all hyperparameters, α, K, missing and rounded
// cells.
func TestGeweke(t *testing.T) {
	short.Skip(t, "draws 120,000 sweeps")
	for _, scaled := range []bool{false, true} {
		t.Run(fmt.Sprint("scaled ", scaled), func(t *testing.T) { testGeweke(t, scaled) })
	}
}

func testGeweke(t *testing.T, scaled bool) {
	const sweeps, draws, thin, segment = 60_000, 20_000, 5, 500
	r := &em.Rows{N: 5, Columns: [][]float64{make([]float64, 5), make([]float64, 5)}, First: []int{0, 3}}
	r.Codes = [][]int32{{0, 1, 2, -1, 0}}
	r.Gaps = []em.Gap{{Row: 1, Missing: []int{1}}, {Row: 3, Missing: []int{0, 1}}}
	r.GapOf = []int32{-1, 0, -1, 1, -1}
	nan := math.NaN()
	r.Rounded = []em.Rounded{{Column: 0, Low: []float64{0, 0, 0, nan, 0}, High: []float64{0, 0, 0, nan, 0}}}
	c := newChain(r, &knowledge{}, make([]int32, r.N), gaussian, em.NewRandom(5, 5))
	c.law.scaled = scaled
	independent, chain := map[string][]float64{}, map[string][]float64{}
	for range draws {
		c.drawFromPrior()
		c.drawRows(c.labels)
		for name, v := range c.quantities() {
			independent[name] = append(independent[name], v)
		}
	}
	components := make([]int32, r.N)
	for sweep := range sweeps {
		if sweep%segment == 0 { // anew from the joint prior: a long stay at far rows ends
			c.drawFromPrior()
			c.drawRows(c.labels)
			c.list()
		}
		c.sweep(false)
		for component, name := range c.names {
			for i, label := range c.labels {
				if label == name {
					components[i] = int32(component)
				}
			}
		}
		if sweep%thin == 0 {
			for name, v := range c.quantities() {
				chain[name] = append(chain[name], v)
			}
		}
		c.drawRows(components)
	}
	for name, prior := range independent {
		z := stattest.GewekeZ(prior, chain[name])
		meanPrior, sd := metrics.Summary(prior)
		meanChain, _ := metrics.Summary(chain[name])
		t.Logf("%-18s z %6.2f: prior %.4f ± %.4f, chain %.4f", name, z, meanPrior, sd, meanChain)
		if math.Abs(z) > 4 {
			t.Errorf("%s: z = %.2f", name, z)
		}
	}
}
