package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
)

// gradientOf are a sum over a table's legal energies, each with a weight of its own, and its gradient by the network's
// weights, of labelled sets that the host lists, or the graph.
func gradientOf(t *testing.T, c models.Config, x []float32, labels []int32, b, n int, listed bool) [][]float32 {
	t.Helper()
	ps := c.Init(rand.New(rand.NewPCG(5, 0)))
	build := func(in []*Node) []*Node {
		weights, rest := in[:len(ps)], in[len(ps):]
		inputs := models.TableInputsFrom
		if listed {
			inputs = models.ListedInputs
		}
		table := models.Fold(c, weights).Table(inputs(rest))
		legal := LessThan(table.E, Const(table.E.Graph(), float32(models.Illegal/2)))
		valid := BroadcastToShape(InsertAxes(table.Valid, 2), table.E.Shape())
		weigh := func(x *Node) *Node { // by point and slot
			scale := AddScalar(Iota(x.Graph(), x.Shape(), 1), 1)
			if x.Rank() == 3 {
				scale = Mul(scale, AddScalar(Iota(x.Graph(), x.Shape(), 2), 0.5))
			}
			return Mul(x, scale)
		}
		energies := Where(LogicalAnd(legal, valid), weigh(table.E), ZerosLike(table.E))
		taken := Where(table.Valid, weigh(table.Taken), ZerosLike(table.Taken))
		loss := Add(ReduceAllSum(energies), ReduceAllSum(taken))
		gradient := Gradient(loss, weights...)
		for _, node := range loss.Graph().Nodes() {
			if listed && node.Type() == NodeTypeScatterSum {
				t.Errorf("a scatter: %s", node)
			}
		}
		return append([]*Node{loss}, gradient...)
	}
	x = c.WithAlpha(x, n, nil)
	in := ps.Tensors()
	if listed {
		l := must.M1(models.ListOnDevice(labels, b, n, models.CoarseBuckets))
		in = append(append(in, l.PadPoints(x, c.Inputs())), l.Tensors()...)
	} else {
		l := must.M1(models.ListCandidates(labels, b, n, models.FineBuckets))
		in = append(append(in, l.PadPoints(x, c.Inputs())), l.Tensors()...)
	}
	return enginetest.Run(t, build, in...)
}

// Gathers whose gradients gather have the gradients of those that scatter, in every kind of network.
func TestGatheredGradientsEqualScattered(t *testing.T) {
	for name, c := range smallConfigs() {
		for _, n := range []int{5, 32, 45} {
			t.Run(fmt.Sprintf("%s/N=%d", name, n), func(t *testing.T) {
				const b = 2
				x, labels := randomSets(rand.New(rand.NewPCG(3, uint64(n))), b, n, c.Dim)
				want := gradientOf(t, c, x, labels, b, n, false)
				got := gradientOf(t, c, x, labels, b, n, true)
				most := 0.0
				for i := range want {
					scale := 0.0
					for _, v := range want[i] {
						scale = max(scale, math.Abs(float64(v)))
					}
					most = max(most, scale)
					for j, v := range want[i] {
						if !(math.Abs(float64(got[i][j]-v)) <= 1e-4*scale+1e-9*most) { // some are 0 but for rounding
							t.Fatalf("result %d at %d is %g, want %g (of %g)", i, j, got[i][j], v, scale)
						}
					}
				}
			})
		}
	}
}
