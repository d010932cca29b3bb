package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// The compiled loop is the host loop, with either rule of buckets, in permuted orders.
func TestCompiledEqualsHost(t *testing.T) {
	const b, n, orders = 3, 21, 3
	sequences := inOrders(7, b, n, orders)
	policies := map[string]Policy{
		"ancestral": Ancestral(rand.New(rand.NewPCG(11, 4)), len(sequences), n),
		"given":     Given(randomLabels(11, len(sequences), n, 9)),
		"redraw": Redraw(randomLabels(11, len(sequences), n, 6), 8,
			Ancestral(rand.New(rand.NewPCG(12, 4)), len(sequences), n)),
	}
	for _, online := range []bool{false, true} {
		for name, buckets := range map[string]models.Buckets{
			"fine": models.FineBuckets, "coarse": models.CoarseBuckets,
		} {
			net := newNet(3, online)
			net.Buckets = buckets
			sets := must.M1(Encode(context.Background(), net, newPoints(5, b, n), b, n))
			for kind, policy := range policies {
				t.Run(fmt.Sprintf("online=%v/%s/%s", online, name, kind), func(t *testing.T) {
					want := must.M1(sets.runHost(sequences, policy))
					assertSame(t, must.M1(sets.runCompiled(sequences, policy)), want)
				})
			}
		}
	}
}

// K grows through several buckets of slots, 4 to begin with, then 8, 16, 32; and a set of more points than one call of
// the loop takes needs more slots on the way.
func TestCompiledGrows(t *testing.T) {
	net := newNet(3, false)
	for n, label := range map[int]func(i int) int{
		40: func(i int) int { return i / 2 },
		segmentMost + 30: func(i int) int {
			if i > segmentMost {
				return i % 7
			}
			return i % 3
		},
	} {
		sets := must.M1(Encode(context.Background(), net, newPoints(6, 1, n), 1, n))
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(label(i))
		}
		sequences := []Sequence{{}, {Order: data.Order(rand.New(rand.NewPCG(1, 2)), n)}}
		policy := Given([][]int32{labels, labels})
		got := must.M1(sets.runCompiled(sequences, policy))
		assertSame(t, got, must.M1(sets.runHost(sequences, policy)))
		if k, want := metrics.Clusters(got.Labels[1]), metrics.Clusters(labels); k != want {
			t.Fatalf("%d clusters, want %d", k, want)
		}
	}
}

// More sequences than one loop takes are decoded in groups, one after the other; progress counts the steps of all.
func TestCompiledGroups(t *testing.T) {
	const n, samples = 3, sideBySide + 5
	net := newNet(3, false)
	sets := must.M1(Encode(context.Background(), net, newPoints(8, 1, n), 1, n))
	sequences := make([]Sequence, samples)
	policy := Ancestral(rand.New(rand.NewPCG(2, 3)), samples, n)
	want := must.M1(sets.runHost(sequences, policy))
	var heard []int
	sets.Progress = func(done, total int) { heard = append(heard, done, total) }
	assertSame(t, must.M1(sets.runCompiled(sequences, policy)), want)
	if want := []int{3, 6, 6, 6}; !slices.Equal(heard, want) {
		t.Errorf("progress %v, want %v", heard, want)
	}
}

// embeddedThere are sets that the backend embeds, as on a device.
func embeddedThere(net *models.Network, x []float32, b, n int) *Sets {
	there := *net
	there.Device = true
	return must.M1(Encode(context.Background(), &there, x, b, n))
}

// Sets that are embedded on the device decode as those that the host embeds, in any order, in either loop.
func TestEmbeddedThereEqualsHost(t *testing.T) {
	const b, n = 3, 21
	x := newPoints(5, b, n)
	sequences := inOrders(7, b, n, 3)
	policy := Ancestral(rand.New(rand.NewPCG(11, 4)), len(sequences), n)
	planned := models.CoarseBuckets
	planned.Decoded, planned.First, planned.Sampled = 56, 4, 12
	for _, online := range []bool{false, true} {
		net := newNet(3, online)
		want := must.M1(must.M1(Encode(context.Background(), net, x, b, n)).runHost(sequences, policy))
		for name, buckets := range map[string]models.Buckets{
			"coarse": models.CoarseBuckets, "planned": planned,
		} {
			t.Run(fmt.Sprintf("online=%v/%s", online, name), func(t *testing.T) {
				net.Buckets = buckets
				there := embeddedThere(net, x, b, n)
				assertSame(t, must.M1(there.runCompiled(sequences, policy)), want)
				assertSame(t, must.M1(there.runHost(sequences, policy)), want)
			})
		}
	}
}
