package ccp

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// sevenPoints is a batch of three sets of seven points, one of them with a single cluster and one with seven.
func sevenPoints() *data.Batch {
	batch := data.NewBatch(3, 7, 2)
	copy(batch.X, newPoints(3, len(batch.X)))
	copy(batch.Labels, []int32{0, 1, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6})
	return batch
}

// noiseOf cuts the noise of a row out of the inputs.
func noiseOf(in []*tensors.Tensor, row int) [][]float64 {
	shape := in[6].Shape().Dimensions
	values := must.M1(engine.Float32s(in[6]))[row*shape[1]*shape[2]:]
	noise := make([][]float64, shape[1])
	for s := range noise {
		for l := range shape[2] {
			noise[s] = append(noise[s], float64(values[s*shape[2]+l]))
		}
	}
	return noise
}

// The loss is that of plain loops in float64 on the same noise.
func TestLossAgainstReference(t *testing.T) {
	m, batch := small(), sevenPoints()
	weights := newWeights(m, 1, 1.7)
	in := must.M1(m.Inputs(rand.New(rand.NewPCG(5, 5)), batch, models.FineBuckets))
	got, _ := lossFunc(t, m, false)(weights, 0.5, in)
	want := 0.0
	for b, set := range m.choose(rand.New(rand.NewPCG(5, 5)), batch) {
		for j, s := range set.steps {
			f := newReference(m, weights).factor(set.x, set.labels, s)
			want -= 0.5 * float64(set.weight) * f.bound(noiseOf(in, b*m.Steps+j))
		}
	}
	if !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
		t.Errorf("loss %.7g, plain loops %.7g", got, want)
	}
}

// moved returns the weights a little way along a direction.
func moved(weights models.Params, direction [][]float64, by float64) models.Params {
	var ps models.Params
	for i, p := range weights {
		p.Data = append([]float32{}, p.Data...)
		for j := range p.Data {
			p.Data[j] += float32(by * direction[i][j])
		}
		ps = append(ps, p)
	}
	return ps
}

func newDirection(weights models.Params, rng *rand.Rand) [][]float64 {
	direction := make([][]float64, len(weights))
	for i, p := range weights {
		for range p.Data {
			direction[i] = append(direction[i], rng.NormFloat64())
		}
	}
	return direction
}

func along(grads [][]float32, direction [][]float64) float64 {
	sum := 0.0
	for i, g := range grads {
		for j, v := range g {
			sum += float64(v) * direction[i][j]
		}
	}
	return sum
}

// surrogate is the function whose plain gradient at the start is the doubly reparameterized one, for one step:
//
//	Σ_s w̃_s log w(θ; z at the start) + w̃_s² log w(start; z(θ)),   with w̃ and q's density of the start
type surrogate struct {
	start      factor
	noise, z   [][]float64
	normalized []float64
}

func newSurrogate(start factor, noise [][]float64) surrogate {
	s := surrogate{start: start, noise: noise}
	var logW []float64
	for _, e := range noise {
		z := start.posterior.draw(e)
		s.z = append(s.z, z)
		logW = append(logW, start.prior.logDensity(z)+start.fit(z)-start.posterior.logDensity(z))
	}
	total := floats.LogSumExp(logW)
	for _, v := range logW {
		s.normalized = append(s.normalized, math.Exp(v-total))
	}
	return s
}

func (s surrogate) at(f factor) float64 {
	sum := 0.0
	for i, w := range s.normalized {
		sum += w * (f.prior.logDensity(s.z[i]) + f.fit(s.z[i]))
		z := f.posterior.draw(s.noise[i])
		sum += w * w * (s.start.prior.logDensity(z) + s.start.fit(z) - s.start.posterior.logDensity(z))
	}
	return sum
}

// The gradient is the doubly reparameterized one: finite differences of the surrogate in float64, along random
// directions of all weights, the encoder's among them, which both p and q read.
func TestGradientIsDoublyReparameterized(t *testing.T) {
	m, batch := small(), sevenPoints()
	weights := newWeights(m, 1, 1.7)
	in := must.M1(m.Inputs(rand.New(rand.NewPCG(6, 6)), batch, models.FineBuckets))
	_, grads := lossFunc(t, m, true)(weights, 1, in)
	sets := m.choose(rand.New(rand.NewPCG(6, 6)), batch)
	rng := rand.New(rand.NewPCG(7, 7))
	for range 5 {
		direction := newDirection(weights, rng)
		const by = 1e-6
		start := newReference(m, weights)
		up, down := start.moved(direction, by), start.moved(direction, -by)
		want, size := 0.0, 0.0
		for b, set := range sets {
			for j, s := range set.steps {
				f := newSurrogate(start.factor(set.x, set.labels, s), noiseOf(in, b*m.Steps+j))
				change := f.at(up.factor(set.x, set.labels, s)) - f.at(down.factor(set.x, set.labels, s))
				want -= float64(set.weight) * change / (2 * by)
				size += math.Abs(change / (2 * by))
			}
		}
		if got := along(grads, direction); !(math.Abs(got-want) <= 1e-4*size) {
			t.Errorf("derivative %.6g, finite difference %.6g", got, want)
		}
	}
}

// tiny is a set of three points in one dimension with one step, copied: only the noise differs from copy to copy.
func tiny(copies, samples int, seed uint64) (*Method, []*tensors.Tensor) {
	net := models.Config{Encoder: models.EncoderMLP, Dim: 1, Hidden: 4, Embed: 3, Global: 1}
	m := New(net, peers.Config{Width: 4, Latent: 1, Samples: samples})
	rng := rand.New(rand.NewPCG(seed, 3))
	sets := make([]labelledSet, copies)
	for i := range sets {
		sets[i] = newSet(rng, []float32{-1, 0.5, 2}, []int32{0, 0, 1})
		sets[i].steps = []step{{anchor: 0, in: []int32{1}, out: []int32{2}}}
	}
	return m, m.tensors(sets, 1, samples, models.FineBuckets)
}

