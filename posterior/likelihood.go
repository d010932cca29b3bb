package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Likelihood is the law of points [D] given their partition. Clusters are independent, and the parameters of each have
// a conjugate prior and are integrated out, so that sums over its points tell all about a cluster: Gaussian.
type Likelihood interface {
	// Check returns N of the flat points x [N·D] (row-major). It returns the faults of the settings, joined, one
	// *usererr.Error each, metrics.ErrLength, metrics.ErrTooFew (no points) or metrics.ErrNotFinite, and a
	// *usererr.Error for points that the law's arithmetic cannot hold. The other methods are for settings and points
	// without faults.
	Check(x []float64) (n int, err error)
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
	// Add takes point x [D] in, and Remove out again. Rounding stays until the cluster is empty. A point that is not
	// in cannot be removed: the statistics make no sense then, or there is a panic.
	Add(x []float64)
	Remove(x []float64)
	// Clear takes all points out.
	Clear()
	// LogPredictive returns log p(x | points of the cluster) in nats of a further point x [D].
	LogPredictive(x []float64) float64
	// LogMarginal returns log p(points of the cluster) in nats, 0 without any: the sum of their predictives in any
	// order, each given those before it.
	LogMarginal() float64
}

// countPoints returns N of the flat points x [N·D], or an error if x is not valid.
func countPoints(x []float64, d int) (n int, err error) {
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
// the sum of predictives: no large numbers cancel. Errors are those of model.Check, and metrics.ErrLength.
func LogLikelihood(model Likelihood, x []float64, labels []int32) (float64, error) {
	n, err := model.Check(x)
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
