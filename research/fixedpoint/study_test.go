package main

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/losses"
)

// restOf is where a row comes to rest.
func restOf(t *testing.T, tree *states, name string, starts int) rests {
	t.Helper()
	i := slices.IndexFunc(objectives, func(s objective) bool { return s.name == name })
	return must.M1(findRest(newTabularLoss(tree, objectives[i].kind, objectives[i].loss), starts))
}

// Likelihood and balanced free flows reach the law from everywhere, consistency alone wherever it likes, and the
// paper's flows never, however large λ is.
func TestFixedPoint(t *testing.T) {
	law := must.M1(lineLaw(5))
	for _, all := range []bool{false, true} {
		tree := newStates(law, all)
		starts := 3
		if all {
			starts = 2
		}
		for _, name := range []string{
			"likelihood (NCP)", "free flows, δ = 0", "likelihood + 0.01 free flows",
		} {
			r := restOf(t, tree, name, starts)
			if !(r.tv < 1e-6 && r.most < 1e-6) || r.settled != starts-1 {
				t.Errorf("%s, all orders %v: TV %g, up to %g over %d starts", name, all, r.tv, r.most, r.settled)
			}
		}
		for _, name := range []string{
			"paper: λ = 0.4, δ = 0.6", "paper, δ = 0", "paper, λ = 40", "free flows, δ = 0.6",
		} {
			if r := restOf(t, tree, name, 1); r.tv < 0.2 || r.k < law.ExpectedK()+0.005 || r.mc < 0.01 {
				t.Errorf("%s, all orders %v: TV %g, E[K] %g, MC %g: too near the law", name, all, r.tv, r.k, r.mc)
			}
		}
		if r := restOf(t, tree, "free flows, δ = 0, λ = 0", starts); r.tv > 1e-9 || r.least < 0.05 {
			t.Errorf("consistency alone: TV %g from the law, %g from elsewhere", r.tv, r.least)
		}
	}
}

// Without Reg every last decision is the law's, with the paper's flows too; with Reg it is not (docs/objective.md).
func TestLastDecisionsWithoutReg(t *testing.T) {
	tree := newStates(must.M1(lineLaw(5)), false)
	for delta, exact := range map[float64]bool{0: true, 0.6: false} {
		l := newTabularLoss(tree, losses.DataStep, balanced("", losses.FlowsMin, 0.4, delta, 0).loss)
		must.M1(l.follow(startAt(tree, 0)))
		worst := 0.0
		for i, d := range tree.decisions {
			for k, p := range l.policy[i] {
				if d.last {
					worst = max(worst, math.Abs(p-d.weight[k]/d.total))
				}
			}
		}
		if exact != (worst < 1e-6) {
			t.Errorf("δ = %g: last decisions differ from the law's by up to %g", delta, worst)
		}
	}
}

// Objectives that are functions come to rest where L-BFGS finds their minimum.
func TestFixedPointEqualsMinimum(t *testing.T) {
	tree := newStates(must.M1(lineLaw(4)), false)
	for _, change := range []func(c *losses.Config){
		func(c *losses.Config) { c.NLLWeight = 1 },
		func(c *losses.Config) { c.Flows, c.NLLWeight, c.Gauge = losses.FlowsFree, 0.3, 0 },
	} {
		c := losses.DefaultConfig()
		c.Lambda, c.Gauge = 0, 1
		change(&c)
		l := newTabularLoss(tree, losses.DataStep, c)
		must.M1(l.follow(startAt(tree, 0)))
		want := l.modelLaw()
		l.set(minimized(l, startAt(tree, 0)))
		if got := l.modelLaw(); !floats.EqualApprox(got, want, 1e-4) || floats.EqualApprox(got, tree.law, 1e-2) {
			t.Errorf("%+v: L-BFGS has %v, the rest is at %v", c, got, want)
		}
	}
}

// One decision before the last, of the paper's flows: rare slots gain. Values by a grid of d in steps of 1e-4.
func TestOneDecision(t *testing.T) {
	for truth, want := range map[float64]float64{0.9: 0.71797, 0.99: 0.86761, 0.999: 0.94702} {
		if got := must.M1(oneDecision(truth)); !(math.Abs(got-want) <= 2e-5) {
			t.Errorf("a truth of %g becomes %g, want %g", truth, got, want)
		}
	}
}

// The experiment has all rows, and a picture.
func TestFixedPointTable(t *testing.T) {
	s := must.M1(newStudy(context.Background(), 1, 2))
	must.M(s.table.Check())
	if len(s.figures) != 1 {
		t.Errorf("%d figures", len(s.figures))
	}
	rows := map[string]float64{}
	for _, c := range s.table.Cells {
		if c.Metric == "TV" {
			rows[c.Model] = c.Ours.Mean
		}
	}
	if len(rows) != len(objectives) || rows["free flows, δ = 0"] != 0 || rows["paper, δ = 0"] < 0.2 {
		t.Errorf("TV by row: %v", rows)
	}
	if slices.ContainsFunc(drawnObjectives, func(name string) bool { _, known := rows[name]; return !known }) {
		t.Errorf("a drawn row is none of %v", rows)
	}
}
