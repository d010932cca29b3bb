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

// Metric axioms and the naive formula on all 52² pairs of partitions of five points.
func TestVIMetric(t *testing.T) {
	parts := must.M1(Partitions(5))
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
	index, value, err := LossVI.PointEstimate([][]int32{moved, base}, [][]int32{base, base})
	if index != 1 || value != 0 || err != nil {
		t.Errorf("PointEstimate = %d, %v, %v, want 1, 0", index, value, err)
	}
}
