package evaluation

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// pinned is a source whose sets hold one point several times, all in one cluster or in two.
type pinned struct{ clusters int32 }

func (p pinned) Dim() int       { return 2 }
func (p pinned) String() string { return "pinned" }

func (p pinned) Batch(uint64, int) (*data.Batch, error) {
	b := data.NewBatch(2, 6, 2)
	for i := range b.X {
		b.X[i] = 0.5
	}
	for i := range b.Labels {
		b.Labels[i] = min(int32(i%b.N), p.clusters-1)
	}
	return b, nil
}

// When every order meets the same points with the same labels, p(c|x) is the same in all of them, so SDPP is 0. It is
// not when one of six equal points is a cluster of its own: then it matters when that one comes.
func TestSDPPOfWhatHasNoOrder(t *testing.T) {
	net := untrained(t, 0)
	if v := must.M1(MeanSDPP(t.Context(), net, pinned{1}, 1, 3)); v > 1e-7 {
		t.Errorf("SDPP %g, want 0", v)
	}
	if v := must.M1(MeanSDPP(t.Context(), net, pinned{2}, 1, 3)); v < 1e-3 {
		t.Errorf("SDPP %g of labels that depend on the order", v)
	}
}

// What is measured of a set depends on the set alone: in its batch and by itself it is the same.
func TestSDPPOfOneSet(t *testing.T) {
	net := untrained(t, 0)
	c := data.DefaultMoG().HeldOut(2, 9, 0)
	c.Batch = 3
	source := must.M1(data.NewMoG(c))
	r := &Reader{Net: net, Source: source}
	ctx := t.Context()
	batch := must.M1(source.Batch(5, 1))
	x, truth := batch.Set(2) // set 5
	alone := must.M1(metrics.SDPP(logProbsOverOrders(net, x, truth, 20, 5+5)))
	rule := SDPP{Labels: DataLabels, Orders: 20, Seed: 5}
	if got := must.M1(rule.Values(ctx, r, 6))[5]; math.Abs(got-alone) > 1e-6 {
		t.Errorf("set 5: %g in its batch, %g alone", got, alone)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err := rule.Values(stopped, r, 1)
	if !errors.Is(err, train.ErrInterrupted) || !errors.Is(err, stopped.Err()) {
		t.Errorf("a cancelled measurement gave %v", err)
	}
}

// logProbsOverOrders is OverOrders of a set that is not embedded yet.
func logProbsOverOrders(net *models.Network, x []float32, labels []int32, orders int, seed uint64) []float64 {
	set := must.M1(sampling.Encode(context.Background(), net, x, 1, len(labels)))
	return must.M1(OverOrders(set, labels, orders, seed))
}

// The most likely of many samples of four points is the most probable of all 15 partitions, whichever that is.
func TestMostLikely(t *testing.T) {
	batch := must.M1(must.M1(data.NewMoG(data.DefaultMoG().HeldOut(2, 4, 0))).Batch(1, 0))
	parts := posterior.Partitions(4)
	modes := map[int]bool{}
	for b := range 8 {
		net := untrained(t, b)
		x, _ := batch.Set(b)
		best := descending(must.M1(AllPartitions(net, x, 4)))[0]
		labels := must.M1(mostLikely(must.M1(sampling.Encode(context.Background(), net, x, 1, 4)), uint64(b), 400))
		if !slices.Equal(labels, parts[best]) {
			t.Errorf("set %d: %v, want %v", b, labels, parts[best])
		}
		modes[best] = true
	}
	if len(modes) < 2 {
		t.Errorf("all have the same: the networks are too alike for this test")
	}
}
