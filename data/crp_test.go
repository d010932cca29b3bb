package data

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/posterior"
)

// chiSquareBound is the value that a right sampler exceeds once in a million seeds.
func chiSquareBound(df int) float64 {
	return distuv.ChiSquared{K: float64(df)}.Quantile(1 - 1e-6)
}

// bigStirling returns |s(n,k)| by the recursion in exact integers.
func bigStirling(n, k int) *big.Int {
	row := make([]*big.Int, k+1)
	for j := range row {
		row[j] = new(big.Int)
	}
	row[0].SetInt64(1)
	for m := 1; m <= n; m++ {
		for j := k; j >= 1; j-- {
			row[j].Mul(row[j], big.NewInt(int64(m-1)))
			row[j].Add(row[j], row[j-1])
		}
		row[0].SetInt64(0)
	}
	return row[k]
}

// TestConditionalCRPLaw compares the sampler with the exact law of every partition, for all n ≤ 7 and all k ≤ n.
func TestConditionalCRPLaw(t *testing.T) {
	const draws = 10_000
	for n := 1; n <= 7; n++ {
		for k := 1; k <= n; k++ {
			rng, sampler := Rand(1, "law", 10*n+k), newConditionalCRP(k, n)
			counts := map[string]float64{}
			for range draws {
				counts[fmt.Sprint(sampler.sample(rng, n))]++
			}
			law := must.M1(posterior.CRP{Alpha: 1, MinK: k, MaxK: k}.Prior(n))
			chi2, df := 0.0, -1
			for _, p := range posterior.Partitions(n) {
				if sizes := clusterSizes(p); len(sizes) == k {
					expected, count := draws*math.Exp(law(sizes)), counts[fmt.Sprint(p)]
					chi2 += (count - expected) * (count - expected) / expected
					delete(counts, fmt.Sprint(p))
					df++
				}
			}
			if len(counts) > 0 {
				t.Errorf("n=%d k=%d: sampled labels that are not canonical partitions into k: %v", n, k, counts)
			}
			if df > 0 && chi2 > chiSquareBound(df) {
				t.Errorf("n=%d k=%d: chi-square %.1f with %d degrees of freedom", n, k, chi2, df)
			}
		}
	}
}

func TestConditionalCRPTableAgainstBigIntegers(t *testing.T) {
	const n, k = 1000, 6
	logS := newConditionalCRP(k, n).logS
	for j := 1; j <= k; j++ {
		s := new(big.Float).SetInt(bigStirling(n, j))
		mantissa := new(big.Float)
		exponent := s.MantExp(mantissa)
		m, _ := mantissa.Float64()
		want := math.Log(m) + float64(exponent)*math.Ln2
		if math.Abs(logS[n][j]-want) > 1e-9 {
			t.Errorf("log|s(%d,%d)| = %.12g, want %.12g", n, j, logS[n][j], want)
		}
	}
}

// TestCRPExpectedClusters checks the mean number of clusters against Σ α/(α+i), within five standard errors; the
// variance is Σ α i/(α+i)², a sum of independent indicators.
func TestCRPExpectedClusters(t *testing.T) {
	const draws, n = 2000, 300
	for step, alpha := range []float64{1, 6} {
		var mean, variance, sum float64
		for i := range n {
			mean += alpha / (alpha + float64(i))
			variance += alpha * float64(i) / ((alpha + float64(i)) * (alpha + float64(i)))
		}
		rng := Rand(4, "mean", step)
		for range draws {
			sum += float64(len(clusterSizes(CRP(rng, n, alpha))))
		}
		if got, se := sum/draws, math.Sqrt(variance/draws); math.Abs(got-mean) > 5*se {
			t.Errorf("alpha %g: mean K = %.3f, want %.3f ± %.3f", alpha, got, mean, 5*se)
		}
	}
}

// The probability of a range is that of its numbers of clusters together.
func TestClusterRangeProb(t *testing.T) {
	const n, alpha = 7, 1.5
	law := partition.CountLaw(n, alpha, n)
	if got, want := clusterRangeProb(n, alpha, 2, 4), law[2]+law[3]+law[4]; math.Abs(got-want) > 1e-14 {
		t.Errorf("P(2 ≤ K ≤ 4) = %g, want %g", got, want)
	}
	if got, want := clusterRangeProb(n, alpha, 3, 0), 1-law[1]-law[2]; math.Abs(got-want) > 1e-14 {
		t.Errorf("P(3 ≤ K) = %g, want %g", got, want)
	}
}
