package mixture

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// wide are clusters of which each column of the first informative ones tells spread standard deviations, beside factors
// of noise that all columns share, with random loadings of size load.
func wide(name string, n, dim, number, informative, factors int, load, spread float64) drawn {
	rng := em.NewRandom(uint64(dim), 12)
	set := inTurn(name, n, number)
	scores := make([][]float64, factors)
	for f := range scores {
		for range n {
			scores[f] = append(scores[f], rng.NormFloat64())
		}
	}
	for d := range dim {
		centres, loads := make([]float64, number), make([]float64, factors)
		for k := range centres {
			if d < informative {
				centres[k] = spread * rng.NormFloat64()
			}
		}
		for f := range loads {
			loads[f] = load * rng.NormFloat64()
		}
		set.beside(func(row int) float64 {
			x := centres[row%number] + rng.NormFloat64()
			for f, load := range loads {
				x += load * scores[f][row]
			}
			return x
		})
	}
	return set
}

// One group of skewed columns with common factors is one cluster, also where the columns become components.
func TestReduceSkewed(t *testing.T) {
	set := wide("skewed", 200, 60, 1, 0, 4, 3, 0)
	for _, column := range set.columns {
		for i, x := range column {
			column[i] = math.Exp(x / 5)
		}
	}
	if p := sampled(t, set, Options{Seed: 1, Work: 2e5}); p.Uses[0] != tables.Logarithm {
		t.Errorf("uses %v", p.Uses)
	}
}

// Many columns, also more than rows: clusters of a few columns, of all columns weakly, beside large variances
// without clusters, and none.
func TestReduce(t *testing.T) {
	short.Skip(t, "samples tables of many columns")
	for _, set := range []drawn{
		wide("few columns", 150, 200, 3, 5, 0, 3, 3), wide("weak columns", 150, 200, 4, 200, 0, 3, 0.8),
		wide("factors", 250, 120, 3, 120, 4, 3, 1.5), wide("none", 100, 150, 1, 0, 0, 3, 0),
	} {
		p := sampled(t, set, Options{Seed: 1, Work: 1e5})
		agree(t, set.name, set.truth, p.Labels, 0.95)
		var read fit.Mixture
		must.M(json.Unmarshal(must.M1(json.Marshal(p.Fit)), &read))
		again := read.Predict(tableOf(set.columns))
		agree(t, set.name+", predicted", p.Labels, again.Labels, 0.95)
	}
}
