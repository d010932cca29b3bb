package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveBinder is the share of the N² ordered pairs that are together in one partition and apart in the other.
func naiveBinder(a, b []int32) float64 {
	differ := 0
	for i := range a {
		for j := range a {
			if (a[i] == a[j]) != (b[i] == b[j]) {
				differ++
			}
		}
	}
	return float64(differ) / float64(len(a)*len(a))
}

func TestLossesByHand(t *testing.T) {
	for _, c := range []struct {
		a, b       []int32
		vi, binder float64
	}{
		{[]int32{5, 5, -1}, []int32{0, 0, 3}, 0, 0}, // equal, renamed
		// one cluster and singletons: log N, and (25 + 5 − 2·5)/25 = 1 − 1/N
		{[]int32{0, 0, 0, 0, 0}, []int32{0, 1, 2, 3, 4}, math.Log(5), 0.8},
		{[]int32{0, 0, 1, 1}, []int32{0, 1, 0, 1}, 2 * math.Ln2, 0.5}, // independent halves; (8 + 8 − 2·4)/16
		{[]int32{0, 0, 1, 1}, []int32{0, 0, 0, 0}, math.Ln2, 0.5},     // (8 + 16 − 2·8)/16
		{[]int32{0, 0, 1, 1}, []int32{0, 0, 1, 2}, math.Ln2 / 2, 0.125},
		// (18 + 12 − 2·10)/36, cells 2, 1, 1, 2
		{[]int32{0, 0, 0, 1, 1, 1}, []int32{0, 0, 1, 1, 2, 2}, math.Log(3) - math.Ln2/3, 5. / 18},
	} {
		near(t, "VI", lossOf(LossVI, c.a, c.b), c.vi, 1e-15)
		near(t, "Binder", lossOf(LossBinder, c.a, c.b), c.binder, 1e-15)
	}
}

func TestPointEstimateAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	naive := map[Loss]func(a, b []int32) float64{LossVI: naiveVI, LossBinder: naiveBinder}
	for round := range 100 {
		loss := Loss(round % 2)
		samples := noisySamples(rng, randomLabels(rng, 5+rng.IntN(40), 4), 1+rng.IntN(15), 4)
		samples = append(samples, samples[0], samples[len(samples)/2]) // repeated draws carry weight
		index, value := loss.PointEstimate(samples, samples)
		best, at := math.Inf(1), -1
		for i, c := range samples {
			want := 0.0
			for _, s := range samples {
				want += naive[loss](c, s) / float64(len(samples))
			}
			near(t, "expected loss", loss.Expected(c, samples), want, 1e-12)
			if want < best-1e-11 {
				best, at = want, i
			}
		}
		if index != at || !(math.Abs(value-best) <= 1e-11) {
			t.Errorf("loss %d: PointEstimate = %d, %v, want %d, %v", loss, index, value, at, best)
		}
	}
}

// Equal candidates are looked at once, wherever they stand, and of several best ones the first is taken.
func TestPointEstimateRepeatsAndTies(t *testing.T) {
	bad, good := []int32{0, 0, 1, 2}, []int32{0, 0, 1, 1}
	mirrored := [][]int32{{0, 1, 1}, {0, 0, 1}, {9, 9, 4}}
	for _, loss := range []Loss{LossVI, LossBinder} {
		for _, c := range []struct {
			candidates, samples [][]int32
			want                int
		}{
			{[][]int32{bad, bad, {7, 7, 3, 1}, good, bad}, [][]int32{good}, 3},
			{[][]int32{{0, 1, 2, 2}, {0, 0, 1, 2}, {0, 1, 2, 2}}, [][]int32{good}, 0},
			{mirrored, mirrored[:2], 0},
			{mirrored, append(slices.Clone(mirrored[:2]), []int32{3, 3, 2}), 1}, // the majority
		} {
			if index, _ := loss.PointEstimate(c.candidates, c.samples); index != c.want {
				t.Errorf("%v: LossVI.PointEstimate(%v) = %d, want %d", loss, c.candidates, index, c.want)
			}
		}
	}
}

