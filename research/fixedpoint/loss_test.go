package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// countedLaw is a law of the partitions of four points whose probabilities are counts[p] of 45.
func countedLaw() (d *posterior.Distribution, counts []int) {
	var logProb []float64
	for p := range 15 {
		counts = append(counts, 1+(p*7)%5)
		logProb = append(logProb, math.Log(float64(counts[p])/45))
	}
	return must.M1(posterior.NewDistribution(4, logProb)), counts
}

func randomEnergies(t *states, seed uint64) []float64 {
	rng, e := rand.New(rand.NewPCG(seed, 5)), make([]float64, len(t.place))
	for i := range e {
		e[i] = 1.5 * rng.NormFloat64()
	}
	return e
}

// graphBatch is every order with every partition as often as the law has it: the states behind the energies of each
// candidate.
type graphBatch struct {
	b, n  int
	state [][][]int32 // [B][N][K] of the table; −1 is no slot
	taken [][]int32   // [B][N]
	final []int32     // [B]
}

func newGraphBatch(t *states, counts []int, all bool) graphBatch {
	n := len(t.exact.Labels[0])
	g, orders := graphBatch{n: n}, combin.Permutations(n, n)
	if !all {
		orders = [][]int{{0, 1, 2, 3}}
	}
	for _, order := range orders {
		for p, labels := range t.exact.Labels {
			met := slices.Repeat([]int32{-1}, n)
			rows, taken := [][]int32{slices.Repeat([]int32{-1}, n)}, []int32{0}
			rows[0][0] = 0 // the energy of the first point means nothing
			met[order[0]] = 0
			for _, i := range order[1:] {
				row, slot := slices.Repeat([]int32{-1}, n), int32(-1)
				for c := range slices.Max(met) + 2 {
					candidate := with(met, i, c)
					row[c] = int32(t.place[stateName(candidate)])
					if agrees(candidate, labels) {
						slot = c
					}
				}
				rows, taken = append(rows, row), append(taken, slot)
				met = with(met, i, slot)
			}
			for range counts[p] {
				g.state, g.taken = append(g.state, rows), append(g.taken, taken)
				g.final = append(g.final, int32(t.final[p]))
				g.b++
			}
		}
	}
	return g
}

// agrees reports whether a partition of some points is what labels say of them.
func agrees(part, labels []int32) bool {
	for i, c := range part {
		for j, d := range part {
			if c >= 0 && d >= 0 && (c == d) != (labels[i] == labels[j]) {
				return false
			}
		}
	}
	return true
}

// energiesOf gathers the energies of states [..., 1], with Illegal where there is none.
func energiesOf(e, state *graph.Node) *graph.Node {
	none := graph.LessThan(state, graph.ZerosLike(state))
	values := graph.Gather(e, graph.InsertAxes(graph.Where(none, graph.ZerosLike(state), state), -1))
	return graph.Where(none, graph.MulScalar(graph.OnesLike(values), models.Illegal), values)
}

// gradient returns the gradient of losses.Config.Objective on the batch by the energies of all states. The negative
// sample's final energy is its expectation.
func (g graphBatch) gradient(c losses.Config, kind string, e, sampled []float64, t *states) []float32 {
	single := make([]float32, len(e))
	for i, v := range e {
		single[i] = float32(v)
	}
	share := make([]float32, len(e))
	for p, q := range sampled {
		share[t.final[p]] += float32(q)
	}
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	out := must.M1(engine.NewFunc(backend, "objective", func(in []*graph.Node) []*graph.Node {
		e, b := in[0], g.b
		g1 := e.Graph()
		table := energiesOf(e, graph.Const(g1, g.state))
		taken := graph.ReduceSum(graph.Mul(graph.OneHot(graph.Const(g1, g.taken), g.n, e.DType()), table), 2)
		last := make([]bool, g.n)
		last[g.n-1] = true
		final := energiesOf(e, graph.Const(g1, g.final))
		valid := graph.Const(g1, slices.Repeat([][]bool{slices.Repeat([]bool{true}, g.n)}, b))
		terms := c.Objective(kind, losses.Sets{
			Table: models.Table{
				E: table, Taken: taken, Final: final,
				Valid: valid, Last: graph.Const(g1, slices.Repeat([][]bool{last}, b)),
			},
			Negative: graph.Mul(graph.OnesLike(final), graph.ReduceAllSum(graph.Mul(in[1], e))),
		}, graph.Const(g1, float32(1/float64(b))))
		return graph.Gradient(terms.Loss, e)
	}).Call(tensors.FromFlatDataAndDimensions(single, len(e)), tensors.FromFlatDataAndDimensions(share, len(e))))
	return must.M1(engine.Float32s(out[0]))
}

