package evaluation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// jointed are the values of one statistic by the two simulators of the joint distribution test.
type jointed struct {
	independent []float64 // of sets drawn by the law
	chains      []float64 // of the successive-conditional simulator, chain after chain
}

// The chains count as many steps as there are chains: metrics.GewekeZ cuts M values into √M batches of equal length,
// which then are the chains, each independent of the others however slow it moves. Well separated clusters are slow
// to merge or split, for new points given a partition show that partition.

func (r *checkRun) steps() int { return r.settings.Chains }

// burnIn is the number of steps of a chain that do not count. An exact model needs none, for the chains start in the
// joint law; the faults of another one add up meanwhile.
func (r *checkRun) burnIn() int { return r.settings.Chains / 4 }

// independentDraws is the number of independent draws a chain: enough to have the smaller error.
const independentDraws = 64

// joint runs both simulators.
func (r *checkRun) joint() ([]jointed, error) {
	found := make([]jointed, len(checkStatistics))
	reader, err := r.law.reader("check/joint/independent", independentDraws)
	if err != nil {
		return nil, err
	}
	for sets, err := range reader.batches(r.ctx, r.settings.Seed, 0, r.settings.Chains*independentDraws) {
		if err != nil {
			return nil, err
		}
		for b := range sets.B {
			x, labels := sets.Set(b)
			values, err := r.law.statistics(x, labels)
			if err != nil {
				return nil, err
			}
			for i, v := range values {
				found[i].independent = append(found[i].independent, v...)
			}
		}
	}
	return found, r.chains(found)
}

// chains runs all chains side by side: in turn c from the model given x, and x from the law given c.
func (r *checkRun) chains(found []jointed) error {
	chains, steps, burnIn := r.settings.Chains, r.steps(), r.burnIn()
	reader, err := r.law.reader("check/joint/start", chains)
	if err != nil {
		return err
	}
	state, err := reader.Source.Batch(r.settings.Seed, 0)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].chains = make([]float64, chains*steps)
	}
	for step := range burnIn + steps {
		if r.ctx.Err() != nil {
			return train.ErrInterrupted
		}
		if err := r.advance(state, step); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		r.settings.Progress("joint distribution test, steps", step+1, burnIn+steps)
		if step < burnIn {
			continue
		}
		for b := range chains {
			x, labels := state.Set(b)
			values, err := r.law.statistics(x, labels)
			if err != nil {
				return err
			}
			for i, v := range values {
				found[i].chains[b*steps+step-burnIn] = v[0]
			}
		}
	}
	return nil
}

// advance takes every chain one step.
func (r *checkRun) advance(state *data.Batch, step int) error {
	drawn, err := r.sampler.Sample(data.Rand(r.settings.Seed, "check/joint/draws", step), state.X, state.B, state.N)
	if err != nil {
		return err
	}
	rng := data.Rand(r.settings.Seed, "check/joint/points", step)
	for b, found := range drawn {
		x, labels := state.Set(b)
		copy(labels, found)
		r.law.redraw(rng, labels, x)
	}
	return nil
}

// checkStatistics are the statistics by which a check compares, in the order of checkLaw.statistics.
var checkStatistics = []string{"clusters", "largest cluster", "entropy of sizes", "points 1, 2 together", "log p(c,x)"}

// checkLaw is the law of partitions c and centred sets x that a model was trained on.
type checkLaw struct {
	config data.Config
	model  posterior.Gaussian
	prior  posterior.Prior
}

// newCheckLaw takes over a training law for sets of n points.
func newCheckLaw(c data.Config, n int) (*checkLaw, error) {
	c.Mode, c.NMin, c.NMax = data.ModeGenerative, n, n
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.SigmaMu == 0 {
		return nil, usererr.New("check a model whose data.sigma_mu is above 0",
			"data.sigma_mu is 0: the clusters lie on top of each other")
	}
	// The bounds on K are left out: log p must be finite for whatever a model draws.
	free := posterior.CRP{Alpha: c.AlphaMin, AlphaMax: c.AlphaMax}
	if c.FixedK > 0 {
		free = posterior.CRP{Alpha: 1}
	}
	prior, err := free.Prior(n)
	return &checkLaw{config: c, model: likelihoodOf(c), prior: prior}, err
}

// reader draws sets of the law in batches, independent of those of other streams.
func (l *checkLaw) reader(stream string, batch int) (*Reader, error) {
	c := l.config
	c.Stream, c.Batch = stream, batch
	source, err := data.NewMoG(c)
	return &Reader{Source: source}, err
}

// redraw draws x [N,D] given the labels [N], into x: new means, new points around them, and their median subtracted.
// The points stay in place; the prior and the law of the points given it are exchangeable, so a shuffle would change
// nothing.
func (l *checkLaw) redraw(rng *rand.Rand, labels []int32, x []float32) {
	d := l.config.Dim
	means := make([]float64, (int(slices.Max(labels))+1)*d)
	for i := range means {
		means[i] = l.config.SigmaMu * rng.NormFloat64()
	}
	for i, c := range labels {
		for j := range d {
			noise := float64(l.config.SigmaX * rng.NormFloat64())
			x[i*d+j] = float32(means[int(c)*d+j] + noise)
		}
	}
	data.MedianCenter(x, len(labels), d)
}

// statistics returns the values of each of checkStatistics for some canonical labels [N] of centred points x [N,D].
// They must be functions of what the model sees: the shift that centring removed carries information on the partition
// that it has not. So log p is that of the points up to a shift (posterior.Gaussian.LogLikelihoodCentred). Without
// bounds on K, and up to constants.
//
// Equal partitions give equal bits, so that ties are ties.
func (l *checkLaw) statistics(x []float32, labellings ...[]int32) (values [5][]float64, err error) {
	wide := data.Float64s(x)
	for _, labels := range labellings {
		sizes := slices.Sorted(slices.Values(partition.New(labels).Size))
		var entropy, together float64
		for _, size := range sizes {
			share := float64(size) / float64(len(labels))
			entropy -= share * math.Log(share)
		}
		if labels[0] == labels[1] {
			together = 1
		}
		fit, err := l.model.LogLikelihoodCentred(wide, labels)
		if err != nil {
			return values, err
		}
		one := [5]float64{float64(len(sizes)), float64(sizes[len(sizes)-1]), entropy, together, l.prior(sizes) + fit}
		for i, v := range one {
			values[i] = append(values[i], v)
		}
	}
	return values, nil
}
