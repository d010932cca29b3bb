package posterior

import (
	"math"

	"github.com/gfncp/gfncp/internal/partition"
)

// PointUncertainty says how sure the posterior is of one point's place in a point estimate.
type PointUncertainty struct {
	// Elsewhere is 1 − the probability of the point's own cluster in the estimate (Assignments).
	Elsewhere float64 `json:"elsewhere"`
	// Entropy is that of the point's row of Assignments, in nats, at most log(K+1): 0 when all samples agree. All clusters
	// that are none of the estimate's count as one.
	Entropy float64 `json:"entropy"`
	// VI is the point's share of the expected variation of information, in nats; the shares sum to ExpectedVI:
	//
	//	(1/N)·E[log a + log b − 2·log m]
	//
	// for the sizes a, b of the point's clusters in the estimate and in a sample, and the number m of points that are in
	// both (VI as a sum over points: Wade & Ghahramani 2018). Unlike the other two it needs no matching of clusters.
	VI float64 `json:"vi"`
}

// Uncertainty returns the uncertainty of every point [N] in a point estimate [N], given samples [S][N].
//
// It returns metrics.ErrTooFew for no samples or no points, metrics.ErrLength for unequal lengths. Time as Assignments.
func Uncertainty(estimate []int32, samples [][]int32) ([]PointUncertainty, error) {
	rows, err := Assignments(estimate, samples)
	if err != nil {
		return nil, err
	}
	target := partition.New(estimate)
	out := make([]PointUncertainty, len(estimate))
	for i, row := range rows {
		own := int(target.Labels[i])
		for k, p := range row {
			if k != own {
				out[i].Elsewhere += p // adding up what is elsewhere keeps small values exact
			}
			if p > 0 {
				out[i].Entropy -= p * math.Log(p)
			}
		}
		out[i].Entropy = max(0, out[i].Entropy) // −1·log 1 is −0
	}
	shares := viShares(target, samples)
	for i := range out {
		out[i].VI = shares[i] / (float64(len(samples)) * float64(len(estimate)))
	}
	return out, nil
}

// viShares returns Σ over samples of log a + log b − 2·log m for every point [N]; see PointUncertainty.VI.
func viShares(target *partition.Partition, samples [][]int32) []float64 {
	n := len(target.Labels)
	logs := make([]float64, n+1)
	for m := 2; m <= n; m++ {
		logs[m] = math.Log(float64(m))
	}
	shares, shared := make([]float64, n), make([]int, n)
	for _, d := range distinct(samples) {
		weight := float64(d.count)
		for _, points := range target.Clusters() {
			for _, p := range points {
				shared[d.Labels[p]]++
			}
			for _, p := range points {
				c := d.Labels[p]
				shares[p] += weight * (logs[len(points)] + logs[d.Size[c]] - 2*logs[shared[c]])
			}
			for _, p := range points {
				shared[d.Labels[p]] = 0
			}
		}
	}
	return shares
}
