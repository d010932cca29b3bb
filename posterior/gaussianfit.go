package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
)

// GaussianFit holds p-values of the statement that the points of each cluster are drawn from one Gaussian, of whatever
// mean and covariance: shares of replicated sets that are at least as far from it as the points are. Near 0 it is
// wrong.
type GaussianFit struct {
	Light  float64 `json:"light"`  // too few points far out in some direction, as of uniform or bent clusters, or grids
	Heavy  float64 `json:"heavy"`  // too many points far out in some direction
	Skew   float64 `json:"skew"`   // clusters lean to one side
	Close  float64 `json:"close"`  // nearest neighbours too near, as where values repeat
	Even   float64 `json:"even"`   // nearest neighbours too far, as of points in strings or on a grid
	Flat   float64 `json:"flat"`   // share of the points in clusters without volume, of few different values
	Points int     `json:"points"` // that were compared, on average: those of clusters of more than D+1 points
	Of     int     `json:"of"`     // points of a sample that were looked at
}

// Any returns the p-value of all departures together but Flat: five times the smallest, at most 1 (Bonferroni).
func (g GaussianFit) Any() float64 { return min(1, 5*min(g.Light, g.Heavy, g.Skew, g.Close, g.Even)) }

const mostCompared = 500 // points of a sample

// CheckGaussian compares points x [N·dim] (row-major) under partitions drawn from their posterior, samples [S][N], with
// Gaussian points under the same partitions: a posterior predictive check of discrepancies (Gelman, Meng & Stern 1996).
// Each cluster is seen in units of its own covariance, so that its mean and covariance, and the law that these have,
// play no part: replicates are of standard normal points. The discrepancies, over all clusters:
//
//   - the least and the largest eigenvalue of E|z|²zzᵀ (Cardoso 1989), which is (D+2)·I for a Gaussian;
//   - the squared length of E|z|²z (Móri, Rohatgi & Székely 1993);
//   - the mean distance of a point from its nearest neighbour in the cluster.
//
// Of more than 500 points, other random ones of each sample are compared. There are about replicates comparisons in
// all. It returns metrics.ErrTooFew for no samples and metrics.ErrLength if lengths do not match.
func CheckGaussian(rng *rand.Rand, x []float64, dim int, samples []State, replicates int) (g GaussianFit, err error) {
	n, err := countPoints(x, dim)
	if err != nil {
		return g, fmt.Errorf("check of Gaussian clusters: %w", err)
	}
	labels := make([][]int32, len(samples))
	for i, s := range samples {
		labels[i] = s.Labels
	}
	if err := checkSamples(n, labels); err != nil {
		return g, fmt.Errorf("check of Gaussian clusters: %w", err)
	}
	var total, compared, flat float64
	most := min(n, mostCompared)
	for _, sample := range samples {
		var seen shapes
		var sizes []int
		y, dim := sample.Seen(x), dim
		if sample.Directions != nil {
			dim = len(sample.Directions)
		}
		for _, c := range gatherClusters(y, dim, rng.Perm(n)[:most], sample.Labels) {
			rows, _ := c.Dims()
			if !seen.add(c) {
				flat += float64(rows)
				continue
			}
			sizes = append(sizes, rows)
			compared += float64(rows)
		}
		for range max(1, replicates/len(samples)) {
			g.count(seen, normalShapes(rng, dim, sizes))
			total++
		}
	}
	for _, p := range []*float64{&g.Light, &g.Heavy, &g.Skew, &g.Close, &g.Even} {
		*p /= total
	}
	count := float64(len(samples))
	g.Flat = flat / (count * float64(most))
	g.Points, g.Of = int(math.Round(compared/count)), most
	return g, nil
}

// count counts a replicate where it is at least as far off as what is seen.
func (g *GaussianFit) count(seen, other shapes) {
	g.Light += atLeast(seen.least, other.least)
	g.Heavy += atLeast(other.largest, seen.largest)
	g.Skew += atLeast(other.skew, seen.skew)
	g.Close += atLeast(seen.apart, other.apart)
	g.Even += atLeast(other.apart, seen.apart)
}

// gatherClusters are the points of each cluster among some, of clusters that have more than D+1 of them.
func gatherClusters(x []float64, dim int, some []int, labels []int32) (clusters []*mat.Dense) {
	own := make([]int32, len(some))
	for at, i := range some {
		own[at] = labels[i]
	}
	for _, points := range partition.New(own).Clusters() {
		if len(points) < dim+2 {
			continue
		}
		c := mat.NewDense(len(points), dim, nil)
		for row, at := range points {
			i := some[at]
			c.SetRow(row, x[i*dim:(i+1)*dim])
		}
		clusters = append(clusters, c)
	}
	return clusters
}

// shapes are the discrepancies of clusters, summed over their points.
type shapes struct{ least, largest, skew, apart float64 }

// normalShapes are those of standard normal clusters of some sizes.
func normalShapes(rng *rand.Rand, dim int, sizes []int) (s shapes) {
	for _, size := range sizes {
		z := mat.NewDense(size, dim, nil)
		for i := range size {
			for j := range dim {
				z.Set(i, j, rng.NormFloat64())
			}
		}
		s.add(z)
	}
	return s
}

// add adds a cluster [n,D], n > D+1, and changes it. It reports whether the points have a volume; if not, they are left
// out.
func (s *shapes) add(c *mat.Dense) bool {
	n, d := c.Dims()
	if !whiten(c) {
		return false
	}
	fourth, third := mat.NewSymDense(d, nil), make([]float64, d)
	for i := range n {
		z := c.RawRowView(i)
		square := floats.Dot(z, z)
		fourth.SymRankOne(fourth, square/float64(n), mat.NewVecDense(d, z))
		floats.AddScaled(third, square/float64(n), z)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(fourth, false) {
		return false
	}
	values := eigen.Values(nil)
	s.least += float64(n) * values[0]
	s.largest += float64(n) * values[d-1]
	s.skew += float64(n) * floats.Dot(third, third)
	s.apart += apart(c)
	return true
}

// flatCluster is the condition number of a cluster's covariance from which it has no volume.
const flatCluster = 1e9

// whiten maps the rows of c [n,D] to mean 0 and covariance I. It reports whether they span a volume.
func whiten(c *mat.Dense) bool {
	n, d := c.Dims()
	mean := make([]float64, d)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), c.RawRowView(i))
	}
	for i := range n {
		floats.Sub(c.RawRowView(i), mean)
	}
	covariance := mat.NewSymDense(d, nil)
	covariance.SymOuterK(1/float64(n), c.T())
	var factor mat.Cholesky
	if !factor.Factorize(covariance) || factor.Cond() > flatCluster {
		return false
	}
	var lower, z mat.Dense
	var l mat.TriDense
	factor.LTo(&l)
	if lower.Inverse(&l) != nil {
		return false
	}
	z.Mul(c, lower.T())
	c.Copy(&z)
	return true
}

// apart is the sum over the rows of c [n,D] of the distance to the nearest other one.
func apart(c *mat.Dense) (sum float64) {
	n, d := c.Dims()
	x := c.RawMatrix().Data
	nearest := make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for i := range n {
		for j := range i {
			square := 0.0
			for k := range d {
				gap := x[i*d+k] - x[j*d+k]
				square += gap * gap
			}
			nearest[i], nearest[j] = min(nearest[i], square), min(nearest[j], square)
		}
	}
	for _, square := range nearest {
		sum += math.Sqrt(square)
	}
	return sum
}
