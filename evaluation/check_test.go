package evaluation_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// gibbs draws from the posterior of a centred set: sweeps of the partition given the points moved by s in turn with
//
//	s | c, x ~ N(−m, 1/W),   m = Σ w_k x̄_k / W,   W = Σ w_k,   w_k = 1/(τ² + σ²/n_k)
//
// for the shift s that centring removed, of which nothing is known (LogLikelihoodCentred integrates it out).
type gibbs struct {
	model  posterior.Gaussian
	prior  posterior.CRP
	sweeps int
	still  bool // the centred points are taken for the points themselves: s is 0
}

func (g gibbs) Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return g.Sample(rng, x, b, n)
}

func (g gibbs) Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	found := make([][]int32, b)
	size := n * g.model.Dim
	moved := make([]float64, size)
	for i := range found {
		labels := posterior.Singletons(n)
		for range g.sweeps {
			g.move(rng, x[i*size:(i+1)*size], labels, moved)
			chain, err := posterior.NewChain(g.model, g.prior, moved, labels)
			if err != nil {
				return nil, err
			}
			chain.Sweep(rng)
			labels = chain.Labels()
		}
		found[i] = labels
	}
	return found, nil
}

// move draws s and puts x + s into moved.
func (g gibbs) move(rng *rand.Rand, x []float32, labels []int32, moved []float64) {
	d, k := g.model.Dim, int(slices.Max(labels))+1
	for j := range d {
		count, sum := make([]float64, k), make([]float64, k)
		for i, c := range labels {
			count[c]++
			sum[c] += float64(x[i*d+j])
		}
		var weights, weighted float64
		for c, n := range count {
			w := 1 / (g.model.Tau*g.model.Tau + g.model.Sigma*g.model.Sigma/n)
			weights += w
			weighted += w * sum[c] / n
		}
		s := -weighted/weights + rng.NormFloat64()/math.Sqrt(weights)
		if g.still {
			s = 0
		}
		for i := range labels {
			moved[i*d+j] = float64(x[i*d+j]) + s
		}
	}
}

// checkedLaw is a law whose posterior Gibbs sampling forgets its start under within a few sweeps.
func checkedLaw() data.Config {
	c := data.DefaultMoG()
	c.Dim, c.SigmaMu, c.SigmaX, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.MinK = 1, 3, 1, 8, 8, 1, 1, 1
	return c
}

func exactGibbs() gibbs {
	return gibbs{model: posterior.Gaussian{Dim: 1, Tau: 3, Sigma: 1}, prior: posterior.CRP{Alpha: 1}, sweeps: 10}
}

var smallCheck = evaluation.CheckSettings{Sets: 200, Draws: 15, Chains: 32, Seed: 3}

// ignorant draws from the prior, whatever the points are.
type ignorant struct{ alpha float64 }

func (p ignorant) Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return p.Sample(rng, x, b, n)
}

func (p ignorant) Sample(rng *rand.Rand, _ []float32, b, n int) (found [][]int32, err error) {
	for range b {
		found = append(found, data.CRP(rng, n, p.alpha))
	}
	return found, nil
}

// Exact sampling passes both tests, wrong assumptions do not. Each test sees what the other one misses: calibration a
// shift forgotten by a little, the joint test draws from the prior, by which its chains keep to the joint law.
func TestCheckFindsWrongPosteriors(t *testing.T) {
	exact := exactGibbs()
	alpha, tau, still := exact, exact, exact
	alpha.prior.Alpha = 3
	tau.model.Tau = 0.8
	still.still = true
	for _, c := range []struct {
		name        string
		sampler     peers.Sampler
		sbc, geweke bool // finds a difference
	}{
		{"exact", exact, false, false},
		{"wrong alpha", alpha, true, true},
		{"wrong tau", tau, true, true},
		{"no shift", still, false, true},
		{"prior", ignorant{1}, true, false},
	} {
		r := must.M1(evaluation.Check(context.Background(), c.sampler, checkedLaw(), smallCheck))
		var sbc, geweke bool
		differ := 0
		for _, s := range r.Statistics {
			t.Logf("%-11s %-21s true %6.2f drawn %6.2f %v p %.3g %.3g z %.2f p %.3g",
				c.name, s.Name, s.Truth, s.Drawn, s.Histogram, s.ChiP, s.KSP, s.GewekeZ, s.GewekeP)
			sbc = sbc || min(s.ChiP, s.KSP) < r.Level
			geweke = geweke || s.GewekeP < r.Level
			if s.Differs != (min(s.ChiP, s.KSP, s.GewekeP) < r.Level) {
				t.Errorf("%s: the verdict on %s is not that of its p", c.name, s.Name)
			}
			if s.Differs {
				differ++
			}
			if c.name == "prior" && s.Differs != (s.Name == "log p(c,x)") {
				t.Errorf("draws from the prior: verdict %v on %s, want a difference in log p alone", s.Differs, s.Name)
			}
		}
		if sbc != c.sbc || geweke != c.geweke || differ != r.Differ {
			t.Errorf("%s: calibration finds a difference: %v, joint test: %v, in all %d; want %v, %v",
				c.name, sbc, geweke, r.Differ, c.sbc, c.geweke)
		}
	}
}

