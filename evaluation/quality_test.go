package evaluation

import (
	"context"
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

// untrained is a small network with the number-th weights.
func untrained(t *testing.T, number int) *models.Network {
	t.Helper()
	c := models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4}
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	return must.M1(models.NewNetwork(backend, c, c.Init(data.Rand(3, "init", number))))
}

// smallConfig are test sets of a few points with α = 2.
func smallConfig(batch, nMin, nMax int) data.Config {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = batch, nMin, nMax, 2, 2, "test"
	return c
}

func smallSets() *data.MoG { return must.M1(data.NewMoG(smallConfig(3, 10, 10))) }

// Evaluate averages over exactly the sets asked for: three sets at once equal the mean of one by one.
func TestQualityCounts(t *testing.T) {
	net := untrained(t, 0)
	all := must.M1(networkQuality(t.Context(), net, smallSets(), 1, 5))
	if all.Sets != 5 || all.Truth < 2 || all.NMI < 0 || all.NMI > 1 {
		t.Errorf("five sets gave %+v", all)
	}
	first := must.M1(networkQuality(t.Context(), net, smallSets(), 1, 3))
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
	q := must.M1(networkQuality(t.Context(), net, source, 1, 4))
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

func averageFixture(t *testing.T) (*models.Network, *data.MoG, AverageTest) {
	t.Helper()
	c := smallConfig(2, 12, 12)
	return untrained(t, 0), must.M1(data.NewMoG(c)), AverageTest{Test: Test{Data: c, Sets: 3, Seed: 1}, Samples: 130}
}

func reader(net *models.Network, source data.Source, key AverageTest) *Reader {
	return must.M1(NewReader(net, source, key.Test.Seed, key.Test.Sets))
}

// Beside the average score stands greedy decoding of the very same sets: what Evaluate finds on them.
func TestAverageScoreGreedy(t *testing.T) {
	net, source, key := averageFixture(t)
	q := must.M1(key.Mean(t.Context(), reader(net, source, key)))
	want := must.M1(networkQuality(t.Context(), net, source, key.Test.Seed, key.Test.Sets))
	if math.Abs(q["NMI greedy"]-want.NMI) > 1e-12 || math.Abs(q["ARI greedy"]-want.ARI) > 1e-12 {
		t.Errorf("greedy decoding gave %v, want %g, %g", q, want.NMI, want.ARI)
	}
}

// The average is over the 100 most probable of 130 samples: recomputed from the samples of the first set, one by one.
func TestAverageScoreTakesTheMostProbable(t *testing.T) {
	net, source, key := averageFixture(t)
	key.Test.Sets = 1
	q := must.M1(key.Mean(t.Context(), reader(net, source, key)))
	x, truth := must.M1(source.Batch(1, 0)).Set(0)
	sets := must.M1(sampling.Encode(context.Background(), net, x, 1, 12))
	drawn := must.M1(sets.Run(make([]sampling.Sequence, 130),
		sampling.Ancestral(data.Rand(1, "average", 0), 130, 12)))
	var sum, all float64
	for i, logProb := range drawn.LogProb {
		above := 0
		for j, other := range drawn.LogProb {
			if other > logProb || other == logProb && j < i {
				above++
			}
		}
		nmi := must.M1(metrics.NMI(truth, drawn.Labels[i]))
		all += nmi / 130
		if above < 100 {
			sum += nmi / 100
		}
	}
	if math.Abs(q["NMI"]-sum) > 1e-9 || math.Abs(q["NMI"]-all) < 1e-6 {
		t.Errorf("average NMI %g, want %g (over all samples it is %g)", q["NMI"], sum, all)
	}
}

// Near temperature 0 every sample is the greedy one.
func TestAverageScoreNearZeroTemperature(t *testing.T) {
	net, source, key := averageFixture(t)
	key.Temperature = 1e-6
	q := must.M1(key.Mean(t.Context(), reader(net, source, key)))
	if math.Abs(q["NMI"]-q["NMI greedy"]) > 1e-12 || math.Abs(q["ARI"]-q["ARI greedy"]) > 1e-12 {
		t.Errorf("got %v", q)
	}
}

// The published rule reports the largest evaluation, each of which has one partition; its mean and spread are those of
// the evaluations one by one.
func TestByPublished(t *testing.T) {
	const evaluations, seed = 3, 7
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	source := must.M1(data.NewMoG(PublishedTest(smallConfig(1, 12, 12))))
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
	mean, sd := metrics.Summary(nmi)
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
		first := must.M1(sampling.Encode(context.Background(), net, x, 1, batch.N))
		labels := must.M1(first.Run([]sampling.Sequence{{}}, sampling.Greedy())).Labels[0]
		for i := range count {
			x, _ := batch.Set(i)
			table := must.M1(net.Tables(x, labels, 1, batch.N))[0]
			want += must.M1(metrics.MC(table, labels)).Published / sets
		}
	}
	got := must.M1(PublishedMC(t.Context(), net, source, 7, sets))
	if !(math.Abs(got-want) <= 1e-4*want) || want <= 0 {
		t.Errorf("published MC %v, want %v", got, want)
	}
}
