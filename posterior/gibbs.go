package posterior

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Gibbs are the settings of collapsed Gibbs sampling of the partition of one set (Neal 2000, algorithm 3): the
// parameters of clusters are integrated out, and the points take turns in drawing their cluster given all the others.
// The zero value is invalid. Two thousand sweeps of a hundred points in the plane take a fraction of a second.
type Gibbs struct {
	Model   Gaussian
	Prior   CRP
	BurnIn  int // sweeps before the first kept sample; at least 0
	Thin    int // sweeps from one kept sample to the next; 0 means 1
	Samples int // S, number of kept samples; at least 1
}

// Sample returns labels [S][N], canonical, of points x [N·D] (row-major, data units), starting at the partition start
// [N] (such as partition.Singletons). Equal rng states give equal samples.
//
// A chain moves one point at a time: two well separated groups of points that share a cluster by chance merge or split
// slowly. The start from singletons is forgotten fastest; agreement of chains from different starts is a sign of
// convergence.
//
// It returns an error for a prior that allows no partition, and for a start that the prior excludes.
func (g Gibbs) Sample(rng *rand.Rand, x []float64, start []int32) ([][]int32, error) {
	chain, err := newChain(g.Model, g.Prior, x)
	if err != nil {
		return nil, err
	}
	if err := chain.begin(start); err != nil {
		return nil, err
	}
	for range g.BurnIn {
		chain.sweep(rng)
	}
	samples := make([][]int32, g.Samples)
	for s := range samples {
		for range max(1, g.Thin) {
			chain.sweep(rng)
		}
		samples[s], _ = metrics.Canonical(chain.cluster)
	}
	return samples, nil
}

// chain is the state of a collapsed Gibbs sampler.
type chain struct {
	prior   CRP
	dim     int
	x       []float64 // [N·D]
	logSize []float64 // [N+1], log n: the prior weight of a cluster of n others
	logK    []float64 // [N+1], the log prior weight of K clusters

	cluster []int32      // [N], of each point: 0..K−1
	stats   []*component // [K], the statistics of the clusters
	empty   *component   // a cluster without points: its density is a new cluster's
	open    func() *component
	weight  []float64 // room for one weight a cluster and one for a new cluster
}

// newChain returns the sampler of points x [N·D] (row-major, data units), all of them in no cluster. It returns an
// error for a prior that allows no partition.
func newChain(model Gaussian, prior CRP, x []float64) (c *chain, err error) {
	n := len(x) / model.Dim
	c = &chain{
		prior: prior, dim: model.Dim, x: x, logSize: make([]float64, n+1),
		cluster: make([]int32, n), open: model.components(n), weight: make([]float64, n+1),
	}
	c.empty = c.open()
	for m := 1; m <= n; m++ {
		c.logSize[m] = math.Log(float64(m))
	}
	c.logK, err = prior.logWeight(n)
	return c, err
}

// begin puts the points into the partition start [N] (any labels). It returns an error if the prior excludes its number
// of clusters.
func (c *chain) begin(start []int32) error {
	canonical, k := metrics.Canonical(start)
	if !c.prior.allows(k) {
		return usererr.New("start at another partition", "the prior excludes the %d clusters to start from", k)
	}
	for i, k := range canonical {
		c.add(i, k)
	}
	return nil
}

// sweep lets every point in turn draw its cluster given all the others. Time O(N·K) predictive densities.
func (c *chain) sweep(rng *rand.Rand) {
	for i := range c.cluster {
		c.remove(i)
		c.add(i, c.draw(rng, i))
	}
}

func (c *chain) point(i int) []float64 { return c.x[i*c.dim : (i+1)*c.dim] }

// add puts point i into cluster k, which is a new one if there are k clusters.
func (c *chain) add(i int, k int32) {
	if int(k) == len(c.stats) {
		c.stats = append(c.stats, c.open())
	}
	c.cluster[i] = k
	c.stats[k].add(c.point(i), 1)
}

// remove takes point i out of its cluster. An empty cluster goes, and the last cluster takes its number.
func (c *chain) remove(i int) {
	k, last := c.cluster[i], int32(len(c.stats)-1)
	if c.stats[k].n > 1 {
		c.stats[k].add(c.point(i), -1)
		return
	}
	if k != last {
		c.stats[k] = c.stats[last]
		for j := range c.cluster {
			if c.cluster[j] == last {
				c.cluster[j] = k
			}
		}
	}
	c.stats = c.stats[:last]
}

// draw returns a cluster for point i, which is in no cluster, with probability proportional to
//
//	n_k · p(x_i | points of k) for a cluster of n_k points,   α · p(x_i) for a new one
//
// unless the prior excludes the number of clusters.
func (c *chain) draw(rng *rand.Rand, i int) int32 {
	weight, stay := c.logWeights(i)
	if choice := drawLog(rng, weight); choice < stay {
		return int32(choice)
	}
	return int32(len(c.stats))
}

// logWeights returns the log weights of draw: of the clusters, if the prior allows their number, and of a new one, if
// it allows one more. stay is the number of weights of clusters.
func (c *chain) logWeights(i int) (weight []float64, stay int) {
	x, k := c.point(i), len(c.stats)
	weight = c.weight[:0]
	if c.prior.allows(k) {
		for _, s := range c.stats {
			weight = append(weight, c.logSize[s.n]+s.logPredictive(x))
		}
	}
	stay = len(weight)
	if c.prior.allows(k + 1) {
		weight = append(weight, c.logK[k+1]-c.logK[k]+c.empty.logPredictive(x))
	}
	return weight, stay
}

// negligible is the difference of log weights below which a choice is never drawn: less than a unit of the smallest
// uniform, and most clusters of a point are that far.
const negligible = 40

// drawLog returns an index with probability proportional to exp(logWeight), which it overwrites.
func drawLog(rng *rand.Rand, logWeight []float64) int {
	top, total := floats.Max(logWeight), 0.0
	for j, v := range logWeight {
		if v -= top; v > -negligible {
			total += math.Exp(v)
		}
		logWeight[j] = total
	}
	u := rng.Float64() * total
	for j, cumulative := range logWeight {
		if u < cumulative {
			return j
		}
	}
	return len(logWeight) - 1 // u rounded up to the total
}

// Sequential labels points x [N·D] (row-major) one by one: each joins or opens the most probable cluster given the
// points and labels before it, and is never asked again (sequential updating and greedy search: Wang and Dunson, JCGS
// 20, 2011). Greedy decoding of a network without a view of the points to come does the same if its probabilities are
// exact. Labels [N] are canonical; of equals the first cluster wins. Time O(N·K).
//
// The prior must have a known α and must not bound K, for the number of points to come is not known.
func Sequential(model Gaussian, prior CRP, x []float64) ([]int32, error) {
	if prior.AlphaMax > prior.Alpha || prior.MinK > 1 || prior.MaxK > 0 {
		return nil, usererr.New("give one alpha and any number of clusters",
			"points one by one under alpha %g..%g and %d to %d clusters",
			prior.Alpha, prior.AlphaMax, prior.MinK, prior.MaxK)
	}
	c, err := newChain(model, prior, x)
	if err != nil {
		return nil, err
	}
	for i := range c.cluster {
		weight, _ := c.logWeights(i)
		c.add(i, int32(floats.MaxIdx(weight)))
	}
	return c.cluster, nil
}
