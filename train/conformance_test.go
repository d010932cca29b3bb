package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/posterior"
)

// The conformance tests: what every model promises behind the one interface. Weights are random, three times as large
// as drawn, so that the networks decide something.

func conformConfig(model string) Config {
	c := Default(model)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 8
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Data.AlphaMin, c.Data.AlphaMax = 4, 8, 14, 2, 2
	c.Data.SigmaMu = 3
	if c.IsPeer() {
		c.Peer.Width, c.Peer.Heads, c.Peer.Inducing, c.Peer.Latent, c.Peer.Samples = 16, 2, 4, 4, 3
	}
	if model == ST {
		c.Data.FixedK, c.Peer.Clusters = 3, 3
	}
	return c
}

func conformModel(model string) *Model {
	c := conformConfig(model)
	ps := c.Layout().Init(data.Rand(7, "init", 0))
	for _, p := range ps {
		for i := range p.Data {
			p.Data[i] *= 3
		}
	}
	return &Model{Config: c, Params: ps}
}

func conformBatch(m *Model, step int) *data.Batch {
	return must.M1(must.M1(data.NewMoG(m.Config.Data)).Batch(3, step))
}

// mixtures are the only source that these tests read.
func mixtures(c data.Config) (data.Source, error) { return data.NewMoG(c) }

func eachModel(t *testing.T, test func(t *testing.T, m *Model, c peers.Clusterer)) {
	backend := openGo(t)
	for _, name := range Models() {
		t.Run(name, func(t *testing.T) {
			m := conformModel(name)
			test(t, m, must.M1(m.Clusterer(backend)))
		})
	}
}

// Labels are numbered in order of appearance, and those of a model that is opened again are the same under a seed.
func TestLabelsOfModels(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, m *Model, c peers.Clusterer) {
		again := must.M1(m.Clusterer(openGo(t)))
		for step := range 3 {
			batch := conformBatch(m, step)
			cluster := func(c peers.Clusterer) [][]int32 {
				return must.M1(c.Cluster(data.Rand(1, "c", step), batch.X, batch.B, batch.N))
			}
			results := map[string][][]int32{"cluster": cluster(c)}
			if s, ok := c.(peers.Sampler); ok {
				results["sample"] = must.M1(s.Sample(data.Rand(1, "s", step), batch.X, batch.B, batch.N))
			}
			for what, found := range results {
				if len(found) != batch.B {
					t.Fatalf("%s: labels of %d sets, want %d", what, len(found), batch.B)
				}
				for _, labels := range found {
					if canonical, _ := metrics.Canonical(labels); len(labels) != batch.N ||
						!slices.Equal(canonical, labels) {
						t.Errorf("%s: labels %v of %d points are not numbered in order of appearance",
							what, labels, batch.N)
					}
				}
			}
			if first, second := results["cluster"], cluster(again); fmt.Sprint(first) != fmt.Sprint(second) {
				t.Errorf("step %d gave %v and %v", step, first, second)
			}
		}
	})
}

// A set alone is clustered as in a batch; by ST and min-filtering DAC, which promise it, also with its points in
// another order.
func TestModelsClusterSetsIndependently(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, m *Model, c peers.Clusterer) {
		if m.Config.Model == CCP {
			t.Skip("CCP draws anchors from one stream for the whole batch (peers/ccp tests the rows)")
		}
		batch := conformBatch(m, 1)
		cluster := func(x []float32, b int) [][]int32 {
			return must.M1(c.Cluster(data.Rand(1, "c", 0), x, b, batch.N))
		}
		all := cluster(batch.X, batch.B)
		for b := range batch.B {
			x, _ := batch.Set(b)
			if one := cluster(x, 1); !slices.Equal(one[0], all[b]) {
				t.Errorf("set %d: %v alone, %v in the batch", b, one[0], all[b])
			}
			if m.Config.Model != ST && m.Config.Model != DAC {
				continue
			}
			permuted, want := make([]float32, 0, len(x)), make([]int32, 0, batch.N)
			for _, i := range data.Rand(5, "order", b).Perm(batch.N) {
				permuted = append(permuted, x[i*batch.D:(i+1)*batch.D]...)
				want = append(want, all[b][i])
			}
			want, _ = metrics.Canonical(want)
			if got := cluster(permuted, 1); !slices.Equal(got[0], want) {
				t.Errorf("set %d: %v in another order, want %v", b, got[0], want)
			}
		}
	})
}

