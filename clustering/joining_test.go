package clustering

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// bends are n points of two bent groups, one of which reaches around an end of the other, and a round one.
func bends(rng *rand.Rand, n int) (x []float64, labels []int32) {
	for i := range n {
		s, c := math.Sincos(4 * (rng.Float64() - 0.5))
		at := [][]float64{{-s, c}, {3 - s, -c - 1.5}, {8, 3}}[i%3]
		if i%3 == 2 {
			at[0], at[1] = at[0]+0.5*rng.NormFloat64(), at[1]+0.5*rng.NormFloat64()
		}
		x = append(x, 10*at[0]+0.8*rng.NormFloat64(), 10*at[1]+0.8*rng.NormFloat64())
		labels = append(labels, int32(i%3))
	}
	return x, labels
}

// Bent groups are found whole, and whole is what new points join; all of that can be switched off.
func TestPiecesAreJoined(t *testing.T) {
	rng := data.Rand(3, "bends", 0)
	const n = 450
	x, truth := bends(rng, n)
	o := quick()
	o.Refine = "200"
	r := must.M1(Exact(t.Context(), x, n, 2, o))
	j := r.Refinement.Joined
	if ari := must.M1(metrics.ARI(truth, r.Labels)); ari < 0.98 || r.K != 3 {
		t.Errorf("K = %d, ARI %v (%q)", r.K, ari, r.Warnings)
	}
	if j == nil || j.Pieces < 4 || math.Abs(j.Share-2./3) > 0.05 || j.Rest.Any() < gaussianBelow ||
		!hasWarning(r.Warnings, "pieces joined") {
		t.Fatalf("joined %+v (%q)", j, r.Warnings)
	}
	if why, explained := r.Refinement.Explains(); explained && !strings.Contains(why, "pieces, joined") {
		t.Errorf("explained: %s", why)
	}
	total := 0.0
	for _, k := range r.KPosterior {
		if total += k.P; k.K > 6 {
			t.Errorf("P(K = %d) = %v is that of pieces", k.K, k.P)
		}
	}
	if math.Abs(total-1) > 1e-9 {
		t.Errorf("P(K) adds up to %v", total)
	}
	more, which := bends(rng, 90)
	for _, samples := range []int{0, 20} { // the estimate for sure, and an average
		p := must.M1(r.Exact.Predict(t.Context(), more, 90, 2, PredictOptions{Samples: samples}))
		if ari := must.M1(metrics.ARI(which, p.Labels)); ari < 0.95 {
			t.Errorf("new points by %d samples: ARI %v", samples, ari)
		}
		for i, row := range p.Probabilities {
			if sum := row[0] + row[1] + row[2] + row[3]; len(row) != 4 || math.Abs(sum-1) > 1e-9 {
				t.Fatalf("new point %d: probabilities %v", i, row)
			}
		}
	}
	o.KeepPieces = true
	kept := must.M1(Exact(t.Context(), x, n, 2, o))
	if kept.Refinement.Joined != nil || kept.K < 5 || hasWarning(kept.Warnings, "pieces joined") {
		t.Errorf("kept pieces: K = %d, joined %+v", kept.K, kept.Refinement.Joined)
	}
}

// Gaussian clusters that overlap are not joined.
func TestOverlappingClustersStayApart(t *testing.T) {
	rng := data.Rand(4, "overlap", 0)
	const n = 400
	var x []float64
	for i := range n {
		a, b := rng.NormFloat64(), 5*rng.NormFloat64()
		if i%2 == 1 {
			a, b = b, a
		}
		x = append(x, a, b)
	}
	o := quick()
	o.Refine = "200"
	r := must.M1(Exact(t.Context(), x, n, 2, o))
	if r.Refinement.Joined != nil || r.K < 2 {
		t.Errorf("a cross of two clusters: K = %d, joined %+v", r.K, r.Refinement.Joined)
	}
}

// Labels of joined pieces, and of the others, which are what is compared with Gaussians.
func TestJoinedLabels(t *testing.T) {
	joined, apart, share := joinedLabels([]int32{5, 5, 2, 7, 2, 9}, []int32{0, 1, 0, 2})
	if !slices.Equal(joined, []int32{0, 0, 1, 0, 1, 2}) || math.Abs(share-0.5) > 1e-12 {
		t.Errorf("labels %v, share %v", joined, share)
	}
	if got, _ := metrics.Canonical(apart); !slices.Equal(got, []int32{0, 1, 2, 3, 2, 4}) {
		t.Errorf("apart %v", apart)
	}
}

// The spread of two chains of two samples each, by hand; chains agree on clusters if that between them is not larger.
func TestSpreadOfChains(t *testing.T) {
	one, two, four := []int32{0, 0, 0, 0}, []int32{0, 0, 1, 1}, []int32{0, 1, 2, 3}
	vi := func(a, b []int32) float64 { return must.M1(posterior.LossVI.Distance(a, b)) }
	p := &pieces{labels: [][]int32{one, two, four, four}}
	between, within, err := p.spread(2)
	must.M(err)
	if want := (vi(one, four) + vi(two, four)) / 2; math.Abs(between-want) > 1e-12 {
		t.Errorf("between %v, want %v", between, want)
	}
	if want := vi(one, two) / 2; math.Abs(within-want) > 1e-12 {
		t.Errorf("within %v, want %v", within, want)
	}
	for _, c := range []struct {
		between, within float64
		want            bool
	}{{0.5, 0.41, true}, {0.5, 0.39, false}, {2.01, 1.99, true}, {2.01, 2.01, false}, {0, 0, true}} {
		r := &Refinement{VIBetween: &c.between, VIWithin: &c.within}
		if r.Agrees() != c.want {
			t.Errorf("%v nats between chains, %v within: agree %v", c.between, c.within, r.Agrees())
		}
	}
}
