package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"
)

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

func TestVIByHand(t *testing.T) {
	vi := must.M1[float64]
	for _, c := range []struct {
		name string
		a, b []int32
		want float64
	}{
		{"equal, renamed", []int32{5, 5, -1}, []int32{0, 0, 3}, 0},
		{"one cluster and singletons: log N", []int32{0, 0, 0, 0, 0}, []int32{0, 1, 2, 3, 4}, math.Log(5)},
		{"independent halves: H + H", []int32{0, 0, 1, 1}, []int32{0, 1, 0, 1}, 2 * math.Ln2},
		{"split a quarter off: half the points lose one bit", []int32{0, 0, 1, 1}, []int32{0, 0, 1, 2}, math.Ln2 / 2},
	} {
		if got := vi(VI(c.a, c.b)); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("%s: VI = %v, want %v", c.name, got, c.want)
		}
	}
}

// Metric axioms and the naive formula on all 52² pairs of partitions of five points.
func TestVIMetric(t *testing.T) {
	vi := must.M1[float64]
	parts := must.M1(Partitions(5))
	d := make([][]float64, len(parts))
	for i, a := range parts {
		d[i] = make([]float64, len(parts))
		for j, b := range parts {
			d[i][j] = vi(VI(a, b))
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

func TestPointEstimateTies(t *testing.T) {
	// {01|2} and {0|12} are mirror images, {01|2} under other names is the same partition: all three tie.
	candidates := [][]int32{{0, 1, 1}, {0, 0, 1}, {9, 9, 4}}
	samples := [][]int32{{0, 0, 1}, {0, 1, 1}}
	want := must.M1(VI(candidates[0], candidates[1])) / 2
	index, value, err := LossVI.PointEstimate(candidates, samples)
	if index != 0 || !(math.Abs(value-want) <= 1e-15) || err != nil {
		t.Errorf("PointEstimate = %d, %v, %v, want 0, %v", index, value, err, want)
	}
	// The majority wins over the order of candidates.
	if index, _, err := LossVI.PointEstimate(candidates, append(samples, []int32{3, 3, 2})); index != 1 || err != nil {
		t.Errorf("PointEstimate = %d, %v, want 1", index, err)
	}
}

// One of 10,000 points in another cluster is not a tie: the tolerance stays below such a change.
func TestPointEstimateLargeSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	base := randomLabels(rng, 10_000, 20)
	moved := append([]int32(nil), base...)
	moved[4321] = (moved[4321] + 1) % 20
	index, value, err := LossVI.PointEstimate([][]int32{moved, base}, [][]int32{base, base})
	if index != 1 || value != 0 || err != nil {
		t.Errorf("PointEstimate = %d, %v, %v, want 1, 0", index, value, err)
	}
}

func BenchmarkPointEstimate(b *testing.B) {
	rng := rand.New(rand.NewPCG(29, 30))
	samples := noisySamples(rng, randomLabels(rng, 10_000, 20), 100, 20) // S = 100, N = 10,000, all different
	for b.Loop() {
		if _, _, err := LossVI.PointEstimate(samples, samples); err != nil {
			b.Fatal(err)
		}
	}
}
