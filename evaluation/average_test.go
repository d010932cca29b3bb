package evaluation

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

func averageFixture(t *testing.T) (*models.Network, *data.MoG, AverageTest) {
	t.Helper()
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 2, 12, 12, 2, 2, "test"
	return untrained(t, 0), must.M1(data.NewMoG(c)), AverageTest{Test: Test{Data: c, Sets: 3, Seed: 1}, Samples: 130}
}

// Beside the average score stands greedy decoding of the very same sets: what Evaluate finds on them.
func TestAverageScoreGreedy(t *testing.T) {
	net, source, key := averageFixture(t)
	values := must.M1(key.Values(t.Context(), must.M1(key.Reader(net, source)), 0, key.Test.Sets))
	q := MeanAverage(values)
	second := must.M1(key.Values(t.Context(), must.M1(key.Reader(net, source)), 1, 3))
	if !slices.Equal(second, values[1:]) {
		t.Errorf("the sets from the second on have %v, want %v", second, values[1:])
	}
	want := must.M1(NewEvaluator(net).Quality(t.Context(), source, key.Test.Seed, key.Test.Sets))
	if q.Sets != 3 || math.Abs(q.GreedyNMI-want.NMI) > 1e-12 || math.Abs(q.GreedyARI-want.ARI) > 1e-12 {
		t.Errorf("greedy decoding of %d sets gave %g, %g, want %g, %g",
			q.Sets, q.GreedyNMI, q.GreedyARI, want.NMI, want.ARI)
	}
}

// The average is over the 100 most probable of 130 samples: recomputed from the samples of the first set, one by one.
func TestAverageScoreTakesTheMostProbable(t *testing.T) {
	net, source, key := averageFixture(t)
	key.Test.Sets = 1
	values := must.M1(key.Values(t.Context(), must.M1(key.Reader(net, source)), 0, key.Test.Sets))
	q := MeanAverage(values)
	x, truth := must.M1(source.Batch(1, 0)).Set(0)
	sets := must.M1(sampling.Encode(net, x, 1, 12))
	drawn := must.M1(sets.Run(make([]sampling.Sequence, 130),
		sampling.NewAncestral(data.Rand(1, "average", 0), 130, 12)))
	var sum, all float64
	for i, logProb := range drawn.LogProb {
		above := 0
		for j, other := range drawn.LogProb {
			if other > logProb || other == logProb && j < i {
				above++
			}
		}
		nmi := must.M1(metrics.NMI(truth, drawn.Labels[i]))
		all += nmi / 130
		if above < 100 {
			sum += nmi / 100
		}
	}
	if math.Abs(q.NMI-sum) > 1e-9 || math.Abs(q.NMI-all) < 1e-6 {
		t.Errorf("average NMI %g, want %g (over all samples it is %g)", q.NMI, sum, all)
	}
}

// Near temperature 0 every sample is the greedy one.
func TestAverageScoreNearZeroTemperature(t *testing.T) {
	net, source, key := averageFixture(t)
	key.Temperature = 1e-6
	values := must.M1(key.Values(t.Context(), must.M1(key.Reader(net, source)), 0, key.Test.Sets))
	q := MeanAverage(values)
	if math.Abs(q.NMI-q.GreedyNMI) > 1e-12 || math.Abs(q.ARI-q.GreedyARI) > 1e-12 {
		t.Errorf("NMI and ARI %g, %g, greedy %g, %g", q.NMI, q.ARI, q.GreedyNMI, q.GreedyARI)
	}
}
