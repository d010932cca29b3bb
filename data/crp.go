package data

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
)

// CRP draws the canonical labels [n] of a partition of n points from the Chinese restaurant process (Aldous 1985).
//
// With i points seated, the next one opens a cluster with probability α/(i+α), else it joins the cluster of one of the
// i points, chosen uniformly. alpha must be positive; the expected number of clusters is Σ_{i<n} α/(α+i).
func CRP(rng *rand.Rand, n int, alpha float64) []int32 {
	return seat(rng, n, func(i int) bool { return i == 0 || rng.Float64()*(float64(i)+alpha) < alpha })
}

// seat labels n points: a point that opens no cluster joins the cluster of an earlier point, chosen uniformly.
func seat(rng *rand.Rand, n int, opens func(i int) bool) []int32 {
	labels := make([]int32, n)
	var clusters int32
	for i := range labels {
		if opens(i) {
			labels[i] = clusters
			clusters++
		} else {
			labels[i] = labels[rng.IntN(i)]
		}
	}
	return labels
}

// clusterRangeProb returns P(minK ≤ K ≤ maxK) under CRP(alpha) of n points; maxK = 0 means no upper bound.
func clusterRangeProb(n int, alpha float64, minK, maxK int) float64 {
	if maxK == 0 || maxK >= n {
		return math.Max(0, 1-floats.Sum(partition.CountLaw(n, alpha, minK-1)))
	}
	return floats.Sum(partition.CountLaw(n, alpha, maxK)[minK:])
}

// conditionalCRP draws partitions from the Chinese restaurant process conditioned on exactly K clusters.
//
// Given K the law does not depend on α: P(partition of n | K=k) = Π_j (n_j−1)! / |s(n,k)|, with n_j the cluster sizes
// and |s| the unsigned Stirling numbers of the first kind. Sampling is exact and never rejects.
type conditionalCRP struct {
	k    int
	logS [][]float64 // logS[n][j] = log |s(n,j)| for j = 0..k
}

// newConditionalCRP returns the sampler of partitions of at most `most` points into exactly k ≥ 1 clusters, by
// |s(n,j)| = |s(n−1,j−1)| + (n−1)·|s(n−1,j)| and |s(0,0)| = 1.
func newConditionalCRP(k, most int) *conditionalCRP {
	prev := slices.Repeat([]float64{math.Inf(-1)}, k+1)
	prev[0] = 0
	logS := [][]float64{prev}
	for n := 1; n <= most; n++ {
		row := make([]float64, k+1)
		row[0] = math.Inf(-1)
		for j := 1; j <= k; j++ {
			row[j] = logAddExp(prev[j-1], math.Log(float64(n-1))+prev[j])
		}
		logS, prev = append(logS, row), row
	}
	return &conditionalCRP{k: k, logS: logS}
}

// sample draws canonical labels [n] with exactly k ≤ n clusters.
//
// First the points that open a cluster are chosen, from the last point to the first:
//
//	P(point n opens | k clusters among the first n) = |s(n−1,k−1)| / |s(n,k)|
//
// then every other point joins the cluster of an earlier point, chosen uniformly, as in the free process.
func (c *conditionalCRP) sample(rng *rand.Rand, n int) []int32 {
	opens, k := make([]bool, n), c.k
	// The table holds log 1 = 0 on its diagonal and −Inf in column 0, so that the probability is exactly 1 when every
	// point left must open, and exactly 0 when only the first still may: rounding cannot lose or add a cluster.
	for m := n; m >= 1 && k >= 1; m-- {
		if rng.Float64() < math.Exp(c.logS[m-1][k-1]-c.logS[m][k]) {
			opens[m-1] = true
			k--
		}
	}
	return seat(rng, n, func(i int) bool { return opens[i] })
}

// logAddExp returns log(e^a + e^b) without overflow; −Inf stands for zero.
func logAddExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// prior draws the partition of one set; sources share it. Its settings have passed validation.
type prior struct {
	alphaMin, alphaMax float64         // α is log-uniform between them, drawn anew for each set
	fixed              *conditionalCRP // if not nil, exactly K clusters; the other fields are not used
	minK, maxK         int             // allowed numbers of clusters; maxK = 0 means no upper bound
}

// sample draws canonical labels [n] and returns α, or 0 if K is fixed. A partition with too few or too many clusters is
// drawn again with the same α, which gives exactly CRP(α) conditioned on minK ≤ K ≤ maxK.
func (p *prior) sample(rng *rand.Rand, n int) (labels []int32, alpha float64) {
	if p.fixed != nil {
		return p.fixed.sample(rng, n), 0
	}
	alpha = p.alphaMin
	if p.alphaMin < p.alphaMax {
		alpha = logUniform(rng, p.alphaMin, p.alphaMax)
	}
	for { // ends: validation demands an acceptance of at least minAcceptance
		labels = CRP(rng, n, alpha)
		k := len(clusterSizes(labels))
		if k >= p.minK && (p.maxK == 0 || k <= p.maxK) {
			return labels, alpha
		}
	}
}

// logUniform draws a number between least and end whose logarithm is uniform.
func logUniform(rng *rand.Rand, least, end float64) float64 {
	lo, hi := math.Log(least), math.Log(end)
	return math.Exp(lo + rng.Float64()*(hi-lo))
}

// minAcceptance is the smallest share of partitions within [min_k, max_k] that a configuration may ask for. Below it
// rejection would take hundreds of tries a set, and the conditional sampler (fixed_k) is the right tool.
const minAcceptance = 0.01

// acceptance returns the lowest P(minK ≤ K ≤ maxK) over the corners of the ranges of N and α. K grows with both and its
// law is log-concave, so the probability has one peak along each axis and its minimum at a corner.
func (p *prior) acceptance(nMin, nMax int) (prob float64, n int, alpha float64) {
	prob = math.Inf(1)
	for _, cn := range []int{nMin, nMax} {
		for _, ca := range []float64{p.alphaMin, p.alphaMax} {
			if q := clusterRangeProb(cn, ca, p.minK, p.maxK); q < prob {
				prob, n, alpha = q, cn, ca
			}
		}
	}
	return prob, n, alpha
}
