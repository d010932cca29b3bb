package losses_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// The laws in the losses' doc comments, on hand-made energy tables of one set.

// handMade evaluates losses, and the gradient of the first of them by the energies, on a table [N][K_n+1] with labels
// [N].
func handMade(
	t *testing.T, table [][]float64, labels []int32, build func(t models.Table) []*graph.Node,
) (values []float64, gradient [][]float64) {
	t.Helper()
	n, k := len(table), 1
	for _, row := range table {
		k = max(k, len(row))
	}
	flat := make([]float32, n*k)
	for i := range flat {
		if flat[i] = models.Illegal; i%k < len(table[i/k]) {
			flat[i] = float32(table[i/k][i%k])
		}
	}
	out := enginetest.Run(t, func(in []*graph.Node) []*graph.Node {
		g := in[0].Graph()
		valid, last := make([]bool, n), make([]bool, n)
		for i := range n {
			valid[i], last[i] = true, i == n-1
		}
		slots := graph.OneHot(in[1], k, in[0].DType())
		taken := graph.ReduceSum(graph.Mul(slots, in[0]), 2)
		losses := build(models.Table{
			E: in[0], Taken: taken, Valid: graph.Const(g, [][]bool{valid}), Last: graph.Const(g, [][]bool{last}),
			Final: graph.Reshape(graph.Slice(taken, graph.AxisRange(), graph.AxisElem(n-1)), 1),
		})
		return append(losses, graph.Gradient(graph.ReduceAllSum(losses[0]), in[0])...)
	}, tensors.FromFlatDataAndDimensions(flat, 1, n, k), tensors.FromFlatDataAndDimensions(labels, 1, n))
	last := len(out) - 1
	for _, value := range out[:last] {
		values = append(values, float64(value[0]))
	}
	gradient = make([][]float64, n)
	for i, row := range table {
		for j := range row {
			gradient[i] = append(gradient[i], float64(out[last][i*k+j]))
		}
	}
	return values, gradient
}

// only is a loss's value and gradient.
func only(loss func(t models.Table) *graph.Node) func(t models.Table) []*graph.Node {
	return func(t models.Table) []*graph.Node { return []*graph.Node{loss(t)} }
}

// randomTable draws energies for random labels; a tie in every third row.
func randomTable(rng *rand.Rand, n int, spread float64) (table [][]float64, labels []int32) {
	labels = randomLabels(rng, n)
	k := 0
	for i, c := range labels {
		row := make([]float64, k+1)
		for j := range row {
			row[j] = spread * rng.NormFloat64()
		}
		if i%3 == 2 && len(row) > 1 {
			row[1] = row[0]
		}
		table = append(table, row)
		k = max(k, int(c)+1)
	}
	return table, labels
}

// shifted returns the table with constants added to all energies of rows from..to−1.
func shifted(table [][]float64, from, to int, by float64) [][]float64 {
	out := make([][]float64, len(table))
	for n, row := range table {
		out[n] = slices.Clone(row)
		if n >= from && n < to {
			for k := range out[n] {
				out[n][k] += by * float64(n+1)
			}
		}
	}
	return out
}

// MC, NLL, DB, TB and SubTB are never negative, and finite even for energies of ±80. They do not change when constants
// are added to the energies of the decisions before the last, and NLL of the last one either; so their gradients sum to
// zero over the slots of such a decision, with ties as well. GoMLX's ReduceMin hands the whole gradient to each of two
// equal slots.
func TestConstantsOfADecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 0))
	for trial := range 10 {
		table, labels := randomTable(rng, 3+rng.IntN(6), 2)
		if trial == 0 {
			table, labels = [][]float64{{9}, {2, 2}, {1, 1, 1}, {4, 3, 3}, {0, 0, 0}}, []int32{0, 1, 0, 1, 1}
		}
		large, largeLabels := randomTable(rng, len(table), 40)
		for _, c := range lossCases() {
			if !slices.Contains([]string{
				"MC, ε=0, of flows min", "DB of flows min", "SubTB(0.9) of flows min", "TB", "NLL",
			}, c.name) {
				continue
			}
			loss := only(func(t models.Table) *graph.Node { return c.graph(t, nil) })
			values, gradient := handMade(t, table, labels, loss)
			free := len(table) - 1 // decisions with a free constant
			if c.name == "NLL" {
				free++
			}
			moved, _ := handMade(t, shifted(table, 0, free, -5), labels, loss)
			assertClose(t, c.name+" with constants", moved[0], values[0], 1e-4, 1)
			for _, row := range gradient[:free] {
				sum, size := 0.0, 1.0
				for _, slope := range row {
					sum, size = sum+slope, math.Max(size, math.Abs(slope))
				}
				assertClose(t, c.name+": sum of the gradient of a row", sum, 0, 1e-5*size, 1)
			}
			if all, _ := handMade(t, shifted(table, 0, len(table), 3), labels, loss); c.name != "NLL" &&
				math.Abs(all[0]-values[0]) < 1e-2 {
				t.Errorf("%s = %v with and without a constant at the last decision, which has a scale", c.name, all[0])
			}
			if huge, _ := handMade(t, large, largeLabels, loss); !(values[0] >= 0 && huge[0] >= 0) ||
				math.IsInf(huge[0], 0) {
				t.Errorf("%s = %v, and %v on energies of ±80", c.name, values[0], huge[0])
			}
		}
	}
}

