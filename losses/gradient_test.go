package losses_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// gradientCase is one loss as a scalar node and as its reference.
type gradientCase struct {
	name      string
	graph     lossFunc
	reference func(sets []energies) float64
}

// gradientCases are the objectives of the four steps as they are trained, and each loss alone, summed over the sets.
func gradientCases() []gradientCase {
	step := func(name string, c losses.Config, step string) gradientCase {
		return gradientCase{
			name,
			func(table models.Table, negative *graph.Node) []*graph.Node {
				return build(c, step, 1/float64(table.Final.Shape().Dimensions[0]))(table, negative)[:1]
			},
			func(sets []energies) float64 { return objective(c, step, sets).loss },
		}
	}
	changed := losses.DefaultConfig()
	changed.MCEpsilon, changed.NLLWeight, changed.Normalize, changed.Gauge = 1e-2, 0.7, losses.Sum, 0.3
	trajectories := losses.DefaultConfig()
	trajectories.Balance = losses.TB
	free := losses.Config{Flows: losses.FlowsFree, BalanceWeight: 0.05, NLLWeight: 1, Normalize: losses.PerStep}
	freePieces := free
	freePieces.Balance = losses.SubTB
	cases := []gradientCase{
		step("GFNCP data step", losses.DefaultConfig(), losses.DataStep),
		step("GFNCP data step, every term", changed, losses.DataStep),
		step("GFNCP exploration step", losses.DefaultConfig(), losses.ExplorationStep),
		step("GFNCP data step, TB", trajectories, losses.DataStep),
		step("free flows beside likelihood", free, losses.DataStep),
		step("free flows beside likelihood, SubTB", freePieces, losses.DataStep),
		step("GFNCP warm-up", losses.DefaultConfig(), losses.WarmupStep),
		step("NCP", losses.DefaultConfig(), losses.LikelihoodStep),
	}
	for _, c := range lossCases() {
		cases = append(cases, gradientCase{
			c.name + " alone",
			func(table models.Table, negative *graph.Node) []*graph.Node {
				return []*graph.Node{graph.ReduceAllSum(c.graph(table, negative))}
			},
			func(sets []energies) (sum float64) {
				for _, e := range sets {
					sum += c.reference(e)
				}
				return sum
			},
		})
	}
	return cases
}

// slope is the central difference of a reference by one energy of a table.
func slope(at *float64, step float64, reference func() float64) float64 {
	value := *at
	defer func() { *at = value }()
	*at = value + step
	up := reference()
	*at = value - step
	return (up - reference()) / (2 * step)
}

// The gradients of all objectives by the energies equal central differences of the float64 reference. An energy is
// skipped where two step sizes disagree: a minimum has its kink there.
func TestGradientsEqualCentralDifferences(t *testing.T) {
	const n, negative = 7, 1.5
	rng := rand.New(rand.NewPCG(12, 0))
	table, labels := randomTable(rng, n, 2)
	for _, row := range table {
		for k := range row {
			row[k] = float64(float32(row[k] + 0.01*rng.NormFloat64())) // without ties
		}
	}
	for _, c := range gradientCases() {
		_, got := handMade(t, table, labels, func(table models.Table) []*graph.Node {
			return c.graph(table, graph.Const(table.E.Graph(), []float32{negative}))
		})
		reference := func() float64 {
			final := table[n-1][labels[n-1]]
			return c.reference([]energies{{table: table, labels: labels, final: final, negative: negative}})
		}
		largest, checked, count := 0.0, 0, 0
		for _, row := range got {
			for _, v := range row {
				largest = max(largest, math.Abs(v))
			}
		}
		for i, row := range table {
			for k := range row {
				count++
				wide, narrow := slope(&row[k], 1e-4, reference), slope(&row[k], 1e-5, reference)
				if math.Abs(wide-narrow) > 1e-4*largest {
					continue
				}
				checked++
				assertClose(t, fmt.Sprintf("%s: gradient by energy %d of point %d", c.name, k, i), got[i][k], narrow,
					1e-3, 1e-2*largest)
			}
		}
		if checked < count*9/10 || largest < 1e-3 {
			t.Errorf("%s: %d of %d energies checked, gradients up to %g: too few", c.name, checked, count, largest)
		}
	}
}

// Padding changes no gradient.
func TestPaddingLeavesGradients(t *testing.T) {
	p := newProblem(13, false, 3, 9)
	cases := gradientCases()
	graphs := func(table models.Table, negative *graph.Node) (out []*graph.Node) {
		for _, c := range cases {
			out = append(out, c.graph(table, negative)...)
		}
		return out
	}
	want := p.gradients(t, exact, graphs)
	for padName, pad := range buckets {
		got := p.gradients(t, pad, graphs)
		for j, c := range cases {
			largest, flatWant, flatGot := 0.0, slices.Concat(want[j]...), slices.Concat(got[j]...)
			for _, v := range flatWant {
				largest = max(largest, math.Abs(float64(v)))
			}
			for i, v := range flatWant {
				if !(math.Abs(float64(flatGot[i]-v)) <= 1e-5*largest) {
					t.Fatalf("%s, padding %s: gradient value %d = %v, want %v",
						c.name, padName, i, flatGot[i], v)
				}
			}
		}
	}
}
