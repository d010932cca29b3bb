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

// allLabellings lists the canonical labels of n points: Bell(n) of them.
func allLabellings(n int) (all [][]int32) {
	var extend func(prefix []int32, k int32)
	extend = func(prefix []int32, k int32) {
		if len(prefix) == n {
			all = append(all, slices.Clone(prefix))
			return
		}
		for c := range k + 1 {
			extend(append(prefix, c), max(k, c+1))
		}
	}
	extend(nil, 0)
	return all
}

// Contrastive divergence is zero, and its gradient too, when data and samples have the same distribution: here each of
// the 15 labellings of one set of four points once, in two orders. The data's energies come out of the table and the
// samples' out of FinalEnergy, so this also says that both agree.
func TestContrastiveDivergenceVanishesAtEqualDistributions(t *testing.T) {
	const n = 4
	all := allLabellings(n)
	if len(all) != 15 { // Bell(4)
		t.Fatalf("%d labellings of 4 points, want 15", len(all))
	}
	p := newProblem(31, false, 1, n)
	p.b, p.x = len(all), slices.Repeat(p.x, len(all))
	p.labels = slices.Concat(all...)
	rng := rand.New(rand.NewPCG(32, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	p.negative = slices.Concat(all...)
	mean := func(table models.Table, negative *graph.Node) []*graph.Node {
		return []*graph.Node{
			graph.ReduceAllMean(losses.ContrastiveDivergence(table.Final, negative)), graph.ReduceAllMean(table.Final),
		}
	}
	values, gradients := p.values(t, models.FineBuckets, mean), p.gradients(t, models.FineBuckets, mean)
	assertClose(t, "CD", float64(values[0][0]), 0, 1e-6, math.Abs(float64(values[1][0])))
	largest := largestOf(gradients[1])
	if largest < 1e-3 {
		t.Fatalf("the energies have a gradient of at most %v: this test says nothing", largest)
	}
	if got := largestOf(gradients[0]); got > 1e-5*largest {
		t.Errorf("gradient of CD up to %v, of the energies %v; want none", got, largest)
	}
}

// Contrastive divergence changes its sign when data and sample change places.
func TestContrastiveDivergenceIsAntisymmetric(t *testing.T) {
	p := newProblem(33, false, 3, 6)
	cd := func(table models.Table, negative *graph.Node) []*graph.Node {
		return []*graph.Node{losses.ContrastiveDivergence(table.Final, negative), table.Final}
	}
	there := p.values(t, exact, cd)
	p.labels, p.negative = p.negative, p.labels
	back := p.values(t, exact, cd)
	for i := range there[0] {
		assertClose(t, "CD after the exchange", float64(back[0][i]), -float64(there[0][i]),
			1e-5, math.Abs(float64(there[1][i])))
		if there[0][i] == 0 {
			t.Errorf("set %d: CD is 0, so this test says nothing", i)
		}
	}
}
