package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// MostClusters is the largest number of clusters.
const MostClusters = 60

// numberPrior returns log p(K) for K = 0..MostClusters, up to a constant: K − 1 ~ beta-negative-binomial(1, 4, 3), and
// K ≤ most. Above dense only some K are allowed, to save time: each K costs a log Γ for each new cluster. Each also has
// the probability of the skipped K below it.
func numberPrior(most int) (log byNumber) {
	const dense = 24
	logBeta := func(a, b float64) float64 {
		return em.LogGammaFunction(a) + em.LogGammaFunction(b) - em.LogGammaFunction(a+b)
	}
	for k := range log {
		log[k] = math.Inf(-1)
	}
	skipped := 0.0
	allowed := dense + 1
	for k := 1; k <= most; k++ { // Γ(1 + j)/(Γ(1)·j!) = 1
		log[k] = logBeta(1+4, float64(k-1)+3) - logBeta(4, 3)
		if k <= dense {
			continue
		}
		skipped += math.Exp(log[k])
		if k < min(allowed, most) {
			log[k] = math.Inf(-1)
			continue
		}
		log[k], skipped = math.Log(skipped), 0
		allowed += 2 + k/10
	}
	return log
}

// partitionLaw is the prior of partitions under the dynamic Dirichlet, Σ_K p(K)·K!/(K−t)!·Γ(α)/Γ(N+α)·Π_j
// Γ(n_j + α/K)/Γ(α/K). It keeps the product for every K, and log Γ(n_j + α/K) of each cluster.
type partitionLaw struct {
	rows      float64
	logNumber byNumber // log p(K); −Inf where K is not allowed
	alpha     float64
	constant  float64  // log Γ(α) − log Γ(N + α)
	empty     byNumber // log Γ(α/K)
	product   byNumber // Σ_j log Γ(n_j + α/K) − log Γ(α/K)
	factorial byNumber // log k!
	terms     byNumber // the summands, see fill
	current   float64  // log, NaN after a change
}

// byNumber are values for each K.
type byNumber = [MostClusters + 1]float64

func newPartitionLaw(rows float64, most int) *partitionLaw {
	p := &partitionLaw{rows: rows, logNumber: numberPrior(most), alpha: 1}
	for k := 2; k < len(p.factorial); k++ {
		p.factorial[k] = p.factorial[k-1] + math.Log(float64(k))
	}
	return p
}

// begin sets α and the sizes of all clusters.
func (p *partitionLaw) begin(alpha float64, clusters []*cluster) {
	p.alpha = alpha
	p.constant = em.LogGammaFunction(alpha) - em.LogGammaFunction(p.rows+alpha)
	for k := 1; k < len(p.product); k++ {
		p.empty[k] = em.LogGammaFunction(alpha / float64(k))
		p.product[k] = 0
	}
	for _, c := range clusters {
		p.weigh(c)
		p.change(1, c)
	}
}

// weigh sets the gammas of a cluster.
func (p *partitionLaw) weigh(c *cluster) {
	for k, allowed := range p.logNumber {
		if !math.IsInf(allowed, -1) {
			c.gammas[k] = em.LogGammaFunction(c.N + p.alpha/float64(k))
		}
	}
}

// change multiplies the products by a cluster (sign 1), or divides them (sign −1).
func (p *partitionLaw) change(sign float64, c *cluster) {
	p.current = math.NaN()
	for k := range p.product {
		p.product[k] += sign * (c.gammas[k] - p.empty[k])
	}
}

// log returns the log probability of the current partition, which has t clusters.
func (p *partitionLaw) log(t int) float64 {
	if math.IsNaN(p.current) {
		p.fill(t)
		p.current = p.constant + floats.LogSumExp(p.terms[t:])
	}
	return p.current
}

// fill writes the logarithms of the summands of t clusters: −Inf where K is not allowed.
func (p *partitionLaw) fill(t int) {
	for k := range p.terms {
		p.terms[k] = math.Inf(-1)
		if k >= t && !math.IsInf(p.logNumber[k], -1) {
			p.terms[k] = p.logNumber[k] + p.factorial[k] - p.factorial[k-t] + p.product[k]
		}
	}
}

// after returns the log probability after a merge of a and b, two of the t clusters (step −1), or after a split of
// their union into a and b (step 1). The gammas of the clusters that are replaced are known.
func (p *partitionLaw) after(t, step int, a, b, union *cluster) float64 {
	if step > 0 {
		p.weigh(a)
		p.weigh(b)
	} else {
		p.weigh(union)
	}
	p.fill(t + step)
	for k := t + step; k < len(p.terms); k++ {
		if math.IsInf(p.terms[k], -1) {
			continue
		}
		p.terms[k] += float64(step) * (a.gammas[k] + b.gammas[k] - p.empty[k] - union.gammas[k])
	}
	return p.constant + floats.LogSumExp(p.terms[t+step:])
}

// drawAlpha takes two Metropolis steps of log α given K and the partition, and returns the new α. Its prior is F(6, 3).
func drawAlpha(rng em.Random, alpha float64, number int, rows float64, clusters []*cluster) float64 {
	const step, steps = 0.8, 2
	log := func(alpha float64) float64 {
		g := alpha / float64(number)
		sum := 3*math.Log(alpha) - 4.5*math.Log1p(2*alpha)
		sum += em.LogGammaFunction(alpha) - em.LogGammaFunction(rows+alpha)
		sum -= float64(len(clusters)) * em.LogGammaFunction(g)
		for _, c := range clusters {
			sum += em.LogGammaFunction(c.N + g)
		}
		return sum
	}
	now := log(alpha)
	for range steps {
		proposal := alpha * math.Exp(step*rng.NormFloat64())
		if then := log(proposal); rng.LogUniform() < then-now {
			alpha, now = proposal, then
		}
	}
	return alpha
}
