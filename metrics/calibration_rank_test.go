package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestSBCRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	if r, err := SBCRank(rng, 2.5, []float64{1, 3, 2, 9}); r != 2 || err != nil {
		t.Errorf("rank = %d, %v, want 2", r, err)
	}
	// One below, two equal: ranks 1, 2, 3 equally often; 3,000 tries give 1,000 ± 26 each.
	count := map[int]int{}
	for range 3000 {
		r, err := SBCRank(rng, 4, []float64{4, 1, 7, 4})
		if err != nil {
			t.Fatal(err)
		}
		count[r]++
	}
	for r := 1; r <= 3; r++ {
		if !(math.Abs(float64(count[r])-1000) <= 120) || len(count) != 3 {
			t.Errorf("ranks of a tied truth: %v, want 1000 each of 1, 2, 3", count)
		}
	}
	if _, err := SBCRank(rng, 1, nil); !errors.Is(err, ErrTooFew) {
		t.Errorf("no draws: %v", err)
	}
	if _, err := SBCRank(rng, 1, []float64{math.NaN()}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// By hand. Even bins: ranks 0..3 seen 4, 2, 1, 1 times, expected 2: (4+0+1+1)/2 = 3; the χ² law with 3 degrees of
// freedom has P(X > 3) = erfc(√1.5) + √(6/π)·e^−1.5 = 0.391625 (upper tail erfc(√(x/2)) + √(2x/π)·e^(−x/2)). Uneven
// bins: values 0..2 in two bins of 2 and 1; 3 ranks of 0, 3 of 2: expected 4 and 2: 1/4 + 1/2 = 0.75, one degree of
// freedom: erfc(√0.375).
func TestRankChiSquaredByHand(t *testing.T) {
	for _, c := range []struct {
		ranks       []int
		draws, bins int
		stat, p     float64
	}{
		{[]int{0, 0, 0, 0, 1, 1, 2, 3}, 3, 4, 3, math.Erfc(math.Sqrt(1.5)) + math.Sqrt(6/math.Pi)*math.Exp(-1.5)},
		{[]int{0, 0, 0, 2, 2, 2}, 2, 2, 0.75, math.Erfc(math.Sqrt(0.375))},
	} {
		stat, p, err := RankChiSquared(c.ranks, c.draws, c.bins)
		if err != nil || !(math.Abs(stat-c.stat) <= 1e-12) || !(math.Abs(p-c.p) <= 1e-12) {
			t.Errorf("RankChiSquared(%v) = %v, %v, %v, want %v, %v", c.ranks, stat, p, err, c.stat, c.p)
		}
	}
}

// A conjugate normal model: μ ~ N(0,1), x ~ N(μ,1), posterior N(x/2, 1/2). Ranks from it pass the test, ranks from a
// posterior of half the variance do not.
func TestSimulationBasedCalibration(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	run := func(variance float64) float64 {
		const draws = 19
		var ranks []int
		for range 1000 {
			mu := rng.NormFloat64()
			x := mu + rng.NormFloat64()
			post := make([]float64, draws)
			for i := range post {
				post[i] = x/2 + math.Sqrt(variance)*rng.NormFloat64()
			}
			r, err := SBCRank(rng, mu, post)
			if err != nil {
				t.Fatal(err)
			}
			ranks = append(ranks, r)
		}
		_, chi, err := RankChiSquared(ranks, draws, 10)
		if err != nil {
			t.Fatal(err)
		}
		return chi
	}
	if p := run(0.5); p < 0.01 {
		t.Errorf("exact posterior: p = %v", p)
	}
	if p := run(0.25); p > 1e-6 {
		t.Errorf("overconfident posterior: p = %v", p)
	}
}

func TestUniformityErrors(t *testing.T) {
	for _, c := range []struct {
		ranks       []int
		draws, bins int
		want        error
	}{
		{nil, 3, 2, ErrTooFew},
		{[]int{0}, 3, 1, ErrTooFew},
		{[]int{0}, 3, 5, ErrTooFew},
		{[]int{4}, 3, 2, ErrNotFinite},
		{[]int{-1}, 3, 2, ErrNotFinite},
	} {
		if _, _, err := RankChiSquared(c.ranks, c.draws, c.bins); !errors.Is(err, c.want) {
			t.Errorf("RankChiSquared(%v, %d, %d): %v, want %v", c.ranks, c.draws, c.bins, err, c.want)
		}
	}
}
