package experiments

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// The marked points are exactly those in a pair that is together in one order only; among them, those that left their
// cluster.
func TestOrderMarks(t *testing.T) {
	const s, r, m = markSame, markRegroup, markMoved
	for _, c := range []struct {
		a, b []int32
		want []int
	}{
		{[]int32{0, 0, 1, 1, 2}, []int32{0, 0, 1, 1, 2}, []int{s, s, s, s, s}},
		{[]int32{0, 0, 1, 1, 2}, []int32{0, 0, 0, 0, 1}, []int{r, r, m, m, s}}, // two clusters become one
		{[]int32{0, 0, 0, 0, 1}, []int32{0, 0, 0, 1, 2}, []int{r, r, r, m, s}}, // one point leaves
		{[]int32{0, 0, 0, 1, 1, 1, 2, 2}, []int32{0, 0, 1, 1, 1, 1, 2, 2}, []int{r, r, m, r, r, r, s, s}},
		{[]int32{0, 1, 2}, []int32{0, 0, 0}, nil},
	} {
		got := must.M1(orderMarks(c.a, c.b))
		if c.want == nil {
			if slices.Contains(got, s) || len(got) != 3 {
				t.Errorf("%v and %v are marked %v", c.a, c.b, got)
			}
			continue
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v and %v are marked %v, want %v", c.a, c.b, got, c.want)
		}
	}
	rng := data.Rand(1, "marks", 0)
	for range 200 {
		a, b := make([]int32, 6), make([]int32, 6)
		for i := range a {
			a[i], b[i] = int32(rng.IntN(3)), int32(rng.IntN(3))
		}
		a, _ = metrics.Canonical(a)
		b, _ = metrics.Canonical(b)
		marks := must.M1(orderMarks(a, b))
		for i := range a {
			differs := false
			for k := range a {
				differs = differs || (a[i] == a[k]) != (b[i] == b[k])
			}
			if differs == (marks[i] == s) {
				t.Fatalf("%v and %v: point %d is marked %d", a, b, i, marks[i])
			}
		}
	}
}

// The answer for each order is the most probable of all partitions in that order, when there are so few that each is
// drawn.
func TestInTwoOrders(t *testing.T) {
	const n = 4
	g, net := smallGallerySet(n)
	x := g.X
	parts := must.M1(posterior.Partitions(n))
	differ := 0
	for g.Number = range 12 { // a set's number draws its order B
		s := must.M1(g.inTwoOrders(600))
		exact := must.M1(evaluation.AllPartitions(net, x, n))
		if best := floats.MaxIdx(exact); !slices.Equal(s.A, parts[best]) ||
			math.Abs(s.PA-math.Exp(exact[best])) > 1e-5 {
			t.Errorf("order A: %v with p %g, want %v with %g", s.A, s.PA, parts[best], math.Exp(exact[best]))
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
		if want, _ = metrics.Canonical(want); !slices.Equal(s.B, want) || math.Abs(s.PB-math.Exp(exact[best])) > 1e-5 {
			t.Errorf("order B %v: %v with p %g, want %v with %g", s.Order, s.B, s.PB, want, math.Exp(exact[best]))
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

// Clusterings that differ in nothing but the two points met last are the same before.
func TestSameBefore(t *testing.T) {
	order := []int32{4, 3, 0, 2, 1} // order A ends with point 4, order B with point 1
	for _, c := range []struct {
		b    []int32
		want bool
	}{
		{[]int32{0, 0, 1, 1, 1}, true},
		{[]int32{0, 0, 1, 1, 0}, true},
		{[]int32{0, 2, 1, 1, 3}, true},
		{[]int32{0, 0, 0, 1, 1}, false},
		{[]int32{0, 0, 1, 2, 1}, false},
	} {
		if got := (twoOrdersSet{A: []int32{0, 0, 1, 1, 1}, B: c.b, Order: order}).sameBefore(); got != c.want {
			t.Errorf("%v: %v", c.b, got)
		}
	}
}

// A set counts for a method where only that method's clustering depends on the order.
func TestDependsAlone(t *testing.T) {
	one, two := []int32{0, 0}, []int32{0, 1}
	same, differs := twoOrdersSet{A: one, B: one}, twoOrdersSet{A: one, B: two}
	first := []twoOrdersSet{same, differs, same, differs, differs}
	second := []twoOrdersSet{same, same, differs, differs, same}
	if got := dependsAlone(first, second); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("sets %v, want 1 and 4", got)
	}
}
