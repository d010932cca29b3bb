package data

import (
	"math"
	"math/rand/v2"
)

// CRP draws the labels [n] of a partition of n points from the Chinese restaurant process (Aldous 1985).
//
// With i points seated, the next one opens a cluster with probability α/(i+α), else it joins the cluster of one of the
// i points, chosen uniformly: an existing cluster with probability proportional to its size. The labels are canonical.
// alpha must be positive; the expected number of clusters is Σ_{i<n} α/(α+i).
func CRP(rng *rand.Rand, n int, alpha float64) []int32 {
	labels := make([]int32, n)
	var clusters int32
	for i := range labels {
		if i == 0 || rng.Float64()*(float64(i)+alpha) < alpha {
			labels[i] = clusters
			clusters++
		} else {
			labels[i] = labels[rng.IntN(i)]
		}
	}
	return labels
}

// clusterCountLaw returns P(K = k) for k = 0..kMax under CRP(alpha) of n points. K is a sum of independent indicators
// "point i opens a cluster" with probability α/(α+i), so the law follows by adding one point after another, O(n·kMax).
func clusterCountLaw(n int, alpha float64, kMax int) []float64 {
	p := make([]float64, kMax+1)
	p[0] = 1
	for i := range n {
		opens := alpha / (alpha + float64(i))
		for k := kMax; k >= 1; k-- {
			p[k] = p[k]*(1-opens) + p[k-1]*opens
		}
		p[0] *= 1 - opens
	}
	return p
}

// clusterRangeProb returns P(minK ≤ K ≤ maxK) under CRP(alpha) of n points; maxK = 0 means no upper bound.
func clusterRangeProb(n int, alpha float64, minK, maxK int) float64 {
	sum := func(p []float64) (s float64) {
		for _, v := range p {
			s += v
		}
		return s
	}
	if maxK == 0 || maxK >= n {
		return math.Max(0, 1-sum(clusterCountLaw(n, alpha, minK-1)))
	}
	return sum(clusterCountLaw(n, alpha, maxK)[minK:])
}
