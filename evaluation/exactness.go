package evaluation

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// Exactness holds distances of a model's probabilities from the true posterior, as means over sets.
type Exactness struct {
	Sets  int     `json:"sets"`
	KL    float64 `json:"kl,omitzero"`   // KL(exact‖model), nats a set
	TV    float64 `json:"tv,omitzero"`   // total variation between partitions
	KTV   float64 `json:"k_tv,omitzero"` // total variation between the laws of K
	K     float64 `json:"k"`             // the model's expected K
	TrueK float64 `json:"true_k"`        // the reference's
	// mean |difference| of co-clustering probabilities
	CoClustering float64 `json:"co_clustering"`
	// calibration error of co-clustering probabilities
	ECE         float64                  `json:"ece"`
	Reliability []metrics.ReliabilityBin `json:"reliability,omitempty"` // their diagram
}

// Probabilities come from an energy network, or from the posterior of mixtures (data.MoG) if Network is nil.
type Probabilities struct {
	Network *models.Network
	Samples int // samples of each set, if probabilities are not enumerated
}

// comparison is a model's law of the partitions of one set beside the reference's.
type comparison struct {
	Exactness
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
	var all tally
	var original []float32 // the points of a batch before centring
	for set, err := range Sets(ctx, source, t.Seed, t.Sets) {
		place := set.Number % t.Data.Batch
		if err == nil && place == 0 {
			_, original, err = source.BatchUncentred(t.Seed, set.Number/t.Data.Batch)
		}
		if err != nil {
			return e, err
		}
		size := len(set.X)
		c, err := compare(t, set, data.Float64s(original[place*size:(place+1)*size]))
		if err != nil {
			return e, fmt.Errorf("set %d: %w", set.Number, err)
		}
		all.add(c, set.Labels)
	}
	return all.mean()
}

// tally adds up comparisons on sets.
type tally struct {
	Exactness
	predicted []float64 // co-clustering probability of each pair of points
	together  []bool    // whether the pair shares a true cluster
}

// add adds the comparison on a set with the true labels [N].
func (a *tally) add(c comparison, truth []int32) {
	a.Sets++
	for i, v := range a.means() {
		*v += *c.means()[i]
	}
	for i := range truth {
		for k := i + 1; k < len(truth); k++ {
			a.predicted = append(a.predicted, c.matrix.At(i, k))
			a.together = append(a.together, truth[i] == truth[k])
		}
	}
}

// mean returns the means over the sets.
func (a *tally) mean() (Exactness, error) {
	var err error
	if a.Reliability, err = metrics.Reliability(a.predicted, a.together, 10); err != nil {
		return Exactness{}, err
	}
	a.ECE = metrics.ECE(a.Reliability)
	for _, v := range a.means() {
		*v /= float64(a.Sets)
	}
	return a.Exactness, nil
}

// means lists the numbers that are means over sets.
func (e *Exactness) means() []*float64 {
	return []*float64{&e.KL, &e.TV, &e.KTV, &e.K, &e.TrueK, &e.CoClustering}
}

// enumerated compares the model with the exact law of all partitions.
func (p Probabilities) enumerated(t Test, set Set, original []float64) (c comparison, err error) {
	prior, err := priorOf(t.Data).Prior(set.N)
	if err != nil {
		return c, err
	}
	exact := posterior.EnumerateCentred(likelihoodOf(t.Data), prior, original)
	model := exact
	if p.Network != nil {
		logProbs, err := AllPartitions(p.Network, set.X, set.N)
		if err != nil {
			return c, err
		}
		if model, err = posterior.NewDistribution(set.N, logProbs); err != nil {
			return c, err
		}
		c.KL, c.TV = exact.KL(model), exact.TotalVariation(model)
	}
	c.K, c.TrueK, c.matrix = model.ExpectedK(), exact.ExpectedK(), model.CoClustering()
	c.CoClustering = posterior.CoClusteringError(exact.CoClustering(), c.matrix)
	return c, nil
}

// AllPartitions returns a network's log p of all partitions of n points, as posterior.Partitions lists them.
func AllPartitions(net *models.Network, x []float32, n int) ([]float64, error) {
	sets, err := sampling.Encode(net, x, 1, n)
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
	c.TrueK, c.K, c.matrix = posterior.ExpectedK(k), posterior.ExpectedK(law), posterior.CoClustering(mine)
	c.KTV = posterior.KTotalVariation(k, law)
	c.CoClustering = posterior.CoClusteringError(posterior.CoClustering(reference), c.matrix)
	return c, nil
}
