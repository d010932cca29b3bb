package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Likelihood is the law of points [D] given their partition. Clusters are independent, and the parameters of each have
// a conjugate prior and are integrated out, so that sums over its points tell all about a cluster. Gaussian (round
// clusters of one width) and NIW (ellipsoids of any shape and size) are such laws.
type Likelihood interface {
	// Validate returns nil, or all faults of the settings at once, joined: one *usererr.Error each. The other methods
	// are for settings without faults.
	Validate() error
	// Dimension returns D, the coordinates of a point.
	Dimension() int
	// Clusters returns a function that makes empty clusters, for up to n points each.
	Clusters(n int) func() Cluster
	// Draw draws points x [N·D] (row-major) given their labels [N] of any values: the parameters of each cluster from
	// their prior, then its points.
	Draw(rng *rand.Rand, labels []int32, x []float64)
}

// Cluster holds the sufficient statistics of the points of one cluster under a Likelihood. Not safe for concurrent use.
type Cluster interface {
	// Add takes point x [D] in, and Remove out again. Rounding stays until the cluster is empty.
	Add(x []float64)
	Remove(x []float64)
	// Absorb takes in the points of another cluster of the same Likelihood, which keeps them.
	Absorb(other Cluster)
	// Clear takes all points out.
	Clear()
	// LogPredictive returns log p(x | points of the cluster) in nats of a further point x [D].
	LogPredictive(x []float64) float64
	// LogMarginal returns log p(points of the cluster) in nats, 0 without any: the sum of their predictives in any
	// order, each given those before it.
	LogMarginal() float64
}

// countPoints returns N of the flat points x [N·D], or an error if model or x is not valid.
func countPoints(model Likelihood, x []float64) (n int, err error) {
	if err := model.Validate(); err != nil {
		return 0, err
	}
	d := model.Dimension()
	if len(x)%d != 0 {
		return 0, fmt.Errorf("%d coordinates are no whole number of points of %d: %w", len(x), d, metrics.ErrLength)
	}
	if len(x) == 0 {
		return 0, fmt.Errorf("no points: %w", metrics.ErrTooFew)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("coordinate %d of point %d is %v: %w", i%d, i/d, v, metrics.ErrNotFinite)
		}
	}
	return len(x) / d, nil
}

// LogLikelihood returns log p(x | partition) in nats of points x [N·D] (row-major) under labels [N] of any values, as
// the sum of predictives: no large numbers cancel. It returns the faults of model, metrics.ErrLength,
// metrics.ErrTooFew (no points) or metrics.ErrNotFinite.
func LogLikelihood(model Likelihood, x []float64, labels []int32) (float64, error) {
	n, err := countPoints(model, x)
	if err != nil {
		return 0, err
	}
	if len(labels) != n {
		return 0, fmt.Errorf("%d labels for %d points: %w", len(labels), n, metrics.ErrLength)
	}
	p, open, d := partition.New(labels), model.Clusters(n), model.Dimension()
	clusters, total := make([]Cluster, len(p.Size)), 0.0
	for k := range clusters {
		clusters[k] = open()
	}
	for i, k := range p.Labels {
		point := x[i*d : (i+1)*d]
		total += clusters[k].LogPredictive(point)
		clusters[k].Add(point)
	}
	return total, nil
}
