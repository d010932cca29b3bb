package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/posterior"
)

// study is the table while it is computed. starts is the number of starts: the law, and random energies.
type study struct {
	table  *table.Table
	starts int
}

// newStudy computes the table on the first of lineData.
func newStudy(sets, starts int) *study {
	s := &study{starts: starts, table: &table.Table{
		ID: "fixed-point", Title: "What the objective converges to, without a network",
		Caption: "how far from the data's law training comes to rest where the energy of every state is a free number",
	}}
	s.addNotes()
	for i, d := range lineData[:sets] {
		s.add(d, i == 0)
	}
	return s
}

// linePoints are points on a line, three and two near each other; a cluster's standard deviation is lineSigma.
var linePoints = []float64{-1.2, -0.8, -0.4, 1.2, 1.6, -1}

const (
	lineSigma = 0.6
	lineTau   = 2.0
	lineAlpha = 0.25
	rareLaw   = 0.01 // below it a partition is rare
)

// lineLaw is the exact posterior of the first of linePoints.
func lineLaw(points int) *posterior.Distribution {
	prior := must.M1(posterior.CRP{Alpha: lineAlpha}.Prior(points))
	g := posterior.Gaussian{Dim: 1, Tau: lineTau, Sigma: lineSigma}
	return posterior.EnumerateCentred(g, prior, linePoints[:points])
}

// dataSet is a law: the posterior of the first of linePoints, met in one order or in all.
type dataSet struct {
	name      string
	points    int
	allOrders bool
}

var lineData = []dataSet{
	{"5 points, one order", 5, false},
	{"5 points, all orders", 5, true},
	{"6 points, one order", 6, false},
}

// objective is a row: an objective of package losses, for a kind of step.
type objective struct {
	name string
	kind string
	loss losses.Config
}

// objectives are the rows; drawnObjectives names the rows that the figure shows.
var objectives = []objective{
	{"likelihood (NCP)", losses.LikelihoodStep, losses.DefaultConfig()},
	balanced("paper: λ = 0.4, δ = 0.6", losses.FlowsMin, 0.4, 0.6, 0),
	balanced("paper, δ = 0", losses.FlowsMin, 0.4, 0, 0),
	balanced("paper, λ = 40", losses.FlowsMin, 40, 0.6, 0),
	balanced("paper, ε = 1e-5", losses.FlowsMin, 0.4, 0.6, 1e-5),
	balanced("paper, ε = 1e-5, λ = 0.2, δ = 2", losses.FlowsMin, 0.2, 2, 1e-5),
	balanced("free flows, δ = 0.6", losses.FlowsFree, 0.4, 0.6, 0),
	balanced("free flows, δ = 0", losses.FlowsFree, 0.4, 0, 0),
	balanced("free flows, δ = 0, λ = 0", losses.FlowsFree, 0, 0, 0),
	balanced("likelihood + 0.01 free flows", losses.FlowsFree, 0, 0, 0).besideLikelihood(0.01),
}

var drawnObjectives = []string{
	"paper: λ = 0.4, δ = 0.6", "paper, λ = 40", "free flows, δ = 0.6", "free flows, δ = 0",
}

// balanced is an objective of a data step. Only the paper's flows leave constants free, which any gauge fixes.
func balanced(name, flows string, lambda, delta, epsilon float64) objective {
	c := losses.DefaultConfig()
	c.Flows, c.Lambda, c.Delta, c.MCEpsilon, c.Gauge = flows, lambda, delta, epsilon, 1
	if flows == losses.FlowsFree {
		c.Gauge = 0
	}
	return objective{name, losses.DataStep, c}
}

func (o objective) besideLikelihood(weight float64) objective {
	o.loss.BalanceWeight, o.loss.NLLWeight = weight, 1
	return o
}

