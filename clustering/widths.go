package clustering

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

const (
	widthSteps  = 6         // factors tried below and above the best one,
	widthStep   = 1.0 / 16  // in octaves: 4 %, about the uncertainty from 200 points in the plane
	leastWeight = 0.02      // of the weight of the likeliest: less is left out
	widthPoints = 1000      // most points on which they are weighed
	widthCells  = 5000 * 13 // most points × factors that are embedded side by side
)

// ScaleWeight is a scale factor and the posterior probability of its being the one at which the clusters have the
// training's width.
type ScaleWeight struct {
	Factor float64 `json:"factor"`
	Weight float64 `json:"weight"`
}

// widths are the scale factors among which a network's samples are shared out, the likeliest first.
type widths []ScaleWeight

// weigh finds the factors near the best one that explain the centred points z [n,d] too: each has the weight of the
// evidence of the greedy clustering of the points that it scales.
func weigh(
	ctx context.Context, net *models.Network, known data.Config, z []float64, n, d int, best float64,
) (widths, error) {
	var factors []float64
	for step := -widthSteps; step <= widthSteps; step++ {
		factors = append(factors, best*math.Pow(2, float64(step)*widthStep))
	}
	evidence, err := evidenceOf(ctx, net, known, z, n, d, widthPoints, factors)
	if err != nil {
		return nil, err
	}
	at := floats.MaxIdx(evidence)
	found, total := widths{{factors[at], 1}}, 1.0
	for i, e := range evidence {
		if w := math.Exp(e - evidence[at]); i != at && w >= leastWeight {
			found = append(found, ScaleWeight{factors[i], w})
			total += w
		}
	}
	if len(found)*n > widthCells {
		return found[:1], nil
	}
	for i := range found {
		found[i].Weight /= total
	}
	return found, nil
}

// of is the index of the factor of the i-th of count samples: the i-th of equal steps through their weights.
func (w widths) of(i, count int) int {
	rest := (float64(i) + 0.5) / float64(count)
	for at, s := range w {
		if rest -= s.Weight; rest < 0 {
			return at
		}
	}
	return 0
}

// scaled are points x [N,D], which have the first factor, at each of the factors: [W,N,D].
func (w widths) scaled(x []float32) []float32 {
	if len(w) < 2 {
		return x
	}
	all := make([]float32, 0, len(w)*len(x))
	for _, s := range w {
		for _, v := range x {
			all = append(all, float32(float64(v)*s.Factor/w[0].Factor))
		}
	}
	return all
}
