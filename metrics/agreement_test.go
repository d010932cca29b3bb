package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// Values printed in scikit-learn's own documentation and tests, with the digits given there.
var sklearnCases = []struct {
	source      string
	truth, pred []int32
	nmi, ari    float64 // NaN: not documented
	tol         float64
}{
	// doc/modules/clustering.rst, v_measure_score (= NMI, arithmetic mean): 0.516.
	// ARI by hand: ΣC(n_ij,2) = 2, ΣC(a,2) = 6, ΣC(b,2) = 3, C(6,2) = 15, E = 18/15: (2−1.2)/(4.5−1.2) = 8/33.
	{"user guide", []int32{0, 0, 0, 1, 1, 1}, []int32{0, 0, 1, 1, 2, 2}, 0.516, 8. / 33, 5e-4},
	// doc/modules/clustering.rst: homogeneity_completeness_v_measure = (1.0, 0.68..., 0.81...).
	{"user guide, homogeneous", []int32{0, 0, 0, 1, 1, 1}, []int32{0, 0, 0, 1, 2, 2}, 0.815, math.NaN(), 5e-3},
	// test_supervised.py, test_complete_but_not_homogeneous_labeling: v = 0.73.
	{"complete", []int32{0, 0, 1, 1, 2, 2}, []int32{0, 0, 1, 1, 1, 1}, 0.73, math.NaN(), 5e-3},
	// test_supervised.py, test_non_consecutive_labels: v = 0.52, ARI = 0.24.
	{"gaps in truth", []int32{0, 0, 0, 2, 2, 2}, []int32{0, 1, 0, 1, 2, 2}, 0.52, 0.24, 5e-3},
	{"gaps in pred", []int32{0, 0, 0, 1, 1, 1}, []int32{0, 4, 0, 4, 2, 2}, 0.52, 0.24, 5e-3},
	// homogeneity_completeness_v_measure docstring: (0.71..., 0.77..., 0.73...); harmonic mean of the first two is in
	// [0.7387, 0.7499], so v is 0.73874 to 0.74.
	{"docstring hcv", []int32{0, 0, 1, 1, 2, 2}, []int32{0, 0, 1, 2, 2, 2}, 0.7395, math.NaN(), 1e-3},
	// adjusted_rand_score docstring 0.57... (4/7 by hand: (1−1/3)/(1.5−1/3)); v_measure_score docstring 0.8....
	{"docstring split", []int32{0, 0, 1, 2}, []int32{0, 0, 1, 1}, 0.8, 4. / 7, 1e-12},
	{"docstring merge", []int32{0, 0, 1, 1}, []int32{0, 0, 1, 2}, 0.8, 4. / 7, 1e-12},
	// v_measure_score docstring 0.66...
	{"docstring singletons", []int32{0, 1, 2, 3}, []int32{0, 0, 1, 1}, 2. / 3, math.NaN(), 1e-12},
	// adjusted_rand_score docstring −0.5; independent labels, so NMI 0.
	{"docstring discordant", []int32{0, 0, 1, 1}, []int32{0, 1, 0, 1}, 0, -0.5, 1e-15},
	// normalized_mutual_info_score and adjusted_rand_score docstrings: 0.0 both.
	{"docstring all split", []int32{0, 0, 0, 0}, []int32{0, 1, 2, 3}, 0, 0, 0},
	{"docstring one pred", []int32{0, 0, 1, 1}, []int32{0, 0, 0, 0}, 0, math.NaN(), 0},
	// test_supervised.py, test_perfect_matches: 1.0 (one cluster, renamed, singletons).
	{"one cluster", []int32{0, 0, 0}, []int32{0, 0, 0}, 1, 1, 0},
	{"renamed", []int32{0, 1, 0}, []int32{42, 7, 42}, 1, 1, 0},
	{"singletons", []int32{0, 1, 2}, []int32{42, 7, 2}, 1, 1, 0},
	{"two points", []int32{0, 1}, []int32{7, 2}, 1, 1, 0},
	{"two points, one cluster", []int32{0, 1}, []int32{7, 7}, 0, 0, 0},
}

func TestScikitLearnValues(t *testing.T) {
	for _, c := range sklearnCases {
		nmi, ari := must.M1(NMI(c.truth, c.pred)), must.M1(ARI(c.truth, c.pred))
		if !math.IsNaN(c.nmi) && !(math.Abs(nmi-c.nmi) <= c.tol) {
			t.Errorf("%s: NMI = %v, want %v", c.source, nmi, c.nmi)
		}
		if !math.IsNaN(c.ari) && !(math.Abs(ari-c.ari) <= c.tol) {
			t.Errorf("%s: ARI = %v, want %v", c.source, ari, c.ari)
		}
	}
}

// naiveARI counts pairs one by one (Hubert & Arabie 1985).
func naiveARI(a, b []int32) float64 {
	var both, inA, inB, pairs float64
	for i := range a {
		for j := range i {
			pairs++
			sameA, sameB := a[i] == a[j], b[i] == b[j]
			if sameA {
				inA++
			}
			if sameB {
				inB++
			}
			if sameA && sameB {
				both++
			}
		}
	}
	expected := inA * inB / pairs
	return (both - expected) / ((inA+inB)/2 - expected)
}