// The clamp with ε: flows far above ε do not notice it, flows far below become ε, and nothing overflows.
func TestMarginalConsistencyEpsilon(t *testing.T) {
	const epsilon = 1e-5
	clamped := func(t models.Table) []*graph.Node {
		return []*graph.Node{losses.MarginalConsistency(t, losses.FlowsMin, epsilon)}
	}
	for _, test := range []struct {
		name  string
		table [][]float64
		want  float64
	}{
		// N=2: into = log(1+ε), out = log(ε + e^{−E0} + e^{−E1}).
		{"flows of 1", [][]float64{{0}, {math.Log(2), math.Log(2)}}, 0},
		{"a flow of e^90", [][]float64{{0}, {-90, 30}}, square(90 - math.Log1p(epsilon))},
		{"no flow at all", [][]float64{{0}, {95, 99}}, square(math.Log(epsilon) - math.Log1p(epsilon))},
	} {
		values, gradient := handMade(t, test.table, []int32{0, 0}, clamped)
		assertClose(t, test.name, values[0], test.want, 1e-5, 1e-4)
		for _, slope := range slices.Concat(gradient...) {
			if math.IsNaN(slope) || math.IsInf(slope, 0) {
				t.Errorf("%s: gradient %v", test.name, gradient)
			}
		}
	}
}

func square(x float64) float64 { return x * x }

// The laws of detailed, trajectory and sub-trajectory balance, on the references that the graphs are compared with.

// Detailed balance is marginal consistency, decision by decision, with ties as well: P_F is the softmax of the energies
// that the flows are made of.
func TestDetailedBalanceIsMarginalConsistency(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 0))
	for n := 2; n < 11; n++ {
		e := energies{}
		e.table, e.labels = randomTable(rng, n, 2)
		for i, gap := range e.gaps() {
			if want := e.marginalGap(i+2, 0); gap == 0 || !(math.Abs(gap+want) <= 1e-12) {
				t.Errorf("N=%d, decision %d: the gap is %g, that of marginal consistency %g", n, i+2, gap, want)
			}
		}
	}
}

// Free flows are −log p(c_{1:n}|x) of any policy, however uncertain its decisions are: there every balance loss is
// zero. The paper's flows do not match, unless every decision is certain, except for TB, which has the final flow
// alone. Any other energies break the balance.
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
		e := energies{table: table, labels: labels, final: table[n-1][labels[n-1]], free: true}
		of := func(e energies) map[string]float64 {
			return map[string]float64{"MC": e.mc(0), "DB": e.db(), "SubTB": e.subtb(0.9)}
		}
		free := of(e)
		free["TB"] = e.tb()
		table[1][labels[1]] += 0.5
		broken := of(e)
		broken["TB"] = e.tb()
		table[1][labels[1]] -= 0.5
		e.free = false
		for name, value := range free {
			assertClose(t, name+" of free flows", value, 0, 1e-12, 1)
			if broken[name] < 1e-3 {
				t.Errorf("N=%d: %s = %v on free flows that do not match", n, name, broken[name])
			}
		}
		for name, value := range of(e) {
			if value < 1e-2 {
				t.Errorf("N=%d: %s of the paper's flows = %v at uncertain decisions", n, name, value)
			}
		}
	}
}
