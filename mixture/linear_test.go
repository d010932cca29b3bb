package mixture

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// A sum of other columns, exact or not, does not hide clusters; without it, and with gaps, the answer is the same.
func TestSumsOfColumns(t *testing.T) {
	short.Skip(t, "takes seconds")
	const small, seed = 0.1, 5
	for _, size := range []float64{0, small} {
		set := blobs(seed, 300, 9, 4, 3)
		rng := em.NewRandom(seed, 1)
		set.beside(func(i int) float64 {
			return set.columns[0][i] + set.columns[1][i] - set.columns[2][i]/2 + size*rng.NormFloat64()
		})
		if size == small {
			for i := range 20 {
				set.columns[i%10][7*i] = math.NaN()
			}
		}
		p := sampled(t, set, Options{Seed: 1})
		if exact := p.Uses[9] == tables.OfOthers; exact != (size < 1e-6) || p.Ending != Agreement {
			t.Errorf("size %g: the sum is used as %s, ended by %s", size, p.Uses[9], p.Ending)
		}
		var again fit.Mixture
		must.M(json.Unmarshal(must.M1(json.Marshal(p.Fit)), &again))
		predicted := again.Predict(tableOf(set.columns))
		wrong := 0
		for i, label := range p.Labels {
			if predicted.Labels[i] != label {
				wrong++
			}
		}
		if wrong > 6 {
			t.Errorf("size %g: %d of 300 rows are predicted elsewhere", size, wrong)
		}
	}
}

// A product is linear in logarithms, and a logarithm is of no use beside its number.
func TestProductsOfColumns(t *testing.T) {
	set := blobs(1, 240, 2, 3, 5)
	for _, column := range set.columns {
		for i, x := range column {
			column[i] = math.Exp(x / 2)
		}
	}
	set.beside(func(i int) float64 { return set.columns[0][i] / set.columns[1][i] })
	set.beside(func(i int) float64 { return math.Log(set.columns[0][i]) })
	p := sampled(t, set, Options{Seed: 1, Work: 2e5})
	if !slices.Equal(p.Uses, []tables.Use{tables.Logarithm, tables.Logarithm, tables.OfOthers, tables.OfOthers}) {
		t.Errorf("uses %v", p.Uses)
	}
}

// The body mass index follows from weight and height though all are rounded. With it one group had a dozen clusters.
func TestIndexOfRoundedColumns(t *testing.T) {
	short.Skip(t, "takes seconds")
	rng, columns := em.NewRandom(3, 3), make([][]float64, 3)
	round := func(x float64) float64 { return math.Round(10*x) / 10 }
	for range 500 {
		height := 172 + 9*rng.NormFloat64()
		weight := 72 + 0.8*(height-172) + 10*rng.NormFloat64()
		for d, x := range []float64{height, weight, weight / (height * height) * 1e4} {
			columns[d] = append(columns[d], round(x))
		}
	}
	p := must.M1(Sample(t.Context(), tableOf(columns), Options{Seed: 1}))
	if !slices.Equal(p.Uses, []tables.Use{tables.Number, tables.Number, tables.OfOthers}) || p.Number != 1 {
		t.Errorf("uses %v, K %d", p.Uses, p.Number)
	}
}

// One row far out in all columns does not make them linear in each other.
func TestFarRowIsNotLinear(t *testing.T) {
	set := blobs(4, 120, 3, 2, 3)
	for _, column := range set.columns {
		column[5] = 1e9
	}
	for at, use := range tables.FitEncoder(tableOf(set.columns)).Uses {
		if use != tables.Number {
			t.Errorf("column %d is used as %s", at, use)
		}
	}
}
