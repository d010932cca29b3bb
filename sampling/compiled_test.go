package sampling

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// The compiled loop is the host loop, with either rule of buckets, in permuted orders.
func TestCompiledEqualsHost(t *testing.T) {
	const b, n, orders = 3, 21, 3
	sequences := inOrders(7, b, n, orders)
	policies := map[string]Policy{
		"ancestral": NewAncestral(rand.New(rand.NewPCG(11, 4)), len(sequences), n),
		"given":     &Given{Labels: randomLabels(11, b, n, 9)},
		"redraw": &Redraw{
			Labels: randomLabels(11, len(sequences), n, 6), Keep: 8,
			Ancestral: NewAncestral(rand.New(rand.NewPCG(12, 4)), len(sequences), n),
		},
	}
	for _, online := range []bool{false, true} {
		for name, buckets := range map[string]models.Buckets{
			"fine": models.FineBuckets, "coarse": models.CoarseBuckets,
		} {
			net := newNet(3, online)
			net.Buckets = buckets
			sets := must.M1(Encode(net, newPoints(5, b, n), b, n))
			for kind, policy := range policies {
				t.Run(fmt.Sprintf("online=%v/%s/%s", online, name, kind), func(t *testing.T) {
					want := must.M1(sets.runHost(sequences, policy))
					assertSame(t, must.M1(sets.runCompiled(sequences, policy)), want)
				})
			}
		}
	}
}

// K grows through several buckets of slots: 4 to begin with, then 8, 16, 32.
func TestCompiledGrowsSlots(t *testing.T) {
	const n = 40
	net := newNet(3, false)
	sets := must.M1(Encode(net, newPoints(6, 1, n), 1, n))
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(i / 2)
	}
	sequences := make([]Sequence, 2)
	sequences[1].Order = permutation(rand.New(rand.NewPCG(1, 2)), n)
	policy := &Given{Labels: [][]int32{labels}}
	got := must.M1(sets.runCompiled(sequences, policy))
	assertSame(t, got, must.M1(sets.runHost(sequences, policy)))
	if k := metrics.Clusters(got.Labels[1]); k != n/2 {
		t.Fatalf("%d clusters, want %d", k, n/2)
	}
}

// A set of more points than one call of the loop takes, with a cluster structure that needs more slots on the way.
func TestCompiledSegments(t *testing.T) {
	const n = segmentMost + 30
	net := newNet(3, false)
	sets := must.M1(Encode(net, newPoints(9, 1, n), 1, n))
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(i % 3)
		if i > segmentMost {
			labels[i] = int32(i % 7)
		}
	}
	policy := &Given{Labels: [][]int32{labels}}
	got := must.M1(sets.runCompiled(sets.EachSet(), policy))
	assertSame(t, got, must.M1(sets.runHost(sets.EachSet(), policy)))
}

// More sequences than one loop takes are decoded in groups, which take each window one after the other; progress counts
// the steps of all.
func TestCompiledGroups(t *testing.T) {
	const n, samples = 3, sideBySide + 5
	net := newNet(3, false)
	sets := must.M1(encode(t.Context(), net, newPoints(8, 1, n), 1, n, 2)) // windows of 2 steps and 1
	sequences := make([]Sequence, samples)
	policy := NewAncestral(rand.New(rand.NewPCG(2, 3)), samples, n)
	want := must.M1(sets.runHost(sequences, policy))
	var heard []int
	sets.Progress = func(done, total int) { heard = append(heard, done, total) }
	assertSame(t, must.M1(sets.runCompiled(sequences, policy)), want)
	if want := []int{2, 6, 4, 6, 5, 6, 6, 6}; !slices.Equal(heard, want) {
		t.Errorf("progress %v, want %v", heard, want)
	}
}
