package data

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/gfncp/gfncp/internal/usererr"
)

// ConditionalCRP draws partitions from the Chinese restaurant process conditioned on exactly K clusters.
//
// Given K the law does not depend on α: P(partition of n | K=k) = Π_j (n_j−1)! / |s(n,k)|, with n_j the cluster sizes
// and |s| the unsigned Stirling numbers of the first kind. Sampling is exact and never rejects. Safe for concurrent
// use.
type ConditionalCRP struct {
	k  int
	mu sync.Mutex
	// logS[n][j] = log |s(n,j)| for j = 0..k; a row never changes once it is there, the outer slice grows as needed.
	logS [][]float64
}

// NewConditionalCRP returns the sampler of partitions with exactly k clusters. Its table of Stirling numbers grows with
// the largest n asked for: (n+1)·(k+1) numbers of 8 bytes.
func NewConditionalCRP(k int) *ConditionalCRP {
	return &ConditionalCRP{k: k}
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
	labels := make([]int32, n)
	var clusters int32
	for i := range labels {
		if opens[i] {
			labels[i] = clusters
			clusters++
		} else {
			labels[i] = labels[rng.IntN(i)]
		}
	}
	return labels, nil
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

// table returns rows 0..n at least of log |s(n,j)|, by |s(n,j)| = |s(n−1,j−1)| + (n−1)·|s(n−1,j)| and |s(0,0)| = 1.
func (c *ConditionalCRP) table(n int) [][]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.logS) == 0 {
		row := make([]float64, c.k+1)
		for j := 1; j <= c.k; j++ {
			row[j] = math.Inf(-1)
		}
		c.logS = append(c.logS, row)
	}
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
