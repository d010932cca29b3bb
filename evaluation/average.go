package evaluation

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/sampling"
)

// AverageOf is the number of most probable samples over which the average score is taken (appendix sec:average_score).
const AverageOf = 100

// AverageTest describes the sets of an average score, and the number of samples of each set.
type AverageTest struct {
	Test    Test `json:"test"`
	Samples int  `json:"samples"`
	// Temperature is the sampling temperature (sampling.Policy.Tempered). 0 and 1 draw from the policy itself.
	Temperature float64 `json:"temperature,omitempty"`
}

// Mean returns the means over the sets of the test, which a reader draws: "NMI" and "ARI" are of the average score,
// "NMI greedy" and "ARI greedy" of greedy decoding.
func (t AverageTest) Mean(ctx context.Context, r *Reader) (mean Scores, err error) {
	mean = Scores{}
	return mean, r.Each(ctx, t.Test.Seed, t.Test.Sets, func(set Set) error {
		scores, err := t.scores(set)
		for name, v := range scores {
			mean[name] += v / float64(t.Test.Sets)
		}
		return err
	})
}

// scores returns the scores of one set: the mean over its most probable samples, and greedy decoding.
func (t AverageTest) scores(set Set) (Scores, error) {
	policy := sampling.Ancestral(data.Rand(t.Test.Seed, "average", set.stream), t.Samples, set.N)
	drawn, err := set.Run(nil, t.Samples, policy.Tempered(t.Temperature))
	if err != nil {
		return nil, err
	}
	best := descending(drawn.LogProb)
	best = best[:min(AverageOf, len(best))]
	scores := Scores{}
	for _, i := range best {
		q, err := Compare(set.Labels, drawn.Labels[i])
		if err != nil {
			return nil, err
		}
		scores["NMI"] += q.NMI / float64(len(best))
		scores["ARI"] += q.ARI / float64(len(best))
	}
	greedy, err := set.Run(nil, 1, sampling.Greedy())
	if err != nil {
		return nil, err
	}
	q, err := Compare(set.Labels, greedy.Labels[0])
	scores["NMI greedy"], scores["ARI greedy"] = q.NMI, q.ARI
	return scores, err
}

// descending lists the indices of values from the largest to the smallest, equal ones in their order.
func descending(values []float64) []int {
	falling, order := slices.Clone(values), make([]int, len(values))
	floats.Scale(-1, falling)
	floats.ArgsortStable(falling, order)
	return order
}
