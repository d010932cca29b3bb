package sampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
)

// newNet returns a small network with the weights of a seed, times 2.5 (about He initialization).
func newNet(seed uint64, online bool) *models.Network {
	return netOf(models.Config{Online: online}, seed, 2.5)
}

// netOf returns a small network of a kind on points of the plane with the weights of a seed, times a factor.
func netOf(c models.Config, seed uint64, factor float32) *models.Network {
	c.Dim, c.Hidden, c.Embed, c.Global = 2, 32, 16, 24
	ps := modelstest.Weights(c.Layout(), rand.New(rand.NewPCG(seed, 0)), factor)
	return must.M1(models.NewNetwork(enginetest.Go(), c, ps))
}

// loops are the two ways to decode sets.
func loops(s *Sets) map[string]func([]Sequence, Policy) (*Result, error) {
	return map[string]func([]Sequence, Policy) (*Result, error){"host": s.runHost, "compiled": s.runCompiled}
}

// newPoints draws b sets of n points in two dimensions.
func newPoints(seed uint64, b, n int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, b*n*2)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// randomLabels draws labels of b sets, not numbered by first appearance.
func randomLabels(seed uint64, b, n, k int) [][]int32 {
	rng := rand.New(rand.NewPCG(seed, 2))
	labels := make([][]int32, b)
	for i := range labels {
		for range n {
			labels[i] = append(labels[i], 10*rng.Int32N(int32(k))-7)
		}
	}
	return labels
}

// inOrders returns one sequence a set and order; the first order is the set's own.
func inOrders(seed uint64, b, n, orders int) []Sequence {
	rng := rand.New(rand.NewPCG(seed, 3))
	var sequences []Sequence
	for set := range b {
		for i := range orders {
			q := Sequence{Set: set}
			if i > 0 {
				q.Order = data.Order(rng, n)
			}
			sequences = append(sequences, q)
		}
	}
	return sequences
}

// metBy lists values [N] of a set in the order in which a sequence meets its points.
func metBy[T any](q Sequence, values []T) []T {
	out := make([]T, len(values))
	for step := range out {
		out[step] = values[q.point(step)]
	}
	return out
}

// tableOf returns the energy table of labels [N] of a sequence's set, points and labels taken in the order met.
func tableOf(net *models.Network, x []float32, q Sequence, labels []int32) (metrics.EnergyTable, []int32) {
	n, d := len(labels), net.Config.Dim
	points := make([][]float32, n)
	for i := range points {
		points[i] = x[(q.Set*n+i)*d : (q.Set*n+i+1)*d]
	}
	met := canonical(metBy(q, labels))
	tables := must.M1(net.Tables(slices.Concat(metBy(q, points)...), met, 1, n))
	return tables[0], met
}

// assertSame wants equal labels, and log-probabilities and energies equal to 1e-4 relative (absolute below 1).
// Entropies follow the energies' rounding, some 2^-20 of their size.
func assertSame(t *testing.T, got, want *Result) {
	t.Helper()
	if len(got.Labels) != len(want.Labels) {
		t.Fatalf("%d sequences, want %d", len(got.Labels), len(want.Labels))
	}
	for i := range want.Labels {
		assertSameSequence(t, got, want, i)
	}
}

func assertSameSequence(t *testing.T, got, want *Result, i int) {
	t.Helper()
	if !slices.Equal(got.Labels[i], want.Labels[i]) {
		t.Fatalf("sequence %d: labels %v, want %v", i, got.Labels[i], want.Labels[i])
	}
	assertNear(t, "log-probability", got.LogProb[i], want.LogProb[i], 1e-4)
	assertNear(t, "final energy", got.Final[i], want.Final[i], 1e-4)
	for n := range want.Entropy[i] {
		assertNear(t, "entropy", got.Entropy[i][n], want.Entropy[i][n], 1e-4+1e-6*math.Abs(want.Final[i]))
	}
}

// assertNear compares to a relative tolerance, absolute below 1.
func assertNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Fatalf("%s %g, want %g", what, got, want)
	}
}

// canonical is a copy of labels, numbered by first appearance.
func canonical(labels []int32) []int32 {
	labels, _ = metrics.Canonical(labels)
	return labels
}
