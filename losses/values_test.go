package losses_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// sizes are the numbers of points tried: 2 makes the first decision the last one too.
var sizes = []int{2, 3, 7, 11}

// lossCase is a loss [B] with its reference.
type lossCase struct {
	name      string
	graph     func(table models.Table, negative *graph.Node) *graph.Node
	reference func(e energies) float64
}

// lossCases are all losses.
func lossCases() (cases []lossCase) {
	of := func(name string, loss func(t models.Table) *graph.Node, reference func(e energies) float64) {
		graph := func(t models.Table, _ *graph.Node) *graph.Node { return loss(t) }
		cases = append(cases, lossCase{name, graph, reference})
	}
	for _, flows := range []string{losses.FlowsMin, losses.FlowsFree} {
		balance := func(
			name string, loss func(t models.Table, flows string) *graph.Node, reference func(e energies) float64,
		) {
			of(name+" of flows "+flows,
				func(t models.Table) *graph.Node { return loss(t, flows) },
				func(e energies) float64 { e.free = flows == losses.FlowsFree; return reference(e) })
		}
		for _, epsilon := range []float64{0, 1e-5, 0.5} {
			balance(fmt.Sprintf("MC, ε=%g,", epsilon),
				func(t models.Table, flows string) *graph.Node { return losses.MarginalConsistency(t, flows, epsilon) },
				func(e energies) float64 { return e.mc(epsilon) })
		}
		balance("DB", losses.DetailedBalance, energies.db)
		for _, lambda := range []float64{0.9, 0.2} {
			balance(fmt.Sprintf("SubTB(%g)", lambda),
				func(t models.Table, flows string) *graph.Node { return losses.SubTrajectoryBalance(t, flows, lambda) },
				func(e energies) float64 { return e.subtb(lambda) })
		}
	}
	of("TB", losses.TrajectoryBalance, energies.tb)
	of("NLL", losses.NegLogLikelihood, energies.nll)
	of("Gauge", losses.Gauge, energies.gauge)
	of("Reg", func(t models.Table) *graph.Node { return losses.Regularization(t.Final) },
		func(e energies) float64 { return e.final * e.final })
	return append(cases, lossCase{
		"CD",
		func(t models.Table, negative *graph.Node) *graph.Node {
			return losses.ContrastiveDivergence(t.Final, negative)
		},
		func(e energies) float64 { return e.final - e.negative },
	})
}

// Each loss of each set equals the reference, whatever the padding.
func TestLossesEqualReference(t *testing.T) {
	cases := lossCases()
	for _, n := range sizes {
		for _, online := range []bool{false, true} {
			p := newProblem(uint64(n), online, 3, n)
			want := p.energies()
			for name, pad := range buckets {
				t.Run(fmt.Sprintf("N=%d/online=%v/%s", n, online, name), func(t *testing.T) {
					got := p.values(t, pad, func(table models.Table, negative *graph.Node) (out []*graph.Node) {
						for _, c := range cases {
							out = append(out, c.graph(table, negative))
						}
						return out
					})
					for i, e := range want {
						for j, c := range cases {
							floor := 1e-2
							if c.name == "CD" { // a difference in float32
								floor = math.Abs(e.final) + math.Abs(e.negative)
							}
							assertClose(t, fmt.Sprintf("%s of set %d", c.name, i),
								float64(got[j][i]), c.reference(e), 1e-4, floor)
						}
					}
				})
			}
		}
	}
}

