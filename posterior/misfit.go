package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Misfit holds p-values of the statement that the points of a cluster are Gaussian, round, and of one width in all
// clusters: shares of replicated sets that are at least as far from it as the points are. Near 0 it is wrong.
type Misfit struct {
	Widths    float64 `json:"widths"`    // clusters of unequal width: Bartlett's statistic over the clusters
	Roundness float64 `json:"roundness"` // clusters longer than wide: Mauchly's statistic, added over the clusters
	Tails     float64 `json:"tails"`     // too many or too few points far out: fourth moment, two-sided
}

// Worst returns the smallest of the p-values.
func (m Misfit) Worst() float64 { return min(m.Widths, m.Roundness, m.Tails) }

// CheckFit compares points x [N·D] under partitions drawn from their posterior, samples [S][N], with replicated points
// under the same partitions: a posterior predictive check of discrepancies (Gelman, Meng & Stern 1996). Nothing
// depends on origin and unit of the points. There are about replicates comparisons in all. Time O(replicates·N·D²).
//
// It returns metrics.ErrTooFew for no samples, metrics.ErrLength if lengths do not match.
func CheckFit(rng *rand.Rand, x []float64, dim int, samples [][]int32, replicates int) (Misfit, error) {
	if len(x)%max(1, dim) != 0 {
		return Misfit{}, fmt.Errorf("check of fit: %d coordinates in %d dimensions: %w", len(x), dim, metrics.ErrLength)
	}
	if err := checkSamples(len(x)/max(1, dim), samples); err != nil {
		return Misfit{}, fmt.Errorf("check of fit: %w", err)
	}
	var wide, long, above, below, total float64
	again := make([]float64, len(x))
	for _, labels := range samples {
		p := partition.New(labels)
		seen := newDiscrepancy(x, dim, p)
		for range max(1, replicates/len(samples)) {
			for i := range again {
				again[i] = rng.NormFloat64()
			}
			other := newDiscrepancy(again, dim, p)
			wide += atLeast(other.widths, seen.widths)
			long += atLeast(other.roundness, seen.roundness)
			above += atLeast(other.tails, seen.tails)
			below += atLeast(seen.tails, other.tails)
			total++
		}
	}
	return Misfit{Widths: wide / total, Roundness: long / total, Tails: min(1, 2*min(above, below)/total)}, nil
}

func atLeast(a, b float64) float64 {
	if a >= b {
		return 1
	}
	return 0
}

// discrepancy is how far points under a partition are from round Gaussian clusters of one width; each number grows with
// it, but tails, which are usual in the middle.
type discrepancy struct{ widths, roundness, tails float64 }

// newDiscrepancy measures points x [N·D] around the means of their clusters. Clusters of one point tell nothing, and
// roundness needs more points than dimensions.
func newDiscrepancy(x []float64, dim int, p *partition.Partition) (d discrepancy) {
	var squares, free, fourth, logs float64 // pooled: Σ|r|², its degrees of freedom, Σ|r|⁴, Σ ν·log s²
	for k, points := range p.Clusters() {
		n := p.Size[k]
		if n < 2 {
			continue
		}
		residuals := mat.NewDense(n, dim, nil)
		mean := make([]float64, dim)
		for _, i := range points {
			floats.AddScaled(mean, 1/float64(n), x[int(i)*dim:int(i+1)*dim])
		}
		own := 0.0
		for row, i := range points {
			r := floats.SubTo(residuals.RawRowView(row), x[int(i)*dim:int(i+1)*dim], mean)
			square := floats.Dot(r, r)
			own += square
			fourth += square * square
		}
		nu := float64((n - 1) * dim)
		squares, free = squares+own, free+nu
		if own > 0 {
			logs += nu * math.Log(own/nu)
		}
		if n > dim {
			d.roundness += float64(n-1) * elongation(residuals, own)
		}
	}
	if squares == 0 {
		return discrepancy{}
	}
	d.widths = free*math.Log(squares/free) - logs
	d.tails = fourth / (squares * squares)
	return d
}

// elongation returns log((tr S/D)^D / det S) of the scatter S of residuals [n,D] whose squares sum to own: 0 for a
// sphere.
func elongation(residuals *mat.Dense, own float64) float64 {
	dim := residuals.RawMatrix().Cols
	scatter := mat.NewSymDense(dim, nil)
	scatter.SymOuterK(1, residuals.T())
	var chol mat.Cholesky
	if !chol.Factorize(scatter) { // flat to rounding
		return math.MaxFloat32
	}
	return float64(dim)*math.Log(own/float64(dim)) - chol.LogDet()
}
