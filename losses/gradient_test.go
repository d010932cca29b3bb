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
	step := func(name string, c losses.Config, step kind) gradientCase {
		return gradientCase{
			name,
			func(table models.Table, negative *graph.Node) []*graph.Node {
				return build(c, step, 1/float64(table.Final.Shape().Dimensions[0]))(table, negative)[:1]
			},
			func(sets []energies) float64 { return objective(c, step, sets).loss },
		}
	}
	alone := func(name string, loss func(table models.Table, negative *graph.Node) *graph.Node,
		reference func(e energies) float64,
	) gradientCase {
		return gradientCase{
			name,
			func(table models.Table, negative *graph.Node) []*graph.Node {
				return []*graph.Node{graph.ReduceAllSum(loss(table, negative))}
			},
			func(sets []energies) (sum float64) {
				for _, e := range sets {
					sum += reference(e)
				}
				return sum
			},
		}
	}
	mc := func(epsilon float64) gradientCase {
		return alone(fmt.Sprintf("MC alone, ε=%v", epsilon),
			func(t models.Table, _ *graph.Node) *graph.Node {
				return losses.MarginalConsistency(t, losses.FlowsMin, epsilon)
			},
			func(e energies) float64 { return e.mc(epsilon) })
	}
	changed := losses.DefaultConfig()
	changed.MCEpsilon, changed.NLLWeight, changed.Normalize, changed.Gauge = 1e-2, 0.7, losses.Sum, 0.3
	trajectories := losses.DefaultConfig()
	trajectories.Balance = losses.TB
	free := losses.Config{Flows: losses.FlowsFree, BalanceWeight: 0.05, NLLWeight: 1, Normalize: losses.PerStep}
	freePieces := free
	freePieces.Balance = losses.SubTB
	return []gradientCase{
		step("GFNCP data step", losses.DefaultConfig(), dataStep),
		step("GFNCP data step, every term", changed, dataStep),
		step("GFNCP exploration step", losses.DefaultConfig(), exploration),
		step("GFNCP data step, TB", trajectories, dataStep),
		step("free flows beside likelihood", free, dataStep),
		step("free flows beside likelihood, SubTB", freePieces, dataStep),
		step("GFNCP warm-up", losses.DefaultConfig(), warmup),
		step("NCP", losses.DefaultConfig(), likelihood),
		mc(0), mc(1e-5), mc(0.3),
		alone("NLL alone",
			func(t models.Table, _ *graph.Node) *graph.Node { return losses.NegLogLikelihood(t) }, energies.nll),
		alone("CD alone",
			func(t models.Table, negative *graph.Node) *graph.Node {
				return losses.ContrastiveDivergence(t.Final, negative)
			},
			func(e energies) float64 { return e.final - e.negative }),
		alone("Reg alone",
			func(t models.Table, _ *graph.Node) *graph.Node { return losses.Regularization(t.Final) },
			func(e energies) float64 { return e.final * e.final }),
		alone("Gauge alone",
			func(t models.Table, _ *graph.Node) *graph.Node { return losses.Gauge(t) }, energies.gauge),
		alone("DB alone",
			func(t models.Table, _ *graph.Node) *graph.Node { return losses.DetailedBalance(t, losses.FlowsMin) },
			energies.db),
		alone("TB alone",
			func(t models.Table, _ *graph.Node) *graph.Node { return losses.TrajectoryBalance(t) }, energies.tb),
		alone("SubTB(0.9) alone",
			func(t models.Table, _ *graph.Node) *graph.Node {
				return losses.SubTrajectoryBalance(t, losses.FlowsMin, 0.9)
			},
			func(e energies) float64 { return e.subtb(0.9) }),
	}
}

// split returns the cases' names, their graphs as one, and their references as one.
func split(cases []gradientCase) (names []string, graphs lossFunc, reference func(sets []energies) []float64) {
	for _, c := range cases {
		names = append(names, c.name)
	}
	graphs = func(table models.Table, negative *graph.Node) (out []*graph.Node) {
		for _, c := range cases {
			out = append(out, c.graph(table, negative)...)
		}
		return out
	}
	reference = func(sets []energies) (values []float64) {
		for _, c := range cases {
			values = append(values, c.reference(sets))
		}
		return values
	}
	return names, graphs, reference
}

// slope is the central difference of the reference losses by one weight. Weights are float32: the divisor is the
// distance that was really walked.
func (p *problem) slope(weight *float32, step float32, reference func([]energies) []float64) []float64 {
	at := *weight
	defer func() { *weight = at }()
	*weight = at + step
	high, up := float64(*weight), reference(p.literal())
	*weight = at - step
	low, down := float64(*weight), reference(p.literal())
	for i := range up {
		up[i] = (up[i] - down[i]) / (high - low)
	}
	return up
}

// The gradients of all objectives by the weights equal central differences of the float64 reference: one weight of
// every tensor and others at random. A weight is skipped where two step sizes disagree, for there a ReLU or a minimum
// has its kink.
func TestGradientsEqualCentralDifferences(t *testing.T) {
	for _, online := range []bool{false, true} {
		t.Run(fmt.Sprintf("online=%v", online), func(t *testing.T) {
			p := newProblem(11, online, 2, 7)
			names, graphs, reference := split(gradientCases())
			got := p.gradients(t, loose, graphs)
			rng := rand.New(rand.NewPCG(12, 0))
			checked, moved := make([]int, len(names)), make([]int, len(names))
			const weights = 64
			for i := range weights {
				tensor := i
				if i >= len(p.params) {
					tensor = rng.IntN(len(p.params))
				}
				param := p.params[tensor]
				at := rng.IntN(len(param.Data))
				wide, narrow := p.slope(&param.Data[at], 4e-4, reference), p.slope(&param.Data[at], 1e-4, reference)
				for j, name := range names {
					largest := largestOf(got[j])
					if !(math.Abs(wide[j]-narrow[j]) <= 1e-4*math.Abs(narrow[j])+1e-6*largest) {
						continue
					}
					checked[j]++
					if !(math.Abs(narrow[j]) <= 1e-3*largest) {
						moved[j]++
					}
					what := fmt.Sprintf("%s: gradient by %s[%d]", name, param.Name, at)
					assertClose(t, what, float64(got[j][tensor][at]), narrow[j], 1e-3, 1e-2*largest)
				}
			}
			for j, name := range names {
				if checked[j] < weights*3/4 || moved[j] < weights/4 {
					t.Errorf("%s: %d of %d weights checked, %d of them matter: too few",
						name, checked[j], weights, moved[j])
				}
			}
		})
	}
}

// largestOf is the largest absolute value of a gradient.
func largestOf(gradient [][]float32) (largest float64) {
	for _, g := range gradient {
		for _, v := range g {
			largest = math.Max(largest, math.Abs(float64(v)))
		}
	}
	return largest
}

// Padding changes no gradient.
func TestPaddingLeavesGradients(t *testing.T) {
	p := newProblem(13, false, 3, 9)
	names, graphs, _ := split(gradientCases())
	want := p.gradients(t, exact, graphs)
	for padName, pad := range buckets {
		got := p.gradients(t, pad, graphs)
		for j, name := range names {
			largest := largestOf(want[j])
			flatWant, flatGot := slices.Concat(want[j]...), slices.Concat(got[j]...)
			for i := range flatWant {
				if !(math.Abs(float64(flatGot[i]-flatWant[i])) <= 1e-5*largest) {
					t.Fatalf("%s, padding %s: gradient value %d = %v, want %v",
						name, padName, i, flatGot[i], flatWant[i])
				}
			}
		}
	}
}
