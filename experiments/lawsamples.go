package experiments

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/posterior"
)

// Gibbs sampling of a reference law: two chains, from one cluster and from singletons, half of the samples each.
const (
	gibbsBurnIn  = 200 // sweeps before the first sample
	gibbsThin    = 5   // sweeps from sample to sample
	gibbsSamples = 400 // of both chains
)

// gibbsLaw samples the posterior of a set of points [N,D] before centring.
func gibbsLaw(c data.Config, seed uint64, set int, original []float64) ([][]int32, error) {
	n := len(original) / c.Dim
	g := posterior.Gibbs{Model: gaussianOf(c), Prior: crpOf(c), BurnIn: gibbsBurnIn, Thin: gibbsThin, Samples: gibbsSamples / 2}
	var samples [][]int32
	for i, start := range [][]int32{halves(n), posterior.Singletons(n)} {
		some, err := g.Sample(data.Rand(seed, fmt.Sprintf("gibbs/%d", i), set), original, start)
		if err != nil {
			return nil, err
		}
		samples = append(samples, some...)
	}
	return samples, nil
}

// halves is a start with two clusters, the fewest that the prior allows.
func halves(n int) []int32 {
	labels := make([]int32, n)
	for i := n / 2; i < n; i++ {
		labels[i] = 1
	}
	return labels
}

// sampled compares with Gibbs sampling. The reference itself is judged by its two chains, one against the other.
func (j lawJudge) sampled(t Test, set int, x []float32, original []float64) (law oneLaw, err error) {
	reference, err := gibbsLaw(t.Data, t.Seed, set, original)
	if err != nil {
		return law, err
	}
	mine := reference[len(reference)/2:]
	if j.model == nil {
		reference = reference[:len(reference)/2]
	} else if mine, err = j.draw(set, x, t.Data.NMin); err != nil {
		return law, err
	}
	matrix, err := posterior.CoClustering(reference)
	if err != nil {
		return law, err
	}
	return law, law.compareSamples(matrix, posterior.KPosterior(reference), mine)
}

// draw samples the model's law of one set.
func (j lawJudge) draw(set int, x []float32, n int) ([][]int32, error) {
	sampler, ok := j.model.(peers.Sampler)
	if !ok {
		return nil, fmt.Errorf("the model draws no samples")
	}
	return sampler.Sample(data.Rand(testSeed, "law/samples", set), slices.Repeat(x, j.samples), j.samples, n)
}

// descending lists the indices of values from the largest to the smallest.
func descending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		}
		return 0
	})
	return order
}

// estimateSamples is the number of Gibbs samples among which the point estimate of a set is chosen.
const estimateSamples = 50

// gibbsLabels is the point estimate of Gibbs sampling for the sets of a batch: the sample with the least expected variation of
// information to all.
func gibbsLabels(t Test, step int, source *data.MoG) ([][]int32, error) {
	batch, original, err := source.BatchUncentred(t.Seed, step)
	if err != nil {
		return nil, err
	}
	found := make([][]int32, batch.B)
	for b := range found {
		x := widen(original[b*batch.N*batch.D : (b+1)*batch.N*batch.D])
		g := posterior.Gibbs{Model: gaussianOf(t.Data), Prior: crpOf(t.Data), BurnIn: 100, Thin: 2, Samples: estimateSamples}
		samples, err := g.Sample(data.Rand(t.Seed, "gibbs", step*batch.B+b), x, posterior.Singletons(batch.N))
		if err != nil {
			return nil, err
		}
		best, _, err := posterior.PointEstimate(samples, samples)
		if err != nil {
			return nil, err
		}
		found[b] = samples[best]
	}
	return found, nil
}
