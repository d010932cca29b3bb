package losses_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// The laws of detailed, trajectory and sub-trajectory balance, on hand-made energy tables of one set.

// only is a loss's value and gradient.
func only(loss func(t models.Table) *graph.Node) func(t models.Table) []*graph.Node {
	return func(t models.Table) []*graph.Node { return []*graph.Node{loss(t)} }
}

// Detailed balance is marginal consistency, decision by decision, in value and gradient, with ties as well: P_F is the
// softmax of the energies that the flows are made of.
func TestDetailedBalanceIsMarginalConsistency(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 0))
	for trial := range 5 {
		n := 2 + 2*trial
		table, labels := randomTable(rng, n, 2)
		for decision := 1; decision < n; decision++ {
			alone := func(loss func(t models.Table) *graph.Node) func(t models.Table) []*graph.Node {
				return only(func(t models.Table) *graph.Node {
					valid := make([]bool, n)
					valid[decision] = true
					t.Valid = graph.Const(t.E.Graph(), [][]bool{valid})
					return loss(t)
				})
			}
			db, slopes := handMade(t, table, labels,
				alone(func(t models.Table) *graph.Node { return losses.DetailedBalance(t, losses.FlowsMin) }))
			mc, want := handMade(t, table, labels,
				alone(func(t models.Table) *graph.Node { return losses.MarginalConsistency(t, losses.FlowsMin, 0) }))
			assertClose(t, "DB", db[0], mc[0], 1e-5, 1e-2)
			flat := slices.Concat(want...)
			for i, slope := range slices.Concat(slopes...) {
				assertClose(t, "gradient of DB", slope, flat[i], 1e-5, 1)
			}
			if mc[0] == 0 {
				t.Errorf("N=%d, decision %d: the gap is 0, the comparison says nothing", n, decision)
			}
		}
	}
}

// Free flows are −log p(c_{1:n}|x) of any policy, however uncertain its decisions are: there every balance loss is
// zero and so is its gradient; the paper's flows do not match, unless every decision is certain, except for TB, which
// has the final flow alone. Any other energies break the balance.
func TestFreeFlowsMatchAtTheLogProbability(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 0))
	for n := 3; n < 8; n++ {
		raw, labels := randomTable(rng, n, 1)
		policy := energies{table: raw, labels: labels}
		table, before := shifted(raw, 0, 0, 0), 0.0
		for i := 1; i < n; i++ {
			total := 0.0
			for _, v := range raw[i] {
				total += math.Exp(-v)
			}
			for k := range table[i] {
				table[i][k] += math.Log(total) - before
			}
			before += policy.logPolicy(i + 1)
		}
		of := func(flows string) map[string]func(t models.Table) []*graph.Node {
			return map[string]func(t models.Table) []*graph.Node{
				"MC":    only(func(t models.Table) *graph.Node { return losses.MarginalConsistency(t, flows, 0) }),
				"DB":    only(func(t models.Table) *graph.Node { return losses.DetailedBalance(t, flows) }),
				"SubTB": only(func(t models.Table) *graph.Node { return losses.SubTrajectoryBalance(t, flows, 0.9) }),
			}
		}
		paper, matching := of(losses.FlowsMin), of(losses.FlowsFree)
		matching["TB"] = only(losses.TrajectoryBalance)
		for name, free := range matching {
			values, gradient := handMade(t, table, labels, free)
			assertClose(t, name+" of free flows", values[0], 0, 1e-9, 1)
			for _, slope := range slices.Concat(gradient...) {
				assertClose(t, "gradient of "+name+" at its minimum", slope, 0, 1e-4, 1)
			}
			if build, ok := paper[name]; ok {
				if values, _ = handMade(t, table, labels, build); values[0] < 1e-2 {
					t.Errorf("N=%d: %s of the paper's flows = %v at uncertain decisions", n, name, values[0])
				}
			}
			table[1][labels[1]] += 0.5
			if values, _ = handMade(t, table, labels, free); values[0] < 1e-3 {
				t.Errorf("N=%d: %s = %v on free flows that do not match", n, name, values[0])
			}
			table[1][labels[1]] -= 0.5
		}
	}
}
