package evaluation

import (
	"context"
	"fmt"
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

// Average holds means over sets: of the average score, and of greedy decoding.
type Average struct {
	Sets      int     `json:"sets"`
	NMI       float64 `json:"nmi"`
	ARI       float64 `json:"ari"`
	GreedyNMI float64 `json:"greedy_nmi"`
	GreedyARI float64 `json:"greedy_ari"`
}

// Mean returns the means over the sets of the test, which a reader draws.
func (t AverageTest) Mean(ctx context.Context, r *Reader) (mean Average, err error) {
	sets := float64(t.Test.Sets)
	for set, err := range r.Sets(ctx, t.Test.Seed, t.Test.Sets) {
		if err != nil {
			return mean, fmt.Errorf("average score: %w", err)
		}
		a, err := t.scores(set)
		if err != nil {
			return mean, fmt.Errorf("average score of set %d: %w", set.Number, err)
		}
		mean.Sets++
		mean.NMI += a.NMI / sets
		mean.ARI += a.ARI / sets
		mean.GreedyNMI += a.GreedyNMI / sets
		mean.GreedyARI += a.GreedyARI / sets
	}
	return mean, nil
}

// scores returns the scores of one set: the mean over its most probable samples, and greedy decoding.
func (t AverageTest) scores(set Set) (a Average, err error) {
	policy := sampling.Ancestral(data.Rand(t.Test.Seed, "average", set.stream), t.Samples, set.N)
	drawn, err := set.Run(nil, t.Samples, policy.Tempered(t.Temperature))
	if err != nil {
		return a, err
	}
	best := descending(drawn.LogProb)
	best = best[:min(AverageOf, len(best))]
	for _, i := range best {
		q, err := Compare(set.Labels, drawn.Labels[i])
		if err != nil {
			return a, err
		}
		a.NMI += q.NMI / float64(len(best))
		a.ARI += q.ARI / float64(len(best))
	}
	greedy, err := set.Run(nil, 1, sampling.Greedy())
	if err != nil {
		return a, err
	}
	q, err := Compare(set.Labels, greedy.Labels[0])
	a.Sets, a.GreedyNMI, a.GreedyARI = 1, q.NMI, q.ARI
	return a, err
}

// descending lists the indices of values from the largest to the smallest, equal ones in their order.
func descending(values []float64) []int {
	falling, order := slices.Clone(values), make([]int, len(values))
	floats.Scale(-1, falling)
	floats.ArgsortStable(falling, order)
	return order
}