// The samples of TestAssignmentsByHand. Point 2 has the row (½, ¼, ¼): entropy 1.5·log 2. VI shares over 4·5, from log
// a·b/m²: points 0 and 1: 3·2/2² in two samples; point 2: 3·3/1² and 3·1/1²; points 3 and 4: 2·3/2² in one.
func TestUncertaintyByHand(t *testing.T) {
	estimate := []int32{0, 0, 0, 1, 1}
	samples := [][]int32{{0, 0, 0, 1, 1}, {8, 8, 8, 3, 3}, {0, 0, 1, 1, 1}, {0, 0, 2, 1, 1}}
	first := PointUncertainty{0, 0, 2 * math.Log(1.5) / 20}
	last := PointUncertainty{0, 0, math.Log(1.5) / 20}
	want := []PointUncertainty{first, first, {0.5, 1.5 * math.Ln2, math.Log(27) / 20}, last, last}
	for i, u := range Uncertainty(estimate, samples) {
		near(t, "elsewhere", u.Elsewhere, want[i].Elsewhere, 1e-15)
		near(t, "entropy", u.Entropy, want[i].Entropy, 1e-15)
		near(t, "VI", u.VI, want[i].VI, 1e-15)
		if math.Signbit(u.Entropy) {
			t.Errorf("entropy of point %d is −0", i)
		}
	}
}

// The points' shares sum to the expected VI.
func TestUncertaintySumsToExpectedVI(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	for range 30 {
		base := randomLabels(rng, 2+rng.IntN(40), 4)
		samples := noisySamples(rng, base, 1+rng.IntN(20), 5)
		sum := 0.0
		for _, u := range Uncertainty(base, samples) {
			sum += u.VI
		}
		near(t, "sum of shares", sum, LossVI.Expected(base, samples), 1e-12)
	}
}

// naiveVI is −Σ_ij p_ij (log(p_ij/p_i) + log(p_ij/q_j)), the sum of the two conditional entropies (Meilă 2007).
func naiveVI(a, b []int32) float64 {
	pa, pb, pab := map[int32]float64{}, map[int32]float64{}, map[[2]int32]float64{}
	w := 1 / float64(len(a))
	for i := range a {
		pa[a[i]] += w
		pb[b[i]] += w
		pab[[2]int32{a[i], b[i]}] += w
	}
	vi := 0.0
	for ij, p := range pab {
		vi -= p * (math.Log(p/pa[ij[0]]) + math.Log(p/pb[ij[1]]))
	}
	return vi
}

// Metric axioms and the naive formula on all 52² pairs of partitions of five points.
func TestVIMetric(t *testing.T) {
	parts := Partitions(5)
	d := make([][]float64, len(parts))
	for i, a := range parts {
		d[i] = make([]float64, len(parts))
		for j, b := range parts {
			d[i][j] = lossOf(LossVI, a, b)
			if !(math.Abs(d[i][j]-naiveVI(a, b)) <= 1e-14) {
				t.Errorf("VI(%v, %v) = %v, naive %v", a, b, d[i][j], naiveVI(a, b))
			}
			if (i == j) != (d[i][j] == 0) || d[i][j] < 0 || d[i][j] > math.Log(5)+1e-15 {
				t.Errorf("VI(%v, %v) = %v", a, b, d[i][j])
			}
		}
	}
	for i := range parts {
		for j := range parts {
			if !(math.Abs(d[i][j]-d[j][i]) <= 1e-15) {
				t.Errorf("VI is not symmetric: %v %v", parts[i], parts[j])
			}
			for k := range parts {
				if d[i][k] > d[i][j]+d[j][k]+1e-14 {
					t.Errorf("triangle inequality broken: %v %v %v", parts[i], parts[j], parts[k])
				}
			}
		}
	}
}

// One of 10,000 points in another cluster is not a tie: the tolerance stays below such a change.
func TestPointEstimateLargeSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	base := randomLabels(rng, 10_000, 20)
	moved := append([]int32(nil), base...)
	moved[4321] = (moved[4321] + 1) % 20
	index, value := LossVI.PointEstimate([][]int32{moved, base}, [][]int32{base, base})
	if index != 1 || value != 0 {
		t.Errorf("PointEstimate = %d, %v, want 1, 0", index, value)
	}
}
