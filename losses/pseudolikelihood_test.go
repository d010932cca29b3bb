package losses_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// The pseudo-likelihood is the sum over the real points of the surprise at their own cluster; a constant on all
// energies of a set changes nothing, a slot of no cluster has no share, and the gradient is probability minus truth.
func TestPseudoLikelihood(t *testing.T) {
	const illegal = models.Illegal
	energies := [][][]float32{
		{{1, 3, illegal}, {0, 2, -1}, {7, 7, 7}}, // the third point is padded
		{{101, 103, illegal}, {100, 102, 99}, {7, 7, 7}},
	}
	labels := []int{1, 2}
	f := must.M1(engine.NewFunc(goBackend(), "pseudo-likelihood", func(in []*graph.Node) []*graph.Node {
		g := in[0].Graph()
		own := graph.Const(g, [][][]float32{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}})
		l := losses.PseudoLikelihood(models.LeftOut{
			E: in[0], Taken: graph.ReduceSum(graph.Mul(own, in[0]), 2),
			Valid: graph.Const(g, [][]bool{{true, true, false}, {true, true, false}}),
		})
		return append([]*graph.Node{l}, graph.Gradient(graph.ReduceAllSum(l), in[0])...)
	}))
	out := must.M1(f.Call(tensors.FromValue(energies)))
	values, slopes := must.M1(engine.Float32s(out[0])), must.M1(engine.Float32s(out[1]))
	want := 0.0
	for i, own := range labels {
		total := 0.0
		for _, e := range energies[0][i] {
			total += math.Exp(-float64(e))
		}
		want += float64(energies[0][i][own]) + math.Log(total)
		for k, e := range energies[0][i] {
			slope := -math.Exp(-float64(e)) / total
			if k == own {
				slope++
			}
			assertClose(t, "slope", float64(slopes[i*3+k]), slope, 1e-5, 1)
		}
	}
	for set, got := range values {
		assertClose(t, "pseudo-likelihood", float64(got), want, 1e-5, 1)
		for k := range 3 {
			assertClose(t, "slope of a padded point", float64(slopes[set*9+6+k]), 0, 1e-9, 1)
		}
	}
}