// With too large an α the model has too many clusters: the truth ranks low, and the chains hold more than the law.
func TestCheckShowsTheDirection(t *testing.T) {
	many := exactGibbs()
	many.prior.Alpha = 4
	s := evaluation.CheckSettings{Sets: 40, Draws: 7, Chains: 8, Seed: 1}
	var parts []string
	s.Progress = func(part string, done, total int) {
		if done == total {
			parts = append(parts, part)
		}
	}
	r := must.M1(evaluation.Check(context.Background(), many, checkedLaw(), s))
	k := r.Statistics[0]
	if bins := k.Histogram; len(bins) != 8 || bins[0] <= bins[7] || k.Drawn <= k.Truth || k.GewekeZ >= 0 {
		t.Errorf("too many clusters show as %+v", k)
	}
	total := 0
	for _, count := range k.Histogram {
		total += count
	}
	if total != 40 || r.Points != 8 || r.Steps != 8 || r.BurnIn != 2 ||
		math.Abs(r.Level-0.01/15) > 1e-15 || len(parts) != 2 || r.Notes != nil {
		t.Errorf("%d ranks in a report %+v, ended parts %v", total, r, parts)
	}
	again := must.M1(evaluation.Check(context.Background(), many, checkedLaw(), s))
	if !slices.EqualFunc(r.Statistics, again.Statistics, func(a, b evaluation.CheckStatistic) bool {
		return a.ChiP == b.ChiP && a.KS == b.KS && a.GewekeZ == b.GewekeZ && a.Drawn == b.Drawn
	}) {
		t.Error("the same seed gave another report")
	}
}

func tinyModel(model string) *train.Model {
	c := train.Default(model)
	c.Net = models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4, Encoder: models.EncoderMLP}
	return &train.Model{Config: c, Card: train.Card{Name: "tiny"}, Params: c.Net.Init(data.Rand(1, "init", 0))}
}

// A model is checked on its own law: N as near to 50 as it knows. The notes say where the training differed.
func TestCheckModel(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	m := tinyModel(train.NCP)
	m.Config.Data.NMin, m.Config.Data.NMax = 5, 12
	s := evaluation.CheckSettings{Sets: 10, Draws: 3, Chains: 8, Seed: 1}
	r := must.M1(evaluation.CheckModel(context.Background(), backend, m, s))
	if r.Points != 12 || r.Notes != nil || !strings.Contains(r.Law, "n_max=12") || r.Statistics[0].Truth < 2 {
		t.Errorf("report %+v", r)
	}
	s.Points, m.Config.Data.Mode, m.Config.Data.FixedK = 4, data.ModeInstance, 3
	r = must.M1(evaluation.CheckModel(context.Background(), backend, m, s))
	if r.Points != 4 || len(r.Notes) != 2 || r.Statistics[0].Truth != 3 || !strings.Contains(r.Law, "mode=generative") {
		t.Errorf("report %+v", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := evaluation.CheckModel(ctx, backend, m, s); !errors.Is(err, train.ErrInterrupted) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCheckFaults(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	images, flat, st := tinyModel(train.NCP), tinyModel(train.NCP), tinyModel(train.ST)
	images.Config.Data = data.Default(data.SourceMNIST)
	flat.Config.Data.SigmaMu = 0
	st.Params = st.Config.Layout().Init(data.Rand(1, "init", 0))
	good := evaluation.DefaultCheck()
	change := func(f func(*evaluation.CheckSettings)) evaluation.CheckSettings { s := good; f(&s); return s }
	for _, c := range []struct {
		model    *train.Model
		settings evaluation.CheckSettings
		want     string
	}{
		{images, good, `data of source "mnist"`},
		{flat, good, "sigma_mu is 0"},
		{st, good, "tiny (ST) gives one clustering"},
		{tinyModel(train.NCP), change(func(s *evaluation.CheckSettings) { s.Points = 1 }), "points is 1"},
		{tinyModel(train.NCP), change(func(s *evaluation.CheckSettings) { s.Sets = 9 }), "sets is 9"},
		{tinyModel(train.NCP), change(func(s *evaluation.CheckSettings) { s.Draws = 0 }), "draws is 0"},
		{tinyModel(train.NCP), change(func(s *evaluation.CheckSettings) { s.Chains = 7 }), "chains is 7"},
	} {
		if _, err := evaluation.CheckModel(context.Background(), backend, c.model, c.settings); !usererr.Is(err) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want a fault of the user with %q", err, c.want)
		}
	}
}
