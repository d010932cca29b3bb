package evaluation

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// AverageOf is the number of most probable samples over which the average score is taken (appendix sec:average_score).
const AverageOf = 100

// AverageTest says where the average score is taken, and over how many samples of each set.
type AverageTest struct {
	Test    Test `json:"test"`
	Samples int  `json:"samples"`
	// Temperature is that of the samples (sampling.Tempered); 0 and 1 are the policy itself.
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

// Score measures a network on the first sets of a source.
func (t AverageTest) Score(ctx context.Context, net *models.Network, source data.Source) (a Average, err error) {
	r, err := newReader(net, source, t.Test.Seed, t.Test.Sets)
	if err != nil {
		return a, fmt.Errorf("average score: %w", err)
	}
	for set, err := range r.Sets(ctx, t.Test.Seed, 0, 0, t.Test.Sets) {
		if err != nil {
			return a, fmt.Errorf("average score: %w", err)
		}
		if err := a.add(set, t); err != nil {
			return a, fmt.Errorf("average score of set %d: %w", set.Number, err)
		}
	}
	for _, v := range []*float64{&a.NMI, &a.ARI, &a.GreedyNMI, &a.GreedyARI} {
		*v /= float64(a.Sets)
	}
	return a, nil
}

func (a *Average) add(set Set, t AverageTest) error {
	uniforms := sampling.NewAncestral(data.Rand(t.Test.Seed, "average", set.stream), t.Samples, set.N)
	var policy sampling.Policy = uniforms
	if t.Temperature > 0 && t.Temperature != 1 {
		policy = sampling.Tempered{Ancestral: uniforms, Temperature: t.Temperature}
	}
	drawn, err := set.Run(nil, t.Samples, policy)
	if err != nil {
		return err
	}
	best := descending(drawn.LogProb)
	best = best[:min(AverageOf, len(best))]
	for _, i := range best {
		q, err := Compare(set.Labels, drawn.Labels[i])
		if err != nil {
			return err
		}
		a.NMI += q.NMI / float64(len(best))
		a.ARI += q.ARI / float64(len(best))
	}
	greedy, err := set.Run(nil, 1, sampling.Greedy{})
	if err != nil {
		return err
	}
	q, err := Compare(set.Labels, greedy.Labels[0])
	a.GreedyNMI += q.NMI
	a.GreedyARI += q.ARI
	a.Sets++
	return err
}

// descending lists the indices of values from the largest to the smallest, equal ones in their order.
func descending(values []float64) []int {
	falling, order := slices.Clone(values), make([]int, len(values))
	floats.Scale(-1, falling)
	floats.ArgsortStable(falling, order)
	return order
}
