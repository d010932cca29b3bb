package clustering

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// fitted is a set of five points with samples that agree with the estimate, melt its clusters, and split one.
func fitted() *NetworkFit {
	return &NetworkFit{
		X: []float32{0, 0, 1, 0, 0, 1, 9, 9, 8, 9}, D: 2, Center: []float32{1, 1}, Factor: 0.5,
		Labels: []int32{0, 0, 0, 1, 1},
		Samples: []posterior.Distinct{
			{Labels: []int32{0, 0, 0, 1, 1}, Count: 3},
			{Labels: []int32{0, 0, 0, 0, 0}, Count: 2},
			{Labels: []int32{0, 0, 1, 2, 2}, Count: 5},
		},
	}
}

// A network without weights finds all candidates equally good: 3, 2 and 4 of them in the three samples. The one cluster
// of the second is the estimate's first, with which it shares most points; point 2, alone in the third, has no partner.
func TestPredictByHand(t *testing.T) {
	x := []float32{3, 4, 3, 4, -5, 6}
	p := must.M1(Predict(t.Context(), newNet(0), known(), fitted(), x, 3, 2, DefaultOptions()))
	row := []float64{0.3/3 + 0.2/2 + 0.5/4, 0.3/3 + 0.5/4, 0.3/3 + 0.2/2 + 2*0.5/4}
	for i, got := range p.Probabilities {
		for k, want := range row {
			near(t, "probability", got[k], want, 1e-6)
		}
		near(t, "a new cluster", p.NewCluster[i], 0.3/3+0.2/2+0.5/4, 1e-6)
		if p.Labels[i] != None {
			t.Errorf("point %d has label %d, but %v", i, p.Labels[i], got)
		}
	}
	if p.K != 2 || p.Samples != 10 || len(p.Probabilities) != 3 {
		t.Errorf("%d clusters, %d samples, %d points", p.K, p.Samples, len(p.Probabilities))
	}
	alone := must.M1(Predict(t.Context(), newNet(0), known(), fitted(), x, 3, 2, Options{}))
	near(t, "the estimate alone", alone.Probabilities[0][0], 1.0/3, 1e-6)
	if alone.Samples != 0 || alone.Labels[0] != 0 { // of equal ones the first
		t.Errorf("%d samples, label %d", alone.Samples, alone.Labels[0])
	}
}

// Points of the data, each taken out and predicted from the others, have the last decisions of the energy table of the
// whole set, averaged by the rule of posterior.Assignments.
func TestPredictLeavesOneOut(t *testing.T) {
	const n = 12
	x, _ := trainingSet(t, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		f := &NetworkFit{X: slices.Concat(x[:2*i], x[2*i+2:]), D: 2, Center: []float32{1, -2}, Factor: 0.7}
		draw := func() []int32 {
			labels := make([]int32, n-1)
			for j := range labels {
				labels[j] = rng.Int32N(4)
			}
			canon, _ := metrics.Canonical(labels)
			return canon
		}
		f.Labels = draw()
		k := metrics.Clusters(f.Labels)
		want, fresh := make([]float64, k+1), 0.0
		all := &prepared{center: f.Center, factor: f.Factor}
		all.input = input{known: known(), x: slices.Concat(f.X, x[2*i:2*i+2]), d: 2}
		must.M(all.units(""))
		for _, count := range []int{2, 1, 5} {
			s := posterior.Distinct{Labels: draw(), Count: count}
			f.Samples = append(f.Samples, s)
			tables := must.M1(tinyNet().Tables(all.x, append(slices.Clone(s.Labels), 0), 1, n))
			last := tables[0][n-1]
			total := 0.0
			for _, e := range last {
				total += math.Exp(-e)
			}
			rows := posterior.Assignments(f.Labels, [][]int32{s.Labels})
			for j, e := range last {
				mass := float64(count) / 8 * math.Exp(-e) / total
				if member := slices.Index(s.Labels, int32(j)); member >= 0 {
					want[slices.Index(rows[member], 1)] += mass
				} else {
					want[k] += mass
					fresh += mass
				}
			}
		}
		p := must.M1(Predict(t.Context(), tinyNet(), known(), f, x[2*i:2*i+2], 1, 2, DefaultOptions()))
		for j, v := range p.Probabilities[0] {
			near(t, "probability", v, want[j], 1e-4)
		}
		near(t, "a new cluster", p.NewCluster[0], fresh, 1e-4)
	}
}

