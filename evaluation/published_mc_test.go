package evaluation

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/sampling"
)

// All sets of a batch are scored along the greedy labels of its first, also in a batch that is cut.
func TestPublishedMC(t *testing.T) {
	net := sdppNetwork(t, 0)
	d := data.DefaultMoG().HeldOut(3, 20, 0)
	d.Shared, d.Batch = true, 3
	source := must.M1(data.NewMoG(d))
	const sets = 5
	want := 0.0
	for step, count := range []int{3, 2} {
		batch := must.M1(source.Batch(7, step))
		x, _ := batch.Set(0)
		first := must.M1(sampling.Encode(net, x, 1, batch.N))
		labels := must.M1(first.Run([]sampling.Sequence{{}}, sampling.Greedy{})).Labels[0]
		for i := range count {
			x, _ := batch.Set(i)
			table := must.M1(net.Tables(x, labels, 1, batch.N))[0]
			want += must.M1(metrics.MC(table, labels)).Published / sets
		}
	}
	got := must.M1(NewEvaluator(net).PublishedMC(t.Context(), source, 7, sets))
	if !(math.Abs(got-want) <= 1e-4*want) || want <= 0 {
		t.Errorf("published MC %v, want %v", got, want)
	}
}