// add adds the rows of a data set, and with draw the figure of its laws at rest.
func (s *study) add(d dataSet, draw bool) {
	exact := lineLaw(d.points)
	tree := newStates(exact, d.allOrders)
	rare, _ := rareEvents(tree.law, tree.law)
	s.addCells(table.Cell{Data: d.name, Model: "Exact"}, exact.ExpectedK(), rare)
	chart := figure.NewChart("Where training comes to rest: "+d.name, "partition, by probability", "probability",
		lawSeries("the law", tree, tree.law))
	chart.Panels[0].LogY = true
	for _, o := range objectives {
		f := findRest(newTabularLoss(tree, o.kind, o.loss), s.starts)
		s.addRest(d.name, o, tree, f)
		if slices.Contains(drawnObjectives, o.name) {
			chart.Add(lawSeries(o.name, tree, f.law))
		}
	}
	if draw {
		s.table.Figures = append(s.table.Figures, table.Figure{
			Name: "law", Picture: chart,
			Caption: "Where training comes to rest: the probability of each partition of five points, " +
				"the law's most probable first. Free flows with δ = 0 lie on the law.",
		})
	}
}

func (s *study) addNotes() {
	s.table.Note(`Law: the exact posterior of the points %v on a line, the first five or all six, given clusters N(μ, %g²)
		with means N(0, %g²) and the prior CRP(%g), known up to a shift. One order: that of the points, so that the
		states are a tree. All orders: each equally often; orders that meet the same points share the energy, as in
		a network.

		λ weighs CD, δ Reg, ε clamps the log flows as the published code does; all rows but the first have MC. No
		exploration. P(rare): the total probability of the partitions below %g %%. Largest ratio: that of a model's
		probability of such a partition to the law's. MC: its expectation under the law, a sum over n = 2..N,
		without ε, with the flows of the row.

		Numbers stand where a training comes to rest that starts at the law, E = −log p(c_{1:n}|x). TV of other
		starts: the least and the most over %d starts with energies drawn from N(0, 1), of those at rest, where no
		component of the gradient is above %g; some wander where two slots of the paper's flows tie. CD is the
		gradient of no function, so a rest is no minimum: it is found by following the gradient, with Newton's steps
		at the end.`,
		linePoints, lineSigma, lineTau, lineAlpha, 100*rareLaw, s.starts-1, restGradient)
}

func (s *study) addRest(name string, o objective, t *states, f restingPoints) {
	rare, ratio := rareEvents(t.law, f.law)
	values := []float64{f.k, rare, f.tv, ratio}
	if o.kind != losses.LikelihoodStep {
		values = append(values, f.mc)
	}
	cell := table.Cell{Data: name, Model: o.name}
	s.addCells(cell, values...)
	if f.settled > 0 {
		s.addCell(cell, "TV of other starts (least)", f.least)
		s.addCell(cell, "TV of other starts (most)", f.most)
	}
	s.addCell(cell, "share of them at rest", float64(f.settled)/float64(s.starts-1))
}

func (s *study) addCells(cell table.Cell, values ...float64) {
	for i, v := range values {
		s.addCell(cell, []string{"E[K]", "P(rare)", "TV", "largest ratio", "MC"}[i], v)
	}
}

// addCell adds a number; below 1e-6 it is rounding.
func (s *study) addCell(cell table.Cell, metric string, v float64) {
	if v < 1e-6 {
		v = 0
	}
	cell.Metric, cell.Ours, cell.Scale = metric, &table.Value{Mean: v, N: 1}, "exact"
	s.table.Cells = append(s.table.Cells, cell)
}

// rareEvents are the model's total probability of the partitions that the law calls rare, and the largest ratio.
func rareEvents(law, model []float64) (sum, ratio float64) {
	for p, v := range law {
		if v < rareLaw {
			sum, ratio = sum+model[p], max(ratio, model[p]/v)
		}
	}
	return sum, ratio
}

// lawSeries is a law over the partitions, in the order of the data's law.
func lawSeries(name string, t *states, law []float64) figure.Series {
	ranks := make([]int, len(law))
	for p := range ranks {
		ranks[p] = p
	}
	slices.SortFunc(ranks, func(a, b int) int { return cmp.Compare(t.law[b], t.law[a]) })
	series := figure.Series{Name: name}
	for i, p := range ranks {
		series.X, series.Y = append(series.X, float64(i+1)), append(series.Y, law[p])
	}
	return series
}

// startAt is the energies of a start: the first is −log p(c_{1:n}|x), others are random.
func startAt(t *states, start int) []float64 {
	e := make([]float64, len(t.mass))
	random := data.Rand(1, "fixed-point", start)
	for i, mass := range t.mass {
		e[i] = random.NormFloat64()
		if start == 0 {
			e[i] = -math.Log(mass)
		}
	}
	return e
}