// A new point is placed as if it were alone: the order of the points permutes the rows, and rows sum to one.
func TestPredictionsPermute(t *testing.T) {
	const n, m = 30, 40
	x, _ := trainingSet(t, n+m)
	o := testOptions()
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x[:2*n], n, 2, o))
	f := r.Network
	if f.Factor != r.ScaleFactor {
		t.Errorf("factor %v, want %v", f.Factor, r.ScaleFactor)
	}
	fresh := x[2*n:]
	var mixed []float32
	order := rand.New(rand.NewPCG(3, 4)).Perm(m)
	for _, i := range order {
		mixed = append(mixed, fresh[2*i], fresh[2*i+1])
	}
	p := must.M1(Predict(t.Context(), tinyNet(), known(), f, fresh, m, 2, DefaultOptions()))
	q := must.M1(Predict(t.Context(), tinyNet(), known(), f, mixed, m, 2, DefaultOptions()))
	for at, i := range order {
		for k, v := range p.Probabilities[i] {
			near(t, "in another order", q.Probabilities[at][k], v, 1e-5)
		}
		near(t, "sum", floats.Sum(p.Probabilities[i]), 1, 1e-12)
		if p.NewCluster[i] > p.Probabilities[i][p.K]+1e-12 {
			t.Errorf("a new cluster with %v, none with %v", p.NewCluster[i], p.Probabilities[i][p.K])
		}
	}
	if p.K != r.K || p.Samples != o.Samples {
		t.Errorf("%d clusters of %d, %d samples of %d", p.K, r.K, p.Samples, o.Samples)
	}
}

// Fewer draws are a choice of the seed, counted as often as they were drawn.
func TestPredictFromFewerSamples(t *testing.T) {
	count := map[int]int{} // how often a draw of each sample is the only one
	for seed := range uint64(300) {
		samples, drawn := fitted().choose(Options{Samples: 1, Seed: seed})
		if len(samples) != 1 || drawn != 1 || samples[0].Count != 1 {
			t.Fatalf("%d draws: %v", drawn, samples)
		}
		count[metrics.Clusters(samples[0].Labels)]++
	}
	for k, want := range map[int]int{2: 90, 1: 60, 3: 150} { // binomial, standard deviation at most 8.7
		if got := count[k]; got < want-30 || got > want+30 {
			t.Errorf("%d of 300 choices have %d clusters, want about %d", got, k, want)
		}
	}
	samples, drawn := fitted().choose(DefaultOptions())
	if drawn != 10 || !reflect.DeepEqual(samples, fitted().Samples) {
		t.Errorf("%d draws: %v", drawn, samples)
	}
}

func TestPredictFaults(t *testing.T) {
	good := []float32{1, 2, 3, 4}
	for name, c := range map[string]struct {
		x      []float32
		n, d   int
		change func(*NetworkFit, *Options)
		want   string
	}{
		"columns":   {good, 1, 4, nil, "the new points have 4 coordinates, but those of the clustering 2"},
		"NaN":       {[]float32{1, 2, 3, float32(math.NaN())}, 2, 2, nil, "coordinate 2 of point 2 is NaN"},
		"overflow":  {good, 2, 2, func(f *NetworkFit, _ *Options) { f.Factor = 1e39 }, "out of the range"},
		"samples":   {good, 2, 2, func(_ *NetworkFit, o *Options) { o.Samples = -1 }, "Samples is -1"},
		"no center": {good, 2, 2, func(f *NetworkFit, _ *Options) { f.Center = nil }, ""},
	} {
		f, o := fitted(), DefaultOptions()
		if c.change != nil {
			c.change(f, &o)
		}
		_, err := Predict(t.Context(), tinyNet(), known(), f, c.x, c.n, c.d, o)
		if c.want == "" {
			if !errors.Is(err, metrics.ErrLength) {
				t.Errorf("%s: error %v", name, err)
			}
		} else {
			testfiles.WantUserError(t, err, c.want)
		}
	}
}