// In expectation over the noise the doubly reparameterized gradient is that of the bound: finite differences of the
// mean bound with the same noise, within 4 standard errors of the difference, over 16 groups of 200 draws.
func TestGradientIsUnbiased(t *testing.T) {
	m, _ := tiny(1, 3, 0)
	weights := newWeights(m, 4, 1.5)
	loss, gradient := lossFunc(t, m, false), lossFunc(t, m, true)
	rng := rand.New(rand.NewPCG(8, 8))
	direction := newDirection(weights, rng)
	// the inference network alone, where the plain gradient and this one differ draw by draw
	for i, p := range weights {
		if p.Name[:4] != "post" {
			clear(direction[i])
		}
	}
	const groups, copies, by = 16, 200, 0.02
	var sum, squares, size float64
	for group := range groups {
		_, in := tiny(copies, 3, uint64(group))
		up, _ := loss(moved(weights, direction, by), 1.0/copies, in)
		down, _ := loss(moved(weights, direction, -by), 1.0/copies, in)
		_, grads := gradient(weights, 1.0/copies, in)
		difference := along(grads, direction) - (up-down)/(2*by)
		sum, squares, size = sum+difference, squares+difference*difference, size+(up-down)/(2*by)
	}
	mean := sum / groups
	se := math.Sqrt((squares/groups - mean*mean) / (groups - 1))
	t.Logf("gradient %.4g, mean difference %.2g, standard error %.2g", size/groups, mean, se)
	if !(math.Abs(mean) <= 4*se && se <= 0.1*math.Abs(size/groups)) {
		t.Errorf("mean difference %.3g with standard error %.3g of a gradient of %.3g", mean, se, size/groups)
	}
}

// The mean bound rises with the number of samples to log p, which quadrature over the one-dimensional latent gives.
func TestBoundRisesToLogProb(t *testing.T) {
	m, _ := tiny(1, 1, 0)
	weights := newWeights(m, 4, 1.5)
	f := newReference(m, weights).factor([]float32{-1, 0.5, 2}, []int32{0, 0, 1},
		step{anchor: 0, in: []int32{1}, out: []int32{2}})
	logP := 0.0
	const wide, cells = 12.0, 4000
	for i := range cells { // midpoint rule over ±12 standard deviations of the prior
		e := wide * (2*(float64(i)+0.5)/cells - 1)
		z := f.prior.draw([]float64{e})
		logP += math.Exp(f.fit(z)-e*e/2) / math.Sqrt(2*math.Pi) * 2 * wide / cells
	}
	logP = math.Log(logP)
	last := math.Inf(-1)
	for _, samples := range []int{1, 4, 64} {
		m, in := tiny(600, samples, 9)
		loss, _ := lossFunc(t, m, false)(weights, 1.0/600, in)
		t.Logf("S = %d: bound %.5f, log p %.5f", samples, -loss, logP)
		if !(-loss > last && -loss <= logP+1e-3) {
			t.Errorf("S = %d: bound %.5f is not between %.5f and log p = %.5f", samples, -loss, last, logP)
		}
		last = -loss
	}
	if !(last >= logP-0.01) {
		t.Errorf("64 samples give %.5f, log p is %.5f", last, logP)
	}
}

// What a point is given by its pairs, added up by gathering, is what a scatter adds up: padded pairs and points, sets
// of few steps and points that are in no pair included.
func TestGatheredGradientOfPairs(t *testing.T) {
	const b, n, width = 3, 7, 5
	m := small()
	m.Steps = 3
	batch := data.NewBatch(b, n, 2)
	copy(batch.X, newPoints(3, len(batch.X)))
	copy(batch.Labels, []int32{0, 1, 2, 3, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 2, 0})
	in := must.M1(m.Inputs(rand.New(rand.NewPCG(5, 5)), batch, models.FineBuckets))
	padded := models.FineBuckets.Points(n)
	values := tensors.FromFlatDataAndDimensions(newPoints(4, b*padded*width), b*padded, width)
	got := enginetest.Run(t, func(nodes []*Node) []*Node {
		x, point, pair := nodes[0], Slice(nodes[1], AxisRange(), AxisRange(0, 1)), nodes[2]
		var out []*Node
		for _, y := range []*Node{Gather(x, point), byPairGathered(x, point, pair)} {
			row := Reshape(nodes[3], -1, 1)
			real := BroadcastToShape(GreaterOrEqual(row, ScalarZero(x.Graph(), row.DType())), y.Shape())
			weight := AddScalar(Add(Iota(x.Graph(), y.Shape(), 0), MulScalar(Iota(x.Graph(), y.Shape(), 1), 0.25)), 1)
			out = append(out, y, Gradient(ReduceAllSum(Where(real, Mul(y, weight), ZerosLike(y))), x)[0])
		}
		return out
	}, values, in[8], in[9], in[7])
	most := 0.0
	for i := range 2 {
		for j, want := range got[i] {
			most = math.Max(most, math.Abs(float64(want)))
			if !(math.Abs(float64(got[2+i][j]-want)) <= 1e-5*math.Max(1, math.Abs(float64(want)))) {
				t.Fatalf("result %d at %d is %g, want %g", i, j, got[2+i][j], want)
			}
		}
	}
	if most < 10 {
		t.Errorf("a gradient of at most %g shows nothing", most)
	}
}
