package rivals

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// twins are two Gaussian clusters of 100 points each, 20 widths apart, in 3 dimensions. (With 30 each, full covariances
// win by BIC that belong to five points.)
func twins(seed uint64) tablesets.Set {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := tablesets.Set{D: 3}
	for i := range 200 {
		s.Labels = append(s.Labels, int32(i%2))
		for range s.D {
			s.X = append(s.X, rng.NormFloat64()+float64(20*(i%2)))
		}
	}
	return s
}

// answersOf runs a script, if what it needs is installed.
func answersOf(t *testing.T, script *Script, sets ...tablesets.Set) Answers {
	t.Helper()
	answers, err := script.Run(t.Context(), sets)
	if err != nil && strings.Contains(err.Error(), "install what is missing") {
		t.Skip(err)
	}
	return must.M1(answers, err)
}

// An interrupted run says nothing of missing packages.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := R.Run(ctx, []tablesets.Set{twins(1)}); err == nil || strings.Contains(err.Error(), "install") {
		t.Errorf("error %v", err)
	}
}

// Every rival finds what nobody can miss, and the same twice; HDBSCAN may call a few points noise.
func TestRivals(t *testing.T) {
	for _, script := range []*Script{R, Python} {
		t.Run(script.Language.Name, func(t *testing.T) {
			sets := []tablesets.Set{twins(1), twins(2)}
			answers := answersOf(t, script, sets...)
			if answers.Versions == "" || len(answers.Results) != len(sets) {
				t.Fatalf("versions %q, %d results", answers.Versions, len(answers.Results))
			}
			for _, r := range All {
				for i, set := range sets {
					answer, known := answers.Results[i][r.ID]
					if known != (r.Script == script) {
						t.Errorf("%s: known %v", r.Name, known)
					}
					// a Bayesian mixture may cut off a few points, which costs little
					if known && (must.M1(metrics.ARI(set.Labels, answer.Labels)) < 0.8 || answer.Fault != "") {
						t.Errorf("%s on set %d: %+v", r.Name, i, answer)
					}
				}
			}
		})
	}
}

// What cannot be fitted is one cluster with a fault, and the other methods go on.
func TestFault(t *testing.T) {
	one := tablesets.Set{D: 1, X: []float64{1}, Labels: []int32{0}}
	answers := answersOf(t, Python, one)
	for id, fails := range map[string]bool{"gmm-full": true, "kmeans": false} {
		if a := answers.Results[0][id]; !slices.Equal(a.Labels, []int32{0}) || (a.Fault != "") != fails {
			t.Errorf("%s on one point: %+v", id, a)
		}
	}
}

// Answers are kept by what was asked: another set, or another script, is another key.
func TestKey(t *testing.T) {
	keys := map[string]bool{}
	for _, script := range []*Script{R, Python, R} {
		for _, seed := range []uint64{1, 2} {
			keys[string(must.M1(json.Marshal(script.Key([]tablesets.Set{twins(seed)}))))] = true
		}
	}
	if len(keys) != 4 {
		t.Errorf("%d keys of two sets and two scripts", len(keys))
	}
}
