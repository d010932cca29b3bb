package data

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
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

// ConditionalCRP draws partitions from the Chinese restaurant process conditioned on exactly K clusters.
//
// Given K the law does not depend on α: P(partition of n | K=k) = Π_j (n_j−1)! / |s(n,k)|, with n_j the cluster sizes
// and |s| the unsigned Stirling numbers of the first kind. Sampling is exact and never rejects. Safe for concurrent
// use.
type ConditionalCRP struct {
	k  int
	mu sync.Mutex
	// logS[n][j] = log |s(n,j)| for j = 0..k; rows never change; the outer slice grows as needed.
	logS [][]float64
}

// NewConditionalCRP returns the sampler of partitions with exactly k clusters. It keeps (n+1)·(k+1) numbers for the
// largest n asked for.
func NewConditionalCRP(k int) *ConditionalCRP {
	none := slices.Repeat([]float64{math.Inf(-1)}, max(k, 0)+1)
	none[0] = 0
	return &ConditionalCRP{k: k, logS: [][]float64{none}}
}

// Sample draws canonical labels [n] with exactly k clusters. It returns a *usererr.Error unless 1 ≤ k ≤ n.
//
// First the points that open a cluster are chosen, from the last point to the first:
//
//	P(point n opens | k clusters among the first n) = |s(n−1,k−1)| / |s(n,k)|
//
// then every other point joins the cluster of an earlier point, chosen uniformly, as in the free process.
func (c *ConditionalCRP) Sample(rng *rand.Rand, n int) ([]int32, error) {
	if c.k < 1 || c.k > n {
		return nil, usererr.New("choose a number of clusters between 1 and the number of points",
			"cannot split %d points into exactly %d clusters", n, c.k)
	}
	opens := c.openers(rng, n)
	return seat(rng, n, func(i int) bool { return opens[i] }), nil
}

// openers returns for each of n points whether it opens a cluster; exactly k do, point 0 among them.
func (c *ConditionalCRP) openers(rng *rand.Rand, n int) []bool {
	logS := c.table(n)
	opens := make([]bool, n)
	k := c.k
	// The table holds log 1 = 0 on its diagonal and −Inf in column 0, so that the probability is exactly 1 when every
	// point left must open, and exactly 0 when only the first still may: rounding cannot lose or add a cluster.
	for m := n; m >= 1 && k >= 1; m-- {
		if rng.Float64() < math.Exp(logS[m-1][k-1]-logS[m][k]) {
			opens[m-1] = true
			k--
		}
	}
	return opens
}

// table returns at least the rows 0..n of log |s(n,j)|, by |s(n,j)| = |s(n−1,j−1)| + (n−1)·|s(n−1,j)| and |s(0,0)| = 1.
func (c *ConditionalCRP) table(n int) [][]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for m := len(c.logS); m <= n; m++ {
		prev, row := c.logS[m-1], make([]float64, c.k+1)
		row[0] = math.Inf(-1)
		for j := 1; j <= c.k; j++ {
			row[j] = logAddExp(prev[j-1], math.Log(float64(m-1))+prev[j])
		}
		c.logS = append(c.logS, row)
	}
	return c.logS
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
	fixed              *ConditionalCRP // if not nil, exactly K clusters; the other fields are not used
	minK, maxK         int             // allowed numbers of clusters; maxK = 0 means no upper bound
}

// sample draws canonical labels [n] and returns α, or 0 if K is fixed. A partition with too few or too many clusters is
// drawn again with the same α, which gives exactly CRP(α) conditioned on minK ≤ K ≤ maxK.
func (p *prior) sample(rng *rand.Rand, n int) (labels []int32, alpha float64, err error) {
	if p.fixed != nil {
		labels, err = p.fixed.Sample(rng, n)
		return labels, 0, err
	}
	alpha = p.alphaMin
	if p.alphaMin < p.alphaMax {
		lo, hi := math.Log(p.alphaMin), math.Log(p.alphaMax)
		alpha = math.Exp(lo + rng.Float64()*(hi-lo))
	}
	for { // ends: validation demands an acceptance of at least minAcceptance
		labels = CRP(rng, n, alpha)
		k := len(clusterSizes(labels))
		if k >= p.minK && (p.maxK == 0 || k <= p.maxK) {
			return labels, alpha, nil
		}
	}
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
