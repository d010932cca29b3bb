package clustering

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// Of all partitions of seven points by their exact probabilities, each under one of two laws, the prediction of an
// eighth is that of enumeration: of each partition's continuations, p(c, c_new | x, x_new) of all partitions of eight.
func TestExactPredictsAsEnumerationDoes(t *testing.T) {
	const n, d = 7, 2
	x, _ := ellipses(n+2, d)
	r := must.M1(tabular.Principal(x[:n*d], n, d, d))
	y := r.Apply(x)
	crp := posterior.CRP{Alpha: 0.5, AlphaMax: 2}
	f := &ExactFit{Rotation: r, X: y[:n*d], Prior: crp}
	laws := []posterior.Likelihood{must.M1(posterior.EmpiricalNIW(f.X, d)), posterior.StandardNIW(d)}
	best, lawOf := math.Inf(-1), []int{}
	for i, law := range laws {
		before, _, err := posterior.Enumerate(law, must.M1(crp.Prior(n)), f.X)
		must.M(err)
		for at, labels := range before.Labels {
			if count := int(1e5 * float64(i+1) * math.Exp(before.LogProb[at])); count > 0 {
				f.Samples = append(f.Samples, ExactSample{
					State: posterior.State{Labels: labels, Model: law}, Count: count,
				})
				lawOf = append(lawOf, i)
			}
			if p := before.LogProb[at]; p > best {
				best, f.Labels = p, labels
			}
		}
	}
	got := must.M1(f.Predict(t.Context(), x[n*d:], 2, d, PredictOptions{Samples: 1e6}))
	for point := range 2 {
		longer := slices.Concat(f.X, y[(n+point)*d:(n+point+1)*d])
		var afters []*posterior.Distribution
		for _, law := range laws {
			after, _, err := posterior.Enumerate(law, must.M1(crp.Prior(n+1)), longer)
			must.M(err)
			afters = append(afters, after)
		}
		want, fresh, draws := make([]float64, got.K+1), 0.0, 0.0
		for i, s := range f.Samples {
			partner := must.M1(posterior.Match(s.Labels, f.Labels))
			mass, sum := make([]float64, len(partner)+1), 0.0
			for j := range mass {
				at := must.M1(posterior.PartitionIndex(append(slices.Clone(s.Labels), int32(j))))
				mass[j] = math.Exp(afters[lawOf[i]].LogProb[at])
				sum += mass[j]
			}
			for j, v := range mass {
				to := got.K
				if j < len(partner) {
					to = partner[j]
				} else {
					fresh += v / sum * float64(s.Count)
				}
				want[to] += v / sum * float64(s.Count)
			}
			draws += float64(s.Count)
		}
		for k, w := range want {
			near(t, "probability", got.Probabilities[point][k], w/draws, 1e-9)
		}
		near(t, "a new cluster", got.NewCluster[point], fresh/draws, 1e-9)
	}
}

// Points that Exact was given are predicted into their own clusters, a far one into none; the same seed gives the same
// numbers, and fewer draws or the estimate alone say nearly the same of clear points.
func TestExactPredictsItsOwn(t *testing.T) {
	const n, d = 90, 4
	x, _ := ellipses(n, d)
	o := quick()
	r := must.M1(Exact(t.Context(), x, n, d, o))
	far := slices.Clone(x[:d])
	far[1] += 1e5
	for _, samples := range []int{100, 10, 0} {
		po := PredictOptions{Samples: samples, Seed: 3}
		p := must.M1(r.Exact.Predict(t.Context(), slices.Concat(x, far), n+1, d, po))
		agree := 0
		for i, l := range r.Labels {
			if p.Labels[i] == l {
				agree++
			}
		}
		if agree < n-3 || p.Labels[n] != None || p.NewCluster[n] < 0.99 || p.Samples != samples || p.K != r.K {
			t.Errorf("%d samples: %d of %d points are where they were, the far one in %d with %v", samples, agree, n,
				p.Labels[n], p.NewCluster[n])
		}
		again := must.M1(r.Exact.Predict(t.Context(), slices.Concat(x, far), n+1, d, po))
		if !reflect.DeepEqual(again, p) {
			t.Errorf("%d samples: the same seed predicts something else", samples)
		}
	}
}

func TestExactPredictFaults(t *testing.T) {
	const n, d = 12, 2
	x, _ := ellipses(n, d)
	o := quick()
	o.Refine = "20"
	f := must.M1(Exact(t.Context(), x, n, d, o)).Exact
	for name, c := range map[string]struct {
		x    []float64
		n, d int
		o    PredictOptions
		want string
	}{
		"none":    {nil, 0, d, PredictOptions{}, "nothing to predict"},
		"columns": {x, 8, 3, PredictOptions{}, "3 coordinates, but those of the clustering 2"},
		"NaN":     {[]float64{1, math.NaN()}, 1, 2, PredictOptions{}, "coordinate 2 of point 1 is NaN"},
		"far":     {[]float64{1, 2, 1e200, 3}, 2, 2, PredictOptions{}, "coordinate 1 of point 2 is 1e+200"},
		"samples": {x, n, d, PredictOptions{Samples: -1}, "Samples = -1"},
	} {
		_, err := f.Predict(t.Context(), c.x, c.n, c.d, c.o)
		if !usererr.Is(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, spoil := range map[string]func(f *ExactFit){
		"labels":   func(f *ExactFit) { f.Labels = f.Labels[1:] },
		"estimate": func(f *ExactFit) { f.Labels = slices.Repeat([]int32{-1}, n) },
		"samples":  func(f *ExactFit) { f.Samples = nil },
		"a sample": func(f *ExactFit) { f.Samples = []ExactSample{{State: f.Samples[0].State}} },
		"its model": func(f *ExactFit) {
			f.Samples = []ExactSample{{State: posterior.State{Labels: f.Labels}, Count: 1}}
		},
		"groups": func(f *ExactFit) { f.Samples = []ExactSample{{f.Samples[0].State, 1, []int32{1, 0}}} },
	} {
		bad := *f
		spoil(&bad)
		if _, err := bad.Predict(t.Context(), x, n, d, PredictOptions{}); !errors.Is(err, metrics.ErrLength) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