// naiveNMI forms the dense joint distribution and the three entropies.
func naiveNMI(a, b []int32) float64 {
	pa, pb, pab := map[int32]float64{}, map[int32]float64{}, map[[2]int32]float64{}
	for i := range a {
		w := 1 / float64(len(a))
		pa[a[i]] += w
		pb[b[i]] += w
		pab[[2]int32{a[i], b[i]}] += w
	}
	var ha, hb, hab float64
	for _, p := range pa {
		ha -= p * math.Log(p)
	}
	for _, p := range pb {
		hb -= p * math.Log(p)
	}
	for _, p := range pab {
		hab -= p * math.Log(p)
	}
	return 2 * (ha + hb - hab) / (ha + hb)
}

func randomLabels(rng *rand.Rand, n, k int) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(rng.IntN(k))
	}
	return labels
}

type agreement struct {
	name  string
	score func(a, b []int32) (float64, error)
	naive func(a, b []int32) float64
	low   float64
}

var agreements = []agreement{
	{"NMI", NMI, naiveNMI, 0},
	{"ARI", ARI, naiveARI, -0.5},
}

func TestAgreementProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, k := 5+rng.IntN(60), 2+rng.IntN(6)
		a, b := randomLabels(rng, n, k), randomLabels(rng, n, k)
		a[0], a[1], b[0], b[1] = 0, 1, 0, 1 // two clusters at least: the naive forms have no corner cases
		for _, m := range agreements {
			m.check(t, rng, a, b)
		}
	}
}

// check tests range, symmetry, invariance to renaming and to point order, and the value against a naive form.
func (m agreement) check(t *testing.T, rng *rand.Rand, a, b []int32) {
	t.Helper()
	score := func(x, y []int32) float64 { return must.M1(m.score(x, y)) }
	want := score(a, b)
	if want < m.low || want > 1 {
		t.Errorf("%s = %v out of range for %v %v", m.name, want, a, b)
	}
	if self := score(a, a); self != 1 {
		t.Errorf("%s of a labeling with itself = %v", m.name, self)
	}
	names := rng.Perm(50)
	renamed, shuffledA, shuffledB := make([]int32, len(a)), make([]int32, len(a)), make([]int32, len(a))
	for i, p := range rng.Perm(len(a)) {
		renamed[i] = int32(names[a[i]] - 25) // negative names too
		shuffledA[i], shuffledB[i] = a[p], b[p]
	}
	for what, got := range map[string]float64{
		"swapped":  score(b, a),
		"renamed":  score(renamed, b),
		"shuffled": score(shuffledA, shuffledB),
		"naive":    m.naive(a, b),
	} {
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s = %v, %s %v for %v %v", m.name, want, what, got, a, b)
		}
	}
}

// scikit-learn issue 20305: products of pair counts overflow 64-bit integers at N = 100,000.
func TestARIManyPoints(t *testing.T) {
	const n = 1_000_000
	a, b := make([]int32, n), make([]int32, n)
	for i := range a {
		a[i], b[i] = int32(i%2), int32(i/2%2)
	}
	// Balanced and independent: n_ij = n/4 in all four cells. With s = n/4:
	// (4C(s,2) − E)/(2C(2s,2) − E), E = (2C(2s,2))²/C(4s,2), which simplifies to −1/(4s−2).
	got, err := ARI(a, b)
	if want := -1 / float64(n-2); err != nil || !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("ARI = %v, %v, want %v", got, err, want)
	}
}

func TestAgreementErrors(t *testing.T) {
	for _, m := range agreements {
		if _, err := m.score([]int32{0, 1}, []int32{1, 1, 1}); !errors.Is(err, ErrLength) {
			t.Errorf("%s of 2 and 3 labels: %v, want ErrLength", m.name, err)
		}
		for n := range 2 {
			if _, err := m.score(make([]int32, n), make([]int32, n)); !errors.Is(err, ErrTooFew) {
				t.Errorf("%s of %d points: %v, want ErrTooFew", m.name, n, err)
			}
		}
	}
}

// Canonical changes nothing but its copy, and no labels give no nil.
func TestCanonical(t *testing.T) {
	labels := []int32{7, -3, 7}
	canon, k := Canonical(labels)
	if !slices.Equal(canon, []int32{0, 1, 0}) || k != 2 || !slices.Equal(labels, []int32{7, -3, 7}) {
		t.Errorf("%v became %v in %d clusters", labels, canon, k)
	}
	if canon, k := Canonical(nil); canon == nil || k != 0 {
		t.Errorf("no labels became %v in %d clusters", canon, k)
	}
}

func TestSummary(t *testing.T) {
	// mean (2+4+9)/3 = 5; squares 9+1+16 = 26, divisor 2.
	if mean, std := Summary([]float64{2, 4, 9}); mean != 5 || !(math.Abs(std-math.Sqrt(13)) <= 1e-15) {
		t.Errorf("Summary = %v, %v, want 5, √13", mean, std)
	}
	if mean, std := Summary([]float64{7}); mean != 7 || std != 0 {
		t.Errorf("Summary of one value = %v, %v, want 7, 0", mean, std)
	}
	if mean, std := Summary(nil); !math.IsNaN(mean) || !math.IsNaN(std) {
		t.Errorf("Summary of nothing = %v, %v, want NaN", mean, std)
	}
}
