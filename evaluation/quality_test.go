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
)

// untrained is a small network with the number-th weights.
func untrained(t *testing.T, number int) *models.Network {
	t.Helper()
	c := models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4}
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	return must.M1(models.NewNetwork(backend, c, c.Init(data.Rand(3, "init", number))))
}

func smallSets() *data.MoG {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 3, 10, 10, 2, 2, "test"
	return must.M1(data.NewMoG(c))
}

// Evaluate averages over exactly the sets asked for: three sets at once equal the mean of one by one.
func TestQualityCounts(t *testing.T) {
	net := untrained(t, 0)
	all := must.M1(NewEvaluator(net).Quality(t.Context(), smallSets(), 1, 5))
	if all.Sets != 5 || all.Truth < 2 || all.NMI < 0 || all.NMI > 1 {
		t.Errorf("five sets gave %+v", all)
	}
	first := must.M1(NewEvaluator(net).Quality(t.Context(), smallSets(), 1, 3))
	batch := must.M1(smallSets().Batch(1, 0))
	var mc float64
	for b := range batch.B {
		x, labels := batch.Set(b)
		table := must.M1(net.Tables(x, labels, 1, batch.N))[0]
		mc += must.M1(metrics.MC(table, labels)).MC / 3
	}
	if math.Abs(first.MC-mc) > 1e-4*mc {
		t.Errorf("MC %g, want the mean %g of the three sets", first.MC, mc)
	}
}

// Two orders of a set differ in log p only by the network's order dependence: the identity order's value is among what
// direct evaluation gives, and the number, determinism and spread are as asked.
func TestOverOrders(t *testing.T) {
	net := untrained(t, 0)
	batch := must.M1(smallSets().Batch(1, 0))
	x, labels := batch.Set(0)
	logs := logProbsOverOrders(net, x, labels, 300, 9)
	again := logProbsOverOrders(net, x, labels, 300, 9)
	if len(logs) != 300 {
		t.Fatalf("%d values for 300 orders", len(logs))
	}
	distinct := map[float64]bool{}
	for i := range logs {
		if logs[i] != again[i] || logs[i] > 0 {
			t.Fatalf("order %d: %g and %g", i, logs[i], again[i])
		}
		distinct[logs[i]] = true
	}
	if len(distinct) < 100 {
		t.Errorf("only %d distinct values: are these random orders?", len(distinct))
	}
	if sdpp := must.M1(MeanSDPP(t.Context(), net, smallSets(), 1, 2)); sdpp <= 0 || sdpp > math.Sqrt(499) {
		t.Errorf("SDPP %g is outside (0, √499]", sdpp)
	}
}

// The images of an evaluation are embedded once and gathered: the scores are those of embedding every set by itself.
func TestQualityOfImagesGathers(t *testing.T) {
	pool := &data.Pool{Name: "test", D: 784, Height: 28, Width: 28, Classes: []string{"a", "b", "c"}}
	rng := data.Rand(5, "images", 0)
	for i := range 30 {
		for range 784 {
			pool.X = append(pool.X, float32(rng.IntN(2)*(i%3))/2)
		}
		pool.Labels = append(pool.Labels, int32(i%3))
	}
	c := data.Default(data.SourceMNIST)
	c.Mode, c.Batch, c.NMin, c.NMax = data.ModeGenerative, 2, 8, 8
	source := must.M1(data.NewPoolSource(c, pool))
	config := models.DefaultImages()
	config.Hidden, config.Embed, config.Global = 8, 4, 4
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	net := must.M1(models.NewNetwork(backend, config, config.Init(data.Rand(3, "init", 0))))
	judge := NewEvaluator(net)
	q := must.M1(judge.Quality(t.Context(), source, 1, 4))
	var mc, logProb float64
	for step := range 2 {
		batch := must.M1(source.Batch(1, step))
		for b, table := range must.M1(net.Tables(batch.X, batch.Labels, batch.B, batch.N)) {
			_, labels := batch.Set(b)
			mc += must.M1(metrics.MC(table, labels)).MC / 4
			logProb += must.M1(metrics.LogProb(table, labels)) / 4
		}
	}
	if math.Abs(q.MC-mc) > 1e-4*mc || math.Abs(q.LogProb-logProb) > 1e-4*math.Abs(logProb) ||
		q.Truth < 2 || q.Truth > 3 {
		t.Errorf("gathered: MC %g, log p %g, %g clusters; embedded by set: MC %g, log p %g",
			q.MC, q.LogProb, q.Truth, mc, logProb)
	}
	// what it has embedded of one pool is not taken for another one's
	other := &data.Pool{D: pool.D, Height: 28, Width: 28, Labels: pool.Labels, Classes: pool.Classes}
	other.X = slices.Clone(pool.X)
	slices.Reverse(other.X)
	for _, source := range []*data.PoolSource{must.M1(data.NewPoolSource(c, other)), source} {
		want := must.M1(NewEvaluator(net).Quality(t.Context(), source, 1, 4))
		if got := must.M1(judge.Quality(t.Context(), source, 1, 4)); got != want {
			t.Errorf("after another pool: %+v, want %+v", got, want)
		}
	}
}

// Batches are decoded together only if their sets have as many points, four at most, each set as by itself; all come in
// their order.
func TestGroups(t *testing.T) {
	net := untrained(t, 0)
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 3, 10, 11, 2, 2, "test"
	r := must.M1(NewEvaluator(net).reader(must.M1(data.NewMoG(c)), 1, 40))
	step, sets, largest := 0, 0, 0
	for group, err := range r.groups(t.Context(), 1, 40) {
		must.M(err)
		largest = max(largest, len(group))
		found := must.M1(greedyLabels(net, group))
		for _, batch := range group {
			if batch.step != step || batch.N != group[0].N {
				t.Errorf("step %d of %d points in place of step %d of %d", batch.step, batch.N, step, group[0].N)
			}
			own := must.M1(greedyLabels(net, []embedded{batch}))
			if !slices.EqualFunc(own, found[:batch.B], slices.Equal) {
				t.Errorf("step %d: labels %v, alone %v", batch.step, found[:batch.B], own)
			}
			first := must.M1(greedyLabels(net, []embedded{batch.one(0)}))
			if !slices.Equal(first[0], found[0]) {
				t.Errorf("step %d: the first set's labels %v, alone %v", batch.step, found[0], first[0])
			}
			found, step, sets = found[batch.B:], step+1, sets+batch.B
		}
	}
	if sets != 40 || step != 14 || largest < 2 || largest > decodedTogether {
		t.Errorf("%d sets of %d steps in groups of up to %d", sets, step, largest)
	}
}

// The more a reference sees, the better it is: the points so far, all points, the components themselves.
func TestReferences(t *testing.T) {
	test := Test{Data: data.DefaultMoG().HeldOut(6, 100, 0), Sets: 48, Seed: 3}
	var ari []float64
	for _, r := range []Reference{Sequential, Gibbs, Oracle} {
		q := must.M1(r.Quality(t.Context(), test))
		if q.Sets != test.Sets {
			t.Errorf("%s: %d sets", r, q.Sets)
		}
		ari = append(ari, q.ARI)
	}
	if ari[0] < 0.8 || ari[1] < ari[0]+0.005 || ari[2] < ari[1]+0.005 {
		t.Errorf("ARI %.3f", ari)
	}
}
