package experiments

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// Clusters get the names of a reference so that the fewest points move; what has no partner gets a name of its own.
func TestAligned(t *testing.T) {
	for _, c := range []struct{ reference, labels, want []int32 }{
		{[]int32{0, 0, 1, 1, 2}, []int32{0, 0, 1, 1, 2}, []int32{0, 0, 1, 1, 2}},
		// names of the reference, in any order
		{[]int32{4, 4, 7, 7, 1}, []int32{0, 0, 1, 1, 2}, []int32{4, 4, 7, 7, 1}},
		{[]int32{0, 0, 0, 1, 1, 1}, []int32{0, 1, 1, 0, 0, 0}, []int32{1, 0, 0, 1, 1, 1}},
		{[]int32{0, 0, 0, 0}, []int32{0, 0, 1, 2}, []int32{0, 0, 1, 2}},          // two new clusters
		{[]int32{0, 1, 2, 3}, []int32{0, 0, 0, 0}, nil},                          // one of the four names
		{[]int32{0, 0, 0, 1, 1}, []int32{0, 0, 1, 1, 1}, []int32{0, 0, 1, 1, 1}}, // the third point moves
	} {
		got := aligned(c.reference, c.labels)
		if c.want == nil {
			c.want = slices.Repeat([]int32{got[0]}, 4)
			if got[0] > 3 {
				t.Errorf("one cluster for all has the name %d", got[0])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v after %v is named %v, want %v", c.labels, c.reference, got, c.want)
		}
		a, _ := metrics.Canonical(got)
		if b, _ := metrics.Canonical(c.labels); !slices.Equal(a, b) {
			t.Errorf("%v became %v, another partition", c.labels, got)
		}
	}
}

// oneSet is a source of one set.
type oneSet struct{ batch *data.Batch }

func (o oneSet) Batch(uint64, int) (*data.Batch, error) { return o.batch, nil }
func (o oneSet) Dim() int                               { return o.batch.D }
func (o oneSet) String() string                         { return "one set" }

// smallGallerySet is a set of n points under a small network.
func smallGallerySet(n int) (g gallerySet, net *models.Network) {
	net = smallNetwork(models.Config{Dim: 2, Hidden: 16, Embed: 8, Global: 8})
	rng := data.Rand(3, "points", 0)
	batch := data.NewBatch(1, n, 2)
	for i := range batch.X {
		batch.X[i] = float32(2 * rng.NormFloat64())
	}
	batch.Index = partition.Singletons(n)
	r := evaluation.Reader{Net: net, Source: oneSet{batch}}
	must.M(r.Each(context.Background(), 1, 1, func(set evaluation.Set) error {
		g.Set = set
		return nil
	}))
	return g, net
}

// The clusterings found by sampling are the most probable of all partitions, with their probabilities, when there are
// so few that each is drawn; how often they were drawn fits.
func TestTopClusterings(t *testing.T) {
	const n, samples = 4, 2000
	g, net := smallGallerySet(n)
	exact := must.M1(evaluation.AllPartitions(net, g.X, n))
	parts := posterior.Partitions(n)
	found := must.M1(g.top(samples))
	if len(found.Top) != 3 || found.Distinct != len(parts) {
		t.Fatalf("%d clusterings, %d different samples of %d partitions", len(found.Top), found.Distinct, len(parts))
	}
	order := make([]int, len(exact))
	floats.ArgsortStable(slices.Clone(exact), order)
	slices.Reverse(order) // from the most probable on
	for i, at := range order[:3] {
		top := found.Top[i]
		p := math.Exp(exact[at])
		if !slices.Equal(top.Labels, parts[at]) || math.Abs(top.P-p) > 1e-5 {
			t.Errorf("clustering %d is %v with p %g, want %v with %g", i, top.Labels, top.P, parts[at], p)
		}
		if sd := math.Sqrt(p * (1 - p) * samples); math.Abs(float64(top.Count)-p*samples) > 5*sd {
			t.Errorf("clustering %d was drawn %d times, want about %g", i, top.Count, p*samples)
		}
	}
	must.M(g.describe(found.Top, 50))
	first := found.Top[0]
	if first.Moved != 0 || found.Top[1].Moved == 0 || first.OrdersP <= 0 || first.OrdersP >= 1 || first.OrdersSD <= 0 {
		t.Errorf("described as %+v", found.Top)
	}
}

// How undecided a decision is follows from its probabilities: along a labelling, entropies by the definition, from
// energy tables.
func TestUndecided(t *testing.T) {
	const n = 5
	g, net := smallGallerySet(n)
	labels := []int32{0, 1, 0, 2, 1}
	others, last := must.M2(g.undecided(labels))
	table := must.M1(net.Tables(g.X, labels, 1, n))[0]
	var want []float64
	for _, row := range table[1:] {
		var entropy float64
		for _, e := range row {
			log := -e - logSumExpNeg(row...)
			entropy -= math.Exp(log) * log
		}
		want = append(want, entropy/math.Log(float64(len(row))))
	}
	if mean := (want[0] + want[1] + want[2]) / 3; math.Abs(others-mean) > 1e-4 || math.Abs(last-want[3]) > 1e-4 {
		t.Errorf("others %g and last %g, want %g and %g", others, last, mean, want[3])
	}
}

// The answer for each order is the most probable of all partitions in that order, when there are so few that each is
// drawn.
func TestInTwoOrders(t *testing.T) {
	const n = 4
	g, net := smallGallerySet(n)
	x := g.X
	parts := posterior.Partitions(n)
	differ := 0
	for g.Number = range 12 { // a set's number draws its order B
		s := must.M1(g.inTwoOrders(600))
		exact := must.M1(evaluation.AllPartitions(net, x, n))
		if best := floats.MaxIdx(exact); !slices.Equal(s.Labels[0], parts[best]) ||
			math.Abs(s.P[0]-math.Exp(exact[best])) > 1e-5 {
			t.Errorf("order A: %v with p %g, want %v with %g", s.Labels[0], s.P[0], parts[best], math.Exp(exact[best]))
		}
		var turned []float32
		for _, point := range s.Order {
			turned = append(turned, x[2*point], x[2*point+1])
		}
		exact = must.M1(evaluation.AllPartitions(net, turned, n))
		best := floats.MaxIdx(exact)
		want := make([]int32, n)
		for step, point := range s.Order {
			want[point] = parts[best][step]
		}
		if want, _ = metrics.Canonical(want); !slices.Equal(s.Labels[1], want) ||
			math.Abs(s.P[1]-math.Exp(exact[best])) > 1e-5 {
			t.Errorf("order B %v: %v with p %g, want %v with %g", s.Order, s.Labels[1], s.P[1], want,
				math.Exp(exact[best]))
		}
		if s.same() != (s.Moved == 0) || s.same() != (s.ARI == 1) {
			t.Errorf("same %v, %d moved, ARI %g", s.same(), s.Moved, s.ARI)
		}
		if !s.same() {
			differ++
		}
	}
	if differ == 0 || differ == 12 {
		t.Errorf("the order matters in %d of 12 cases: the example does not test both", differ)
	}
}

// A set counts for a method where only that method's clustering depends on the order.
func TestDependsAlone(t *testing.T) {
	one, two := []int32{0, 0}, []int32{0, 1}
	same, differs := twoOrdersSet{Labels: [2][]int32{one, one}}, twoOrdersSet{Labels: [2][]int32{one, two}}
	first := []twoOrdersSet{same, differs, same, differs, differs}
	second := []twoOrdersSet{same, same, differs, differs, same}
	if got := dependsAlone(first, second); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("sets %v, want 1 and 4", got)
	}
}
