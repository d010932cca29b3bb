package evaluation

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// Exactness is how far a model's probabilities are from the true posterior. Its scores are means over sets:
//
//	KL, KL a point   KL(exact‖model) in nats, of an enumerated posterior
//	TV               total variation between partitions, of an enumerated posterior
//	TV of K          total variation between the laws of K, of a sampled posterior
//	E[K], E[K] true  the model's expected K, and the reference's
//	co-clustering    mean |difference| of co-clustering probabilities
//	ECE              calibration error of co-clustering probabilities
type Exactness struct {
	Scores      Scores                   `json:"scores"`
	Reliability []metrics.ReliabilityBin `json:"reliability"` // the diagram behind ECE
}

// Probabilities come from an energy network, or from the posterior of mixtures (data.MoG) if Network is nil.
type Probabilities struct {
	Network *models.Network
	Samples int // samples of each set, if probabilities are not enumerated
}

// comparison is a model's law of the partitions of one set beside the reference's.
type comparison struct {
	scores Scores
	matrix mat.Symmetric // the model's co-clustering probabilities
}

// AgainstEnumeration compares with the exact posterior of all partitions of up to nine points.
func (p Probabilities) AgainstEnumeration(ctx context.Context, t Test) (Exactness, error) {
	return exactness(ctx, p.enumerated, t)
}

// AgainstGibbs compares with Gibbs samples of the posterior. The zero value compares the two Gibbs chains with each
// other.
func (p Probabilities) AgainstGibbs(ctx context.Context, t Test) (Exactness, error) {
	return exactness(ctx, p.sampled, t)
}

// exactness returns the means of compare over the sets. compare also gets the points [N,D] before centring.
func exactness(
	ctx context.Context, compare func(t Test, set Set, original []float64) (comparison, error), t Test,
) (e Exactness, err error) {
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return e, err
	}
	e.Scores = Scores{}
	var original []float32  // the points of a batch before centring
	var predicted []float64 // co-clustering probability of each pair of points
	var together []bool     // whether the pair shares a true cluster
	err = (&Reader{Source: source}).Each(ctx, t.Seed, t.Sets, func(set Set) (err error) {
		place := set.Number % t.Data.Batch
		if place == 0 {
			if _, original, err = source.BatchUncentred(t.Seed, set.Number/t.Data.Batch); err != nil {
				return err
			}
		}
		size := len(set.X)
		c, err := compare(t, set, data.Float64s(original[place*size:(place+1)*size]))
		if err != nil {
			return err
		}
		for name, v := range c.scores {
			e.Scores[name] += v
		}
		for i := range set.Labels {
			for k := i + 1; k < set.N; k++ {
				predicted = append(predicted, c.matrix.At(i, k))
				together = append(together, set.Labels[i] == set.Labels[k])
			}
		}
		return nil
	})
	if err != nil {
		return e, err
	}
	for name := range e.Scores {
		e.Scores[name] /= float64(t.Sets)
	}
	e.Reliability, err = metrics.Reliability(predicted, together, 10)
	e.Scores["ECE"] = metrics.ECE(e.Reliability)
	return e, err
}

// enumerated compares the model with the exact law of all partitions.
func (p Probabilities) enumerated(t Test, set Set, original []float64) (c comparison, err error) {
	prior, err := priorOf(t.Data).Prior(set.N)
	if err != nil {
		return c, err
	}
	exact := posterior.EnumerateCentred(likelihoodOf(t.Data), prior, original)
	model, kl, tv := exact, 0.0, 0.0
	if p.Network != nil {
		logProbs, err := AllPartitions(p.Network, set.X, set.N)
		if err != nil {
			return c, err
		}
		if model, err = posterior.NewDistribution(set.N, logProbs); err != nil {
			return c, err
		}
		kl, tv = exact.KL(model), exact.TotalVariation(model)
	}
	c.matrix = model.CoClustering()
	c.scores = Scores{
		"KL": kl, "KL a point": kl / float64(set.N), "TV": tv,
		"E[K]": model.ExpectedK(), "E[K] true": exact.ExpectedK(),
		"co-clustering": posterior.CoClusteringError(exact.CoClustering(), c.matrix),
	}
	return c, nil
}

// AllPartitions returns a network's log p of all partitions of n points, as posterior.Partitions lists them.
func AllPartitions(net *models.Network, x []float32, n int) ([]float64, error) {
	sets, err := sampling.Encode(context.Background(), net, x, 1, n)
	if err != nil {
		return nil, err
	}
	parts := posterior.Partitions(n)
	r, err := sets.Beam(sampling.Sequence{}, len(parts))
	if err != nil {
		return nil, err
	}
	logProbs := make([]float64, len(parts))
	for i, labels := range r.Labels {
		logProbs[posterior.PartitionIndex(parts, labels)] = r.LogProb[i]
	}
	return logProbs, nil
}

// sampled compares the model with Gibbs sampling.
func (p Probabilities) sampled(t Test, set Set, original []float64) (c comparison, err error) {
	reference, err := gibbsChains(t, set.Number, original)
	if err != nil {
		return c, err
	}
	mine := reference[len(reference)/2:]
	if p.Network == nil {
		reference = reference[:len(reference)/2]
	} else {
		policy := sampling.Ancestral(data.Rand(t.Seed, "law/samples", set.Number), p.Samples, set.N)
		drawn, err := sampling.Decode(p.Network, slices.Repeat(set.X, p.Samples), p.Samples, set.N, policy)
		if err != nil {
			return c, err
		}
		mine = drawn.Labels
	}
	k, law := posterior.KPosterior(reference), posterior.KPosterior(mine)
	c.matrix = posterior.CoClustering(mine)
	c.scores = Scores{
		"TV of K": posterior.KTotalVariation(k, law),
		"E[K]":    posterior.ExpectedK(law), "E[K] true": posterior.ExpectedK(k),
		"co-clustering": posterior.CoClusteringError(posterior.CoClustering(reference), c.matrix),
	}
	return c, nil
}