// variants are objectives that differ from the default in one thing each, and some that differ in more.
func variants() map[string]losses.Config {
	edit := func(change func(c *losses.Config)) losses.Config {
		c := losses.DefaultConfig()
		change(&c)
		return c
	}
	return map[string]losses.Config{
		"default":  losses.DefaultConfig(),
		"sum":      edit(func(c *losses.Config) { c.Normalize = losses.Sum }),
		"epsilon":  edit(func(c *losses.Config) { c.MCEpsilon = 1e-5 }),
		"with NLL": edit(func(c *losses.Config) { c.NLLWeight = 0.3 }),
		"no terms": edit(func(c *losses.Config) { c.Lambda, c.Delta, c.Gauge = 0, 0, 0 }),
		"gauge":    edit(func(c *losses.Config) { c.Gauge = 0.7 }),
		"MC":       edit(func(c *losses.Config) { c.Balance = losses.MC }),
		"DB":       edit(func(c *losses.Config) { c.Balance = losses.DB }),
		"TB":       edit(func(c *losses.Config) { c.Balance, c.Normalize = losses.TB, losses.Sum }),
		"SubTB":    edit(func(c *losses.Config) { c.Balance = losses.SubTB }),
		"SubTB(1)": edit(func(c *losses.Config) { c.Balance, c.SubTBLambda = losses.SubTB, 1 }),
		"all": edit(func(c *losses.Config) {
			c.Normalize, c.MCEpsilon, c.NLLWeight, c.Lambda, c.Delta = losses.Sum, 1e-3, 2, 1.5, 0.1
			c.Gauge = 0.2
		}),
	}
}

// build returns the objective's terms of a step as graph nodes in the order of the struct terms. share is 1/B.
func build(c losses.Config, step string, share float64) lossFunc {
	return func(table models.Table, negative *graph.Node) []*graph.Node {
		s := graph.Const(table.E.Graph(), float32(share))
		t := c.Objective(step, losses.Sets{Table: table, Negative: negative}, s)
		zero := graph.ZerosLike(t.Loss)
		out := []*graph.Node{t.Loss, zero, zero, zero, zero}
		for _, part := range t.Parts {
			if at := slices.Index([]string{"mc", "cd", "reg", "nll"}, part.Name); at >= 0 {
				out[1+at] = part.Node
			}
		}
		return out
	}
}

var kinds = []string{losses.DataStep, losses.ExplorationStep, losses.LikelihoodStep, losses.WarmupStep}

// The combined objective and each of its terms equal the reference, whatever the padding.
func TestObjectiveEqualsReference(t *testing.T) {
	p := newProblem(5, false, 3, 7)
	sets := p.energies()
	for configName, c := range variants() {
		for _, step := range kinds {
			want := objective(c, step, sets)
			for padName, pad := range buckets {
				t.Run(configName+"/"+step+"/"+padName, func(t *testing.T) {
					got := p.values(t, pad, build(c, step, 1.0/3))
					for i, term := range []struct {
						name  string
						value float64
					}{{"Loss", want.loss}, {"MC", want.mc}, {"CD", want.cd}, {"Reg", want.reg}, {"NLL", want.nll}} {
						assertClose(t, term.name, float64(got[i][0]), term.value, 1e-4, 1e-2)
					}
				})
			}
		}
	}
}

// part returns sets from..to−1 of the problem.
func (p *problem) part(from, to int) *problem {
	q := *p
	nd := p.n * p.config.Dim
	q.b, q.x = to-from, p.x[from*nd:to*nd]
	q.labels, q.negative = p.labels[from*p.n:to*p.n], p.negative[from*p.n:to*p.n]
	return &q
}

// Parts of a batch, each with the whole batch's share, add up to the whole.
func TestPartsOfABatchAddUp(t *testing.T) {
	p := newProblem(6, false, 5, 8)
	for _, step := range kinds {
		share := build(losses.DefaultConfig(), step, 1.0/5)
		whole := p.values(t, exact, share)
		first, second := p.part(0, 2).values(t, exact, share), p.part(2, 5).values(t, loose, share)
		for i := range whole {
			sum := float64(first[i][0]) + float64(second[i][0])
			assertClose(t, fmt.Sprintf("%s step, term %d", step, i), sum, float64(whole[i][0]), 1e-5, 1e-2)
		}
	}
}
