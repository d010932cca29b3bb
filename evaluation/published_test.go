package evaluation

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// The published rule reports the largest evaluation, each of which has one partition; its mean and spread are those of
// the evaluations one by one.
func TestByPublished(t *testing.T) {
	const evaluations, seed = 3, 7
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	c := data.DefaultMoG()
	c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 12, 12, 2, 2, "test"
	source := must.M1(data.NewMoG(PublishedTest(c)))
	config := train.Default(train.NCP)
	config.Net = models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4, Encoder: models.EncoderMLP}
	m := &train.Model{Config: config, Params: config.Net.Init(data.Rand(1, "init", 0))}
	p := must.M1(ByPublished(t.Context(), backend, m, source, seed, evaluations))

	var nmi, ari []float64
	for i := range evaluations {
		batch := must.M1(source.Batch(uint64(seed+i), 0))
		_, first := batch.Set(0)
		if _, last := batch.Set(PublishedSets - 1); !slices.Equal(first, last) {
			t.Errorf("the sets of evaluation %d have two partitions", i)
		}
		q := must.M1(Model(t.Context(), backend, m, source, uint64(seed+i), PublishedSets))
		nmi, ari = append(nmi, q.NMI), append(ari, q.ARI)
	}
	if p.NMI != slices.Max(nmi) || p.ARI != slices.Max(ari) || p.Sets != evaluations*PublishedSets {
		t.Errorf("got %+v, evaluations have NMI %v, ARI %v", p, nmi, ari)
	}
	mean := (nmi[0] + nmi[1] + nmi[2]) / evaluations
	square := 0.0
	for _, v := range nmi {
		square += (v - mean) * (v - mean)
	}
	sd := math.Sqrt(square / (evaluations - 1))
	if math.Abs(p.MeanNMI-mean) > 1e-12 || math.Abs(p.NMISpread-sd) > 1e-9 {
		t.Errorf("mean %g and sd %g, want %g and %g", p.MeanNMI, p.NMISpread, mean, sd)
	}
}

// All sets of a batch are scored along the greedy labels of its first, also in a batch that is cut.
func TestPublishedMC(t *testing.T) {
	net := untrained(t, 0)
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
