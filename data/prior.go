package data

import (
	"math"
	"math/rand/v2"
)

// prior draws the partition of one set; sources share it. Its settings have passed validation.
type prior struct {
	alphaMin, alphaMax float64         // α is log-uniform between them, drawn anew for each set
	fixed              *ConditionalCRP // not nil: exactly K clusters, and the fields around it do not matter
	minK, maxK         int             // allowed numbers of clusters; maxK = 0 means no upper bound
}

// sample draws canonical labels [n]. A partition with too few or too many clusters is thrown away whole and drawn again
// with the same α, which gives exactly CRP(α) conditioned on minK ≤ K ≤ maxK.
func (p *prior) sample(rng *rand.Rand, n int) ([]int32, error) {
	if p.fixed != nil {
		return p.fixed.Sample(rng, n)
	}
	alpha := p.alphaMin
	if p.alphaMin < p.alphaMax {
		lo, hi := math.Log(p.alphaMin), math.Log(p.alphaMax)
		alpha = math.Exp(lo + rng.Float64()*(hi-lo))
	}
	for { // ends: validation demands an acceptance of at least minAcceptance
		labels := CRP(rng, n, alpha)
		k := len(clusterSizes(labels))
		if k >= p.minK && (p.maxK == 0 || k <= p.maxK) {
			return labels, nil
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
