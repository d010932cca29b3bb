package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
)

// Misfit holds p-values of the statement that the points of a cluster are Gaussian, round, and of one width in all
// clusters, which lie anywhere: shares of replicated sets that are at least as far from it as the points are. Near 0
// it is wrong.
type Misfit struct {
	Widths    float64 `json:"widths"`    // clusters of unequal width: Bartlett's statistic over the clusters
	Roundness float64 `json:"roundness"` // clusters longer than wide: Mauchly's statistic, added over the clusters
	Tails     float64 `json:"tails"`     // too many or too few points far out: fourth moment, two-sided
	Alignment float64 `json:"alignment"` // centres in rows, as where round clusters piece together a long one
}

// Any returns the p-value of all four together: four times the smallest, at most 1 (Bonferroni).
func (m Misfit) Any() float64 { return min(1, 4*min(m.Widths, m.Roundness, m.Tails, m.Alignment)) }

// CheckFit compares points x [N·D] under partitions drawn from their posterior, samples [S][N], with points that g
// draws under the same partitions: a posterior predictive check of discrepancies (Gelman, Meng & Stern 1996). Nothing
// depends on origin and unit of the points. There are about replicates comparisons in all. Time O(replicates·(N·D² +
// K²·D)).
//
// It returns metrics.ErrTooFew for no samples, metrics.ErrLength if lengths do not match, and the faults of g and x.
func (g Gaussian) CheckFit(rng *rand.Rand, x []float64, samples [][]int32, replicates int) (Misfit, error) {
	n, err := g.Check(x)
	if err != nil {
		return Misfit{}, fmt.Errorf("check of fit: %w", err)
	}
	if err := checkSamples(n, samples); err != nil {
		return Misfit{}, fmt.Errorf("check of fit: %w", err)
	}
	var wide, long, above, below, rows, total float64
	again := make([]float64, len(x))
	for _, labels := range samples {
		p := partition.New(labels)
		seen := newDiscrepancy(x, g.Dim, p)
		for range max(1, replicates/len(samples)) {
			g.Draw(rng, labels, again)
			other := newDiscrepancy(again, g.Dim, p)
			wide += atLeast(other.widths, seen.widths)
			long += atLeast(other.roundness, seen.roundness)
			above += atLeast(other.tails, seen.tails)
			below += atLeast(seen.tails, other.tails)
			rows += atLeast(other.alignment, seen.alignment)
			total++
		}
	}
	return Misfit{
		Widths: wide / total, Roundness: long / total,
		Tails: min(1, 2*min(above, below)/total), Alignment: rows / total,
	}, nil
}

func atLeast(a, b float64) float64 {
	if a >= b {
		return 1
	}
	return 0
}

// discrepancy is how far points under a partition are from round Gaussian clusters of one width; each number grows with
// it, but tails, which are usual in the middle.
type discrepancy struct{ widths, roundness, tails, alignment float64 }

// newDiscrepancy measures points x [N·D] around the means of their clusters. Clusters of one point tell nothing, and
// roundness needs more points than dimensions.
func newDiscrepancy(x []float64, dim int, p *partition.Partition) (d discrepancy) {
	var squares, free, fourth, logs float64 // pooled: Σ|r|², its degrees of freedom, Σ|r|⁴, Σ ν·log s²
	var centres [][]float64
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
		centres = append(centres, mean)
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
	d.alignment = alignment(centres)
	return d
}

// alignment returns how much the directions from a centre to its two nearest others lie on one line: the mean of the
// squared cosine between them, 1/D for centres anywhere and 1 for those in a row; 0 below three centres.
func alignment(centres [][]float64) (sum float64) {
	if len(centres) < 3 {
		return 0
	}
	for i, c := range centres {
		var to [2][]float64 // nearest and second
		length := [2]float64{math.Inf(1), math.Inf(1)}
		for j, other := range centres {
			switch distance := floats.Distance(c, other, 2); {
			case i == j || distance >= length[1]:
			case distance < length[0]:
				to, length = [2][]float64{other, to[0]}, [2]float64{distance, length[0]}
			default:
				to[1], length[1] = other, distance
			}
		}
		dot := 0.0
		for j, v := range c {
			dot += (to[0][j] - v) * (to[1][j] - v)
		}
		if length[0] > 0 {
			cosine := dot / (length[0] * length[1])
			sum += cosine * cosine / float64(len(centres))
		}
	}
	return sum
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
