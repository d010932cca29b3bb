package mixture

import "math"

// mostComponents is the largest K.
const mostComponents = 60

// numberPrior returns log p(K) for K = 0..mostComponents, up to a constant: K − 1 ~ beta-negative-binomial(1, 4, 3) of
// K ≤ most. Beyond dense only some K are allowed, which stand for those below them: each K costs three log Γ at each
// split or merge.
func numberPrior(most int) (log byNumber) {
	const dense = 24
	logBeta := func(a, b float64) float64 {
		return logGammaFunction(a) + logGammaFunction(b) - logGammaFunction(a+b)
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
// Γ(n_j + α/K)/Γ(α/K). It keeps the product of every K, so that a changed cluster costs one log Γ for each K.
type partitionLaw struct {
	rows      float64
	logNumber byNumber // log p(K); −Inf where K is not allowed
	alpha     float64
	constant  float64  // log Γ(α) − log Γ(N + α)
	empty     byNumber // log Γ(α/K)
	product   byNumber // Σ_j log Γ(n_j + α/K) − log Γ(α/K)
	factorial byNumber // log k!
	terms     byNumber
	now       float64 // log, where known
	known     bool
}

// byNumber are values for each K.
type byNumber = [mostComponents + 1]float64

func newPartitionLaw(rows float64, most int) *partitionLaw {
	p := &partitionLaw{rows: rows, logNumber: numberPrior(most), alpha: 1}
	for k := 2; k < len(p.factorial); k++ {
		p.factorial[k] = p.factorial[k-1] + math.Log(float64(k))
	}
	return p
}

// begin sets α and the sizes of all clusters.
func (p *partitionLaw) begin(alpha float64, clusters []*cluster) {
	p.alpha, p.known = alpha, false
	p.constant = logGammaFunction(alpha) - logGammaFunction(p.rows+alpha)
	for k := 1; k < len(p.product); k++ {
		p.empty[k] = logGammaFunction(alpha / float64(k))
		p.product[k] = 0
	}
	for _, c := range clusters {
		p.change(1, c.n)
	}
}

// change multiplies the products by a cluster of n rows (sign 1), or divides them (sign −1).
func (p *partitionLaw) change(sign, n float64) {
	p.known = false
	for k, allowed := range p.logNumber {
		if math.IsInf(allowed, -1) {
			continue
		}
		p.product[k] += sign * (logGammaFunction(n+p.alpha/float64(k)) - p.empty[k])
	}
}

// log returns the log probability of the partition of t clusters at hand.
func (p *partitionLaw) log(t int) float64 {
	if !p.known {
		p.fill(t)
		p.now, p.known = p.constant+logSumExp(p.terms[t:]), true
	}
	return p.now
}

func (p *partitionLaw) fill(t int) {
	for k := range p.terms {
		p.terms[k] = math.Inf(-1)
		if k >= t && !math.IsInf(p.logNumber[k], -1) {
			p.terms[k] = p.logNumber[k] + p.factorial[k] - p.factorial[k-t] + p.product[k]
		}
	}
}

// after returns the log probability if, among t clusters, those of a and b rows were one (step −1), or one of a + b
// rows were these two (step 1).
func (p *partitionLaw) after(t, step int, a, b float64) float64 {
	p.fill(t + step)
	for k := t + step; k < len(p.terms); k++ {
		if math.IsInf(p.terms[k], -1) {
			continue
		}
		g := p.alpha / float64(k)
		parts := logGammaFunction(a+g) + logGammaFunction(b+g) - p.empty[k] - logGammaFunction(a+b+g)
		p.terms[k] += float64(step) * parts
	}
	return p.constant + logSumExp(p.terms[t+step:])
}

// drawNumber draws K given the partition.
func (p *partitionLaw) drawNumber(rng random, t int) int {
	p.fill(t)
	return rng.pick(p.terms[:])
}

// drawAlpha takes two Metropolis steps of α given K and the partition, and returns the new value. The prior F(6, 3) is
// that of log α here.
func drawAlpha(rng random, alpha float64, number int, rows float64, clusters []*cluster) float64 {
	const step, steps = 0.8, 2
	log := func(alpha float64) float64 {
		g := alpha / float64(number)
		sum := 3*math.Log(alpha) - 4.5*math.Log1p(2*alpha)
		sum += logGammaFunction(alpha) - logGammaFunction(rows+alpha)
		sum -= float64(len(clusters)) * logGammaFunction(g)
		for _, c := range clusters {
			sum += logGammaFunction(c.n + g)
		}
		return sum
	}
	now := log(alpha)
	for range steps {
		proposal := alpha * math.Exp(step*rng.NormFloat64())
		if then := log(proposal); rng.logUniform() < then-now {
			alpha, now = proposal, then
		}
	}
	return alpha
}
