package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// MostClusters is the largest number of clusters.
const MostClusters = 60

// numberPrior returns the numbers K that are allowed, rising, and log p(K) of each, up to a constant: K − 1 ~
// beta-negative-binomial(1, 4, 3), and K ≤ most. Above dense only some K are allowed, to save time: each K costs a
// log Γ for each new cluster. Each also has the probability of the skipped K below it.
func numberPrior(most int) (numbers []int, logs []float64) {
	const dense = 24
	logBeta := func(a, b float64) float64 {
		return em.LogGammaFunction(a) + em.LogGammaFunction(b) - em.LogGammaFunction(a+b)
	}
	skipped, allowed := 0.0, dense+1
	for k := 1; k <= most; k++ { // Γ(1 + j)/(Γ(1)·j!) = 1
		log := logBeta(1+4, float64(k-1)+3) - logBeta(4, 3)
		if k > dense {
			if skipped += math.Exp(log); k < min(allowed, most) {
				continue
			}
			log, skipped = math.Log(skipped), 0
			allowed += 2 + k/10
		}
		numbers, logs = append(numbers, k), append(logs, log)
	}
	return numbers, logs
}

// partitionLaw is the prior of partitions under the dynamic Dirichlet, Σ_K p(K)·K!/(K−t)!·Γ(α)/Γ(N+α)·Π_j
// Γ(n_j + α/K)/Γ(α/K). It keeps the product for every K, and log Γ(n_j + α/K) of each cluster.
type partitionLaw struct {
	rows      float64
	factorial [MostClusters + 1]float64 // log k!
	numbers   []int                     // the K that are allowed, rising
	logNumber []float64                 // log p(K) of each of numbers
	empty     []float64                 // log Γ(α/K) of each, and so on
	product   []float64                 // Σ_j log Γ(n_j + α/K) − log Γ(α/K)
	terms     []float64                 // the summands, see fill
	alpha     float64
	constant  float64 // log Γ(α) − log Γ(N + α)
	current   float64 // log, NaN after a change
}

func newPartitionLaw(rows float64, most int) *partitionLaw {
	p := &partitionLaw{rows: rows}
	p.numbers, p.logNumber = numberPrior(most)
	values := em.Grid(3, len(p.numbers))
	p.empty, p.product, p.terms = values[0], values[1], values[2]
	for k := 2; k < len(p.factorial); k++ {
		p.factorial[k] = p.factorial[k-1] + math.Log(float64(k))
	}
	return p
}

// begin sets α and the sizes of all clusters.
func (p *partitionLaw) begin(alpha float64, clusters []*cluster) {
	p.alpha = alpha
	p.constant = em.LogGammaFunction(alpha) - em.LogGammaFunction(p.rows+alpha)
	for i, k := range p.numbers {
		p.empty[i] = em.LogGammaFunction(alpha / float64(k))
		p.product[i] = 0
	}
	for _, c := range clusters {
		p.weigh(c)
		p.change(1, c)
	}
}

// weigh sets the gammas of a cluster.
func (p *partitionLaw) weigh(c *cluster) {
	c.gammas = c.gammas[:0]
	for _, k := range p.numbers {
		c.gammas = append(c.gammas, em.LogGammaFunction(c.N+p.alpha/float64(k)))
	}
}

// change multiplies the products by a cluster (sign 1), or divides them (sign −1).
func (p *partitionLaw) change(sign float64, c *cluster) {
	p.current = math.NaN()
	for i := range p.product {
		p.product[i] += sign * (c.gammas[i] - p.empty[i])
	}
}

// log returns the log probability of the current partition, which has t clusters.
func (p *partitionLaw) log(t int) float64 {
	if math.IsNaN(p.current) {
		p.fill(t)
		p.current = p.constant + floats.LogSumExp(p.terms)
	}
	return p.current
}

// fill writes the logarithms of the summands of t clusters: −Inf for fewer components.
func (p *partitionLaw) fill(t int) {
	for i, k := range p.numbers {
		p.terms[i] = math.Inf(-1)
		if k >= t {
			p.terms[i] = p.logNumber[i] + p.factorial[k] - p.factorial[k-t] + p.product[i]
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
	for i := range p.terms {
		p.terms[i] += float64(step) * (a.gammas[i] + b.gammas[i] - p.empty[i] - union.gammas[i])
	}
	return p.constant + floats.LogSumExp(p.terms)
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
