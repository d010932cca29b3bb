package clustering

import (
	"context"
	"math"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

const (
	evidencePoints = 200 // most points of a set on which factors are compared
	factorsBelow   = 12  // candidate factors below and above the first guess,
	factorsAbove   = 6   // in steps of the fourth root of 2
)

// bestFactor returns the factor, near the first guess, at which the training distribution explains the centred points
// z [n,d] best: for each candidate the network clusters the scaled points greedily, and the labelled points are scored by
// the log-evidence of the mixture that the network was trained on. The first guess, from distances alone, cannot know
// how wide the clusters are; the network can.
func bestFactor(
	ctx context.Context, net *models.Network, known data.Config, z []float64, n, d int, guess float64,
) (float64, error) {
	chosen := data.Rand(referenceSeed, referenceStream, 2).Perm(n)
	chosen = chosen[:min(n, evidencePoints)]
	m := len(chosen)
	var factors []float64
	var x []float32
	for step := -factorsBelow; step <= factorsAbove; step++ {
		f := guess * math.Pow(2, float64(step)/4)
		factors = append(factors, f)
		for _, i := range chosen {
			for _, v := range z[i*d : (i+1)*d] {
				x = append(x, float32(v*f))
			}
		}
	}
	sets, err := sampling.EncodeContext(ctx, net, x, len(factors), m)
	if err != nil {
		return 0, err
	}
	result, err := run(sets, sets.EachSet(), sampling.Greedy{})
	if err != nil {
		return 0, err
	}
	best, most := guess, math.Inf(-1)
	for i, f := range factors {
		labels := result.Labels[i]
		k := partition.Renumber(labels)
		e := logEvidence(known, x[i*m*d:(i+1)*m*d], labels, k, d) + float64(m*d)*math.Log(f)
		if e > most {
			best, most = f, e
		}
	}
	return best, nil
}

// logEvidence is log p(x, c) of points x [n,d] with labels [n] of k clusters under the training distribution: a Chinese
// restaurant process with the geometric mean of the training range as α, cluster means N(0, σ_μ²), points N(mean, σ_x²).
// The means are integrated out: a cluster of n points with mean m and squared deviations s from it contributes
//
//	−n/2·log(2πσ_x²) − ½·log(1 + nσ_μ²/σ_x²) − ½·(s/σ_x² + n·m²/(nσ_μ² + σ_x²))
//
// in each coordinate. A term that depends on n alone is left out.
func logEvidence(known data.Config, x []float32, labels []int32, k, d int) float64 {
	counts, sums, squares := make([]float64, k), make([]float64, k*d), make([]float64, k*d)
	for i, c := range labels {
		counts[c]++
		for j, v := range x[i*d : (i+1)*d] {
			sums[int(c)*d+j] += float64(v)
			squares[int(c)*d+j] += float64(v) * float64(v)
		}
	}
	within, between := known.SigmaX*known.SigmaX, known.SigmaMu*known.SigmaMu
	total := float64(k) * math.Log(known.AlphaMin*known.AlphaMax) / 2
	for c, n := range counts {
		seated, _ := math.Lgamma(n)
		total += seated
		for j := range d {
			mean := sums[c*d+j] / n
			deviation := max(0, squares[c*d+j]-n*mean*mean)
			total -= n/2*math.Log(2*math.Pi*within) + math.Log1p(n*between/within)/2
			total -= (deviation/within + n*mean*mean/(n*between+within)) / 2
		}
	}
	return total
}
