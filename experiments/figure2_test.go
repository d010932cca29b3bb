package experiments

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// flowsWith are the flows that energies −log F give: of a final clustering F is a function of the clustering alone,
// of the state after two points it is given by whether the two are together.
func flowsWith(final [5]float64, second func(a, b, together int) float64) []orderFlows {
	var flows []orderFlows
	for _, order := range ordersOfThree {
		f := orderFlows{order: order}
		a, b := min(order[0], order[1]), max(order[0], order[1])
		for c2 := range 2 {
			f.energies[c2] = -math.Log(second(a, b, 1-c2))
		}
		for i := range partitionsOfThree {
			f.energies[2+i] = -math.Log(final[f.terminal(i)])
		}
		flows = append(flows, f)
	}
	return flows
}

// marginal is the probability that two points are together (1) or apart (0) under a law of the five partitions.
func marginal(law [5]float64) func(a, b, together int) float64 {
	return func(a, b, together int) (p float64) {
		for i, c := range partitionsOfThree {
			labels := []int{0, c[0], c[1]}
			if (labels[a] == labels[b]) == (together == 1) {
				p += law[i]
			}
		}
		return p
	}
}

// Energies that are −log of a law and of its marginals: every order gives that law, for no total variation between
// them, and the only gaps are those that Ê's shift makes: both states after two points have out/in = the larger
// marginal, and the first state has its inverse. Where all flow is in one clustering, there are none.
func TestOrdersAgreeOnMarginals(t *testing.T) {
	laws := [][5]float64{{0.1, 0.45, 0.05, 0.15, 0.25}}
	for certain := range partitionsOfThree {
		law := [5]float64{1e-30, 1e-30, 1e-30, 1e-30, 1e-30}
		law[certain] = 1
		laws = append(laws, law)
	}
	var flows []orderFlows
	for _, law := range laws {
		flows = flowsWith(law, marginal(law))
		for _, f := range flows {
			for i, p := range f.law() {
				if math.Abs(p-law[i]) > 1e-12 {
					t.Errorf("order %s: partition %d has probability %g, want %g", f, i, p, law[i])
				}
			}
			a, b := min(f.order[0], f.order[1]), max(f.order[0], f.order[1])
			larger := max(marginal(law)(a, b, 0), marginal(law)(a, b, 1))
			for k, n := range f.inner() {
				want := larger - 1
				if k == 0 {
					want = 1/larger - 1
				}
				if math.Abs(n.gap()-want) > 1e-12 {
					t.Errorf("order %s, %s: gap %g, want %g", f, n.name, n.gap(), want)
				}
			}
		}
		if spread := orderSpread(flows); spread > 1e-12 {
			t.Errorf("total variation %g between orders that agree", spread)
		}
	}
	// Two laws that exclude each other, in two pairs of orders against one: 8 of 15 pairs of orders differ wholly.
	for i := range flows {
		only := [5]float64{1e-300, 1e-300, 1e-300, 1e-300, 1e-300}
		only[map[bool]int{true: 0, false: 4}[i < 2]] = 1
		flows[i] = flowsWith(only, marginal(only))[i]
	}
	if spread := orderSpread(flows); math.Abs(spread-8.0/15) > 1e-9 {
		t.Errorf("total variation %g between orders of which 8 pairs of 15 exclude each other", spread)
	}
}

func smallNetwork(c models.Config) *models.Network {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	params := c.Init(data.Rand(7, "init", 0))
	for _, p := range params {
		for i := range p.Data {
			p.Data[i] *= 2.5 // as drawn, all energies are nearly equal
		}
	}
	return must.M1(models.NewNetwork(backend, c, params))
}

// A network's probabilities are those of sampling: they agree with the beam over all partitions in the first order,
// sum to 1 in every order, and are the same in two orders that end with the same point; otherwise an untrained
// network's differ.
func TestFlowsOfNetwork(t *testing.T) {
	net := smallNetwork(models.Config{Dim: 2, Hidden: 16, Embed: 8, Global: 8})
	flows := must.M1(flowsOf(net, threePoints))
	beam := must.M1(evaluation.AllPartitions(net, threePoints, 3))
	for i, f := range flows {
		var sum float64
		law, partner := f.law(), flows[i^1].law()
		for k, p := range law {
			sum += p
			if math.Abs(p-partner[k]) > 1e-5 {
				t.Errorf("orders %s and %s: partition %d has %g and %g", f, flows[i^1], k, p, partner[k])
			}
			if want := math.Exp(beam[k]); i == 0 && math.Abs(p-want) > 1e-5 {
				t.Errorf("partition %d has probability %g, the beam finds %g", k, p, want)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("order %s: the five probabilities sum to %g", f, sum)
		}
	}
	if spread := orderSpread(flows); spread < 1e-3 {
		t.Errorf("an untrained network's orders differ by %g only", spread)
	}
}

// The graph has the states and decisions of the paper's figure: six branches of a tree, and each final clustering is
// entered by every order once.
func TestOrderGraphShape(t *testing.T) {
	law := [5]float64{0.1, 0.45, 0.05, 0.15, 0.25}
	graph := flowFigures(flowsWith(law, marginal(law)), "a law")[0].Picture
	series := graph.Panels[0].Series
	if rows, edges := graph.Data.Rows, len(series)-1; len(rows) != 6+12+30 || len(rows) != edges ||
		len(series[edges].Words) != 1+6+12+5 {
		t.Errorf("%d records of %d edges", len(rows), edges)
	}
	into, weight := map[string]int{}, map[string]float64{}
	for _, row := range graph.Data.Rows {
		into[row[1].(string)]++
		weight[row[1].(string)] += row[4].(float64)
	}
	for i, name := range partitionNames() {
		if into[name] != 6 || math.Abs(weight[name]-6*law[i]) > 1e-9 {
			t.Errorf("%s is entered by %d orders with probabilities %g in total, want 6 and %g",
				name, into[name], weight[name], 6*law[i])
		}
	}
}
