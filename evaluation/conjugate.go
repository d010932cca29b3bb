package evaluation

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// Conjugate is a law of sets of which the posterior is known exactly: a partition of the Chinese restaurant process,
// and points of a conjugate likelihood, such as ellipsoids of any shape (posterior.NIW).
type Conjugate struct {
	Points     int // N
	Likelihood posterior.Likelihood
	Prior      posterior.CRP // with bounds on K, if any, that N points keep often
}

// Draw draws a set: points [N·D], row by row, and their canonical labels [N].
func (c Conjugate) Draw(rng *rand.Rand) (x []float64, labels []int32) {
	alpha := c.Prior.Alpha
	if c.Prior.AlphaMax > alpha {
		alpha *= math.Pow(c.Prior.AlphaMax/alpha, rng.Float64())
	}
	for {
		labels = data.CRP(rng, c.Points, alpha)
		if k := metrics.Clusters(labels); k >= c.Prior.MinK && (c.Prior.MaxK == 0 || k <= c.Prior.MaxK) {
			break
		}
	}
	x = make([]float64, c.Points*c.Likelihood.Dimension())
	c.Likelihood.Draw(rng, labels, x)
	return x, labels
}

// Drawer draws partitions [S][N] of points x [N·D], whose exact posterior is at hand.
type Drawer func(rng *rand.Rand, x []float64, exact *posterior.Distribution) ([][]int32, error)

// AgainstEnumeration compares the fractions of what a drawer draws with the exact posterior of all partitions, on sets
// of at most posterior.MaxEnumerated points. Without a drawer it is that posterior itself.
func (c Conjugate) AgainstEnumeration(ctx context.Context, seed uint64, sets int, draw Drawer) (Exactness, error) {
	prior, err := c.Prior.Prior(c.Points)
	if err != nil {
		return Exactness{}, err
	}
	var all tally
	for set := range sets {
		if ctx.Err() != nil {
			return Exactness{}, train.ErrInterrupted
		}
		x, labels := c.Draw(data.Rand(seed, "conjugate/sets", set))
		found, err := compareDraws(data.Rand(seed, "conjugate/draws", set), c.Likelihood, prior, x, draw)
		if err != nil {
			return Exactness{}, fmt.Errorf("set %d: %w", set, err)
		}
		all.add(found, labels)
	}
	return all.mean()
}

// compareDraws compares on one set.
func compareDraws(
	rng *rand.Rand, law posterior.Likelihood, prior posterior.Prior, x []float64, draw Drawer,
) (c comparison, err error) {
	exact, _, err := posterior.Enumerate(law, prior, x)
	if err != nil {
		return c, err
	}
	if draw == nil {
		c.matrix, c.K, c.TrueK = exact.CoClustering(), exact.ExpectedK(), exact.ExpectedK()
		return c, nil
	}
	samples, err := draw(rng, x, exact)
	if err != nil {
		return c, err
	}
	fractions, err := posterior.FromSamples(samples)
	if err != nil {
		return c, err
	}
	if c.TV, err = posterior.TotalVariation(exact.LogProb, fractions.LogProb); err != nil {
		return c, err
	}
	return c, c.compareSamples(exact.CoClustering(), exact.KPosterior(), samples)
}

// ByGibbs draws by the law's own chains: half of the samples from singletons, half from one cluster or as many as the
// prior demands, each chain after 200 sweeps, every fifth sweep.
func (c Conjugate) ByGibbs(samples int) Drawer {
	return func(rng *rand.Rand, x []float64, _ *posterior.Distribution) (all [][]int32, err error) {
		few := make([]int32, c.Points)
		for i := range few {
			few[i] = int32(i % max(1, c.Prior.MinK))
		}
		many := posterior.Singletons(c.Points)
		if c.Prior.MaxK > 0 {
			for i := range many {
				many[i] %= int32(c.Prior.MaxK)
			}
		}
		for i, start := range [][]int32{few, many} {
			g := posterior.Gibbs{
				Model: c.Likelihood, Prior: c.Prior, BurnIn: gibbsBurnIn, Thin: gibbsThin,
				Samples: samples*(i+1)/2 - samples*i/2,
			}
			some, err := g.Sample(rng, x, start)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	}
}

// Independent draws from the exact posterior itself: what is left is the noise of so many samples.
func Independent(samples int) Drawer {
	return func(rng *rand.Rand, _ []float64, exact *posterior.Distribution) ([][]int32, error) {
		all := make([][]int32, samples)
		for i := range all {
			u, at := rng.Float64(), 0
			for at < len(exact.LogProb)-1 && u >= math.Exp(exact.LogProb[at]) {
				u -= math.Exp(exact.LogProb[at])
				at++
			}
			all[i] = exact.Labels[at]
		}
		return all, nil
	}
}