// The probabilities of all partitions of four points sum to one: exactly for energies, within the error of the estimate
// for CCP.
func TestProbabilitiesSumToOne(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, m *Model, c peers.Clusterer) {
		p, ok := c.(peers.Sampler)
		if ok == (m.Config.Model == ST || m.Config.Model == DAC) {
			t.Fatalf("%s gives probabilities: %v", m.Config.Model, ok)
		}
		if !ok {
			return
		}
		x := []float32{-4, 1, 3, 2, -3.5, 0.5, 0, 0}
		repeats, tolerance := 1, 1e-5
		if m.Config.Model == CCP {
			repeats, tolerance = 60, 0.1 // importance sampling under random weights; peers/ccp tests it closer
		}
		var sum float64
		for _, labels := range posterior.Partitions(4) {
			for repeat := range repeats {
				log := must.M1(p.LogProb(data.Rand(1, "p", repeat), x, labels, 1, 4))
				sum += math.Exp(log[0]) / float64(repeats)
			}
		}
		if !(math.Abs(sum-1) <= tolerance) {
			t.Errorf("the probabilities of the 15 partitions sum to %g", sum)
		}
		if m.Config.Model == CCP {
			return
		}
		x = append(x, 1, 5, -2, 0, 3, 3, -1, 2) // a second set
		labels := []int32{0, 0, 1, 1, 0, 1, 1, 2}
		both := must.M1(p.LogProb(nil, x, labels, 2, 4))
		if alone := must.M1(p.LogProb(nil, x[8:], labels[4:], 1, 4)); !(math.Abs(both[1]-alone[0]) <= 1e-3) {
			t.Errorf("the second of two sets has log-probability %g, alone %g", both[1], alone[0])
		}
	})
}

// Rounding the sizes up, finely or coarsely, changes neither a peer's loss nor its gradient.
func TestPaddingChangesNothing(t *testing.T) {
	t.Parallel()
	backend := openGo(t)
	for _, name := range []string{ST, DAC, CCP} {
		m := conformModel(name)
		method, batch := m.Config.method(), conformBatch(m, 0)
		f := engine.NewFunc(backend, "loss", func(in []*Node) []*Node {
			weights := in[:len(m.Params)]
			loss := method.Loss(weights, in[len(weights)], in[len(weights)+1:])
			return append([]*Node{loss}, Gradient(loss, weights...)...)
		})
		evaluate := func(buckets models.Buckets) []float32 {
			args := append(m.Params.Tensors(), tensors.FromScalar(float32(0.25)))
			args = append(args, must.M1(method.Inputs(data.Rand(1, "inputs", 0), batch, buckets))...)
			return flat(must.M1(f.Call(args...)))
		}
		fine, coarse := evaluate(models.FineBuckets), evaluate(models.CoarseBuckets)
		var largest float64
		for i := range fine {
			largest = max(largest, math.Abs(float64(fine[i])))
		}
		for i := range fine {
			if diff := math.Abs(float64(fine[i] - coarse[i])); diff > 1e-4*largest {
				t.Errorf("%s: value %d is %g with little padding and %g with much", name, i, fine[i], coarse[i])
				break
			}
		}
		if !metrics.IsFinite(fine[0]) || fine[0] == 0 {
			t.Errorf("%s: loss %g", name, fine[0])
		}
	}
}

// Every model trains: five steps change the weights, the numbers stay finite, and two runs of one seed are equal.
func TestModelsTrain(t *testing.T) {
	t.Parallel()
	for _, name := range Models() {
		var losses [2][]float64
		for run := range losses {
			trainer := must.M1(New(openGo(t), mixtures, conformConfig(name)))
			before := must.M1(trainer.Weights())
			for range 5 {
				losses[run] = append(losses[run], must.M1(trainer.Advance()).Loss)
			}
			if after := must.M1(trainer.Weights()); slices.Equal(before[0].Data, after[0].Data) {
				t.Errorf("%s: the first weights did not move", name)
			}
		}
		if !slices.Equal(losses[0], losses[1]) {
			t.Errorf("%s: two runs gave the losses %v and %v", name, losses[0], losses[1])
		}
	}
}