// The gradient by free energies equals the gradient of package losses on a batch that holds every order and partition
// as often as the law.
func TestTabularLossEqualsLosses(t *testing.T) {
	law, counts := countedLaw()
	for _, all := range []bool{false, true} {
		tree := newStates(law, all)
		batch := newGraphBatch(tree, counts, all)
		e := randomEnergies(tree, 3)
		for _, setting := range objectives {
			if all && setting.loss.MCEpsilon > 0 {
				continue // the clamp knows nothing of orders
			}
			c := setting.loss
			l := newTabularLoss(tree, setting.kind, c)
			gradient := make([]float64, len(e))
			l.field(gradient, e)
			graphGradient := batch.gradient(c, setting.kind, e, l.modelLaw(), tree)
			for i, want := range gradient {
				got := float64(graphGradient[i])
				if !(math.Abs(got-want) <= 2e-5*max(1, math.Abs(want), c.Lambda)) {
					t.Errorf("%s, all orders %v: gradient of state %d is %g, in the graph %g",
						setting.name, all, i, want, got)
				}
			}
			if floats.Norm(gradient, math.Inf(1)) < 1e-2 {
				t.Errorf("%s: a gradient of 0 says nothing", setting.name)
			}
		}
	}
}

// The states are the partitions of the points met, orders share them, and the policy at E = −log p(c_{1:n}|x) is the
// law.
func TestStates(t *testing.T) {
	law := lineLaw(5)
	for _, test := range []struct {
		all               bool
		states, decisions int
	}{
		{false, 2 + 5 + 15 + 52, 1 + 2 + 5 + 15},            // Bell numbers
		{true, 10*2 + 10*5 + 5*15 + 52, 20 + 60 + 100 + 75}, // of each subset; times the points that can come next
	} {
		tree := newStates(law, test.all)
		if len(tree.place) != test.states || len(tree.decisions) != test.decisions {
			t.Errorf("%d states, %d decisions, want %d, %d",
				len(tree.place), len(tree.decisions), test.states, test.decisions)
		}
		l := newTabularLoss(tree, losses.DataStep, losses.DefaultConfig())
		l.set(startAt(tree, 0))
		if !floats.EqualApprox(l.modelLaw(), tree.law, 1e-12) {
			t.Errorf("all orders %v: the policy of the law's energies is not the law", test.all)
		}
		l.set(randomEnergies(tree, 6))
		if sum := floats.Sum(l.modelLaw()); !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("all orders %v: a policy sums to %g", test.all, sum)
		}
	}
}

// restOf is where a row comes to rest.
func restOf(t *testing.T, tree *states, name string, starts int) restingPoints {
	t.Helper()
	i := slices.IndexFunc(objectives, func(s objective) bool { return s.name == name })
	return findRest(newTabularLoss(tree, objectives[i].kind, objectives[i].loss), starts)
}

// Likelihood and balanced free flows reach the law from everywhere, consistency alone wherever it likes, and the
// paper's flows never, however large λ is.
func TestFixedPoint(t *testing.T) {
	law := lineLaw(5)
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
	tree := newStates(lineLaw(5), false)
	for delta, exact := range map[float64]bool{0: true, 0.6: false} {
		l := newTabularLoss(tree, losses.DataStep, balanced("", losses.FlowsMin, 0.4, delta, 0).loss)
		l.follow(startAt(tree, 0))
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

// The experiment has all rows, and a picture.
func TestFixedPointTable(t *testing.T) {
	s := newStudy(1, 2)
	must.M(s.table.Check())
	if len(s.table.Figures) != 1 {
		t.Errorf("%d figures", len(s.table.Figures))
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
