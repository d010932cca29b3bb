package evaluation

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

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
		return nil, usererr.New("check a model whose data.sigma_mu is above 0", "data.sigma_mu is 0: the clusters lie on top of each other")
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

// redraw draws x [N,D] given the labels [N], into x: new means, new points around them, and their median subtracted. The points
// stay in place; the prior and the law of the points given it are exchangeable, so a shuffle would change nothing.
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

// ofSets returns the statistics of every set of a batch.
func (l *checkLaw) ofSets(batch *data.Batch) (all [][]float64, err error) {
	all = make([][]float64, batch.B)
	for b := range all {
		x, labels := batch.Set(b)
		if all[b], err = l.statistics(labels, widen(x)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// statistics returns the value of each of checkStatistics for canonical labels [N] and centred points x [N,D]. They must be
// functions of what the model sees: the shift that centring removed carries information on the partition that it has not. So
// log p is that of the points up to a shift (posterior.Gaussian.LogLikelihoodCentred). Without bounds on K, and up to constants.
//
// Equal partitions give equal bits, so that ties are ties.
func (l *checkLaw) statistics(labels []int32, x []float64) ([]float64, error) {
	sizes := make([]int, slices.Max(labels)+1)
	for _, c := range labels {
		sizes[c]++
	}
	slices.Sort(sizes)
	var entropy, together float64
	for _, size := range sizes {
		share := float64(size) / float64(len(labels))
		entropy -= share * math.Log(share)
	}
	if labels[0] == labels[1] {
		together = 1
	}
	fit, err := l.model.LogLikelihoodCentred(x, labels)
	if err != nil {
		return nil, err
	}
	return []float64{float64(len(sizes)), float64(sizes[len(sizes)-1]), entropy, together, l.prior(sizes) + fit}, nil
}
