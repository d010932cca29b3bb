package ccp

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
	"github.com/gfncp/gfncp/models/peers"
)

// small is a CCP with different sizes everywhere, so that no two can be mistaken for each other.
func small() *Method {
	net := models.Config{Encoder: models.EncoderMLP, Dim: 2, Hidden: 6, Embed: 5, Global: 1}
	return New(net, peers.Config{Width: 8, Latent: 3, Samples: 4})
}

func newWeights(m *Method, seed uint64, factor float32) models.Params {
	return modelstest.Weights(m.Layout(), rand.New(rand.NewPCG(seed, 1)), factor)
}

func newPoints(seed uint64, count int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := make([]float32, count)
	for i := range x {
		x[i] = float32(2 * rng.NormFloat64())
	}
	return x
}

func newClusterer(t *testing.T, m *Method, weights models.Params) *Clusterer {
	t.Helper()
	return must.M1(m.Open(enginetest.Go(), weights)).(*Clusterer)
}

// lossFunc returns a function from weights, share and inputs to the loss and, if wanted, its gradient by weight.
func lossFunc(
	t *testing.T, m *Method, gradient bool,
) func(weights models.Params, share float32, in []*tensors.Tensor) (float64, [][]float32) {
	t.Helper()
	count := len(m.Layout())
	f := engine.NewFunc(enginetest.Go(), t.Name(), func(in []*Node) []*Node {
		loss := m.Loss(in[:count], in[count], in[count+1:])
		out := []*Node{loss}
		if gradient {
			out = append(out, Gradient(loss, in[:count]...)...)
		}
		return out
	})
	return func(weights models.Params, share float32, in []*tensors.Tensor) (float64, [][]float32) {
		t.Helper()
		args := append(append(weights.Tensors(), tensors.FromScalar(share)), in...)
		out := enginetest.Call(f, args...)
		return float64(out[0][0]), out[1:]
	}
}

// reference evaluates CCP by plain loops in float64.
type reference struct {
	m      *Method
	layout models.Params
	data   [][]float64
}

func newReference(m *Method, weights models.Params) reference {
	r := reference{m: m, layout: weights}
	for _, p := range weights {
		values := make([]float64, len(p.Data))
		for i, v := range p.Data {
			values[i] = float64(v)
		}
		r.data = append(r.data, values)
	}
	return r
}

// moved is the reference with its weights a little way along a direction.
func (r reference) moved(direction [][]float64, by float64) reference {
	start := r.data
	r.data = nil
	for i, values := range start {
		values = append([]float64{}, values...)
		for j := range values {
			values[j] += by * direction[i][j]
		}
		r.data = append(r.data, values)
	}
	return r
}

// apply is one network: linear layers with a ReLU between each two.
func (r reference) apply(name string, x []float64) []float64 {
	first := true
	for i := 0; i < len(r.layout); i++ {
		p := r.layout[i]
		if !strings.HasPrefix(p.Name, name+".") || !strings.HasSuffix(p.Name, "weight") {
			continue
		}
		if !first {
			for j := range x {
				x[j] = math.Max(x[j], 0)
			}
		}
		first = false
		y := make([]float64, p.Shape[1])
		for o := range y {
			if i+1 < len(r.layout) && strings.HasSuffix(r.layout[i+1].Name, "bias") {
				y[o] = r.data[i+1][o]
			}
			for j, v := range x {
				y[o] += v * r.data[i][j*p.Shape[1]+o]
			}
		}
		x = y
	}
	return x
}

// gaussian is a prior or posterior.
type gaussian struct{ mean, logSD []float64 }

func (r reference) gaussian(name string, in []float64) gaussian {
	out, l := r.apply(name, in), r.m.peer.Latent
	for i := l; i < 2*l; i++ {
		out[i] = 5 * math.Tanh(out[i]/5)
	}
	return gaussian{out[:l], out[l:]}
}

func (g gaussian) draw(noise []float64) []float64 {
	z := make([]float64, len(noise))
	for i, e := range noise {
		z[i] = g.mean[i] + math.Exp(g.logSD[i])*e
	}
	return z
}

func (g gaussian) logDensity(z []float64) float64 {
	sum := 0.0
	for i, v := range z {
		d := (v - g.mean[i]) / math.Exp(g.logSD[i])
		sum -= d*d/2 + g.logSD[i] + math.Log(2*math.Pi)/2
	}
	return sum
}

// factor is what one step's probability needs.
type factor struct {
	r                reference
	embed            [][]float64 // e by point
	prior, posterior gaussian
	row              []float64 // e_a, U, G
	s                step
}

// factor computes a step's networks, up to the latent.
func (r reference) factor(x []float32, labels []int32, s step) factor {
	d := r.m.net.Dim
	f := factor{r: r, s: s}
	var h, u [][]float64
	for i := range labels {
		point := make([]float64, d)
		for j := range point {
			point[j] = float64(x[i*d+j])
		}
		e := r.apply("e", point)
		f.embed = append(f.embed, e)
		h, u = append(h, r.apply("h", slices.Concat(e))), append(u, r.apply("u", slices.Concat(e)))
	}
	w := r.m.peer.Width
	average := func(values [][]float64, keep func(i int) bool) []float64 {
		sum, count := make([]float64, w), 0.0
		for i, v := range values {
			if keep(i) {
				count++
				for j := range sum {
					sum[j] += v[j]
				}
			}
		}
		for j := range sum {
			sum[j] /= math.Max(count, 1)
		}
		return sum
	}
	done := map[int32]bool{}
	found := make([]float64, w)
	for _, c := range s.before {
		done[c] = true
		for j, v := range r.apply("g", average(h, func(i int) bool { return labels[i] == c })) {
			found[j] += v
		}
	}
	other := func(i int) bool { return !done[labels[i]] && int32(i) != s.anchor }
	same := func(i int) bool { return labels[i] == labels[s.anchor] }
	in := average(u, func(i int) bool { return other(i) && same(i) })
	out := average(u, func(i int) bool { return other(i) && !same(i) })
	f.row = slices.Concat(f.embed[s.anchor], average(u, other), found)
	f.prior = r.gaussian("prior", slices.Concat(f.row))
	f.posterior = r.gaussian("posterior", slices.Concat(f.embed[s.anchor], in, out, found))
	return f
}

// fit is log p(S | z).
func (f factor) fit(z []float64) float64 {
	sum := 0.0
	term := func(points []int32, sign float64) {
		for _, i := range points {
			logit := f.r.apply("phi", slices.Concat(f.embed[i], z, f.row))[0]
			sum -= math.Log1p(math.Exp(-sign * logit))
		}
	}
	term(f.s.in, 1)
	term(f.s.out, -1)
	return sum
}

// bound is log 1/S Σ_s w for noise [S][L].
func (f factor) bound(noise [][]float64) float64 {
	var logW []float64
	for _, e := range noise {
		z := f.posterior.draw(e)
		logW = append(logW, f.prior.logDensity(z)+f.fit(z)-f.posterior.logDensity(z))
	}
	return floats.LogSumExp(logW) - math.Log(float64(len(logW)))
}
