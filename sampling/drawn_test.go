package sampling

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// embeddedThere are sets that the backend embeds, as on a device.
func embeddedThere(net *models.Network, x []float32, b, n int) *Sets {
	there := *net
	there.Device = true
	return must.M1(Encode(&there, x, b, n))
}

// Sets that are embedded on the device decode as those that the host embeds, in any order, in either loop.
func TestEmbeddedThereEqualsHost(t *testing.T) {
	const b, n = 3, 21
	x := newPoints(5, b, n)
	sequences := inOrders(7, b, n, 3)
	policy := NewAncestral(rand.New(rand.NewPCG(11, 4)), len(sequences), n)
	for _, online := range []bool{false, true} {
		net := newNet(3, online)
		want := must.M1(must.M1(Encode(net, x, b, n)).runHost(sequences, policy))
		for name, buckets := range map[string]models.Buckets{
			"coarse": models.CoarseBuckets, "planned": models.Planned(models.Law{Least: 2, Most: 50, Alpha: 1}),
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

// DrawOnDevice leaves the labels of Run on the device, padded; where slots run out it goes on with more.
func TestDrawOnDevice(t *testing.T) {
	const b, n = 3, 21
	x := newPoints(5, b, n)
	net := newNet(3, false)
	policy := NewAncestral(rand.New(rand.NewPCG(11, 4)), b, n)
	host := must.M1(Encode(net, x, b, n))
	want := must.M1(host.runHost(host.EachSet(), policy)).Labels
	most := 0
	for _, labels := range want {
		most = max(most, metrics.Clusters(labels))
	}
	for _, first := range []int{2, 32} {
		net.Buckets = models.CoarseBuckets
		net.Buckets.First = first
		net.Buckets.Slots = func(n int) int { return max(n, 2) }
		drawn := must.M1(embeddedThere(net, x, b, n).DrawOnDevice(policy))
		labels := must.M1(engine.NewFunc(net.Backend, "labels", func(in []*Node) []*Node {
			return []*Node{DrawnLabels(in[0], in[1], b, 24)}
		}))
		out := must.M1(labels.Call(drawn.Record, tensors.FromScalar(int32(n))))
		got := tensors.MustCopyFlatData[int32](out[0])
		for set := range b {
			row := got[set*24 : (set+1)*24]
			if !slices.Equal(row[:n], want[set]) || !slices.Equal(row[n:], []int32{-1, -1, -1}) {
				t.Errorf("labels of set %d are %v, want %v", set, row, want[set])
			}
			if drawn.Clusters[set] != metrics.Clusters(want[set]) {
				t.Errorf("set %d has %d clusters, want %d", set, drawn.Clusters[set], metrics.Clusters(want[set]))
			}
		}
		if drawn.Slots < most || first == 32 && drawn.Slots != 32 {
			t.Errorf("from %d slots on: %d for %d clusters", first, drawn.Slots, most)
		}
	}
}

// Only what one loop decodes stays on the device.
func TestOnDevice(t *testing.T) {
	net := newNet(3, false)
	for n, want := range map[int]bool{segmentMost: true, segmentMost + 1: false} {
		if got := embeddedThere(net, make([]float32, n*2), 1, n).OnDevice(); got != want {
			t.Errorf("%d points stay on the device: %v, want %v", n, got, want)
		}
	}
	here := must.M1(Encode(net, newPoints(1, 2, 4), 2, 4))
	if _, err := here.DrawOnDevice(Greedy{}); err == nil || here.OnDevice() {
		t.Error("sets that the host embedded are drawn on the device")
	}
}
