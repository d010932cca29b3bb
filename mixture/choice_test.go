package mixture

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// oblique returns clusters that share strong correlations: in blocks of three columns, at .9. Their centres are 7
// standard deviations apart in directions along which the clusters are narrow.
func oblique(seed uint64, dim, number, each int) drawn {
	rng := em.NewRandom(seed, 0)
	blocks := func(row []float64) { // turns independent cells into correlated ones
		common := 0.0
		for d, x := range row {
			if d%3 == 0 {
				common = rng.NormFloat64()
			}
			row[d] = math.Sqrt(0.9)*common + math.Sqrt(0.1)*x
		}
	}
	centres := em.Grid(number, dim)
	for k := range centres {
		for d := range centres[k] {
			centres[k][d] = 1.5 * math.Sqrt(0.1) * rng.NormFloat64()
		}
	}
	return shaped("oblique", rng, number*each, dim, number, func(rng em.Random, _, k int, row []float64) {
		for d := range row {
			row[d] = rng.NormFloat64()
		}
		blocks(row)
		floats.Add(row, centres[k])
	})
}

// Clusters of many columns that are narrow along common oblique axes are found; those with shapes of their own have
// another law.
func TestSharedShape(t *testing.T) {
	short.Skip(t, "takes seconds")
	set := oblique(2, 18, 4, 100)
	p := sampled(t, set, Options{Seed: 1})
	if agree(t, set.name, set.truth, p.Labels, 0.95); p.Ending != Agreement {
		t.Errorf("ended by %s", p.Ending)
	}
	if !testing.Short() {
		for _, seed := range []uint64{1, 3} {
			sampled(t, oblique(seed, 18, 4, 100), Options{Seed: 1})
		}
	}
	table := tableOf(correlated(1, 15, 4, 100).columns)
	if chooseLaw(t.Context(), tables.FitEncoder(table).Encode(table, true), 1) {
		t.Error("clusters with shapes of their own share one")
	}
}

// factors returns clusters whose rows move along common factors, as the answers of people who tend to agree.
func factors(seed uint64, dim, number, each, common int) drawn {
	rng := em.NewRandom(seed, 0)
	loadings, centres := em.Grid(common, dim), em.Grid(number, dim)
	for _, row := range append(loadings, centres...) {
		for d := range row {
			row[d] = rng.NormFloat64()
		}
	}
	return shaped("factors", rng, number*each, dim, number, func(rng em.Random, _, k int, row []float64) {
		factor := make([]float64, common)
		for f := range factor {
			factor[f] = rng.NormFloat64()
		}
		for d := range row {
			row[d] = 1.2*centres[k][d] + 0.5*rng.NormFloat64()
			for f, v := range factor {
				row[d] += v * loadings[f][d]
			}
		}
	})
}

// Clusters with common factors are found. Schwarz's penalty alone left them out: it is too large for few rows.
func TestCommonFactors(t *testing.T) {
	short.Skip(t, "clusters three tables of 30 columns")
	for seed := range uint64(3) {
		set := factors(seed, 30, 3, 120, 4)
		agree(t, fmt.Sprint("seed ", seed), set.truth, sampled(t, set, Options{Seed: 1}).Labels, 0.99)
	}
}

// A chain that stays at one cluster restarts, though Schwarz's penalty hides that two are far better.
func TestSingleRestarts(t *testing.T) {
	short.Skip(t, "takes ten seconds of one core")
	set := wide("batches", 200, 30, 2, 6, 3, 0.86, 2.5)
	if p := sampled(t, set, Options{Seed: 1}); p.Restarts == 0 || p.NumberProbs[2] < 0.95 {
		t.Errorf("%d restarts, P(2) %.2f", p.Restarts, p.NumberProbs[2])
	}
}

// The marginal likelihood of rows in one dimension, whose variance is inverse gamma, is a t distribution's.
func TestLogWishart(t *testing.T) {
	const n, more, v = 3.0, 2.0, 1.7
	x := []float64{0.3, -1.2, 2.5}
	scatter := 0.0
	for _, x := range x {
		scatter += x * x
	}
	df, scale := 2+more, more*v // Σ ~ IW(df, scale), so the rows are t with df degrees of freedom
	want := em.LogGammaFunction((df+n)/2) - em.LogGammaFunction(df/2) - (df+n)/2*math.Log(1+scatter/scale) -
		n/2*math.Log(scale)
	if got := logWishart(1, df, math.Log(scale), n, math.Log(scale+scatter)); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
}

// Of one cluster in one column, logCommon is near the integral over the scale of the variance's prior.
func TestLogCommon(t *testing.T) {
	const steps = 4000
	r := &em.Rows{N: 12, Columns: [][]float64{make([]float64, 12)}, First: []int{0}, Shared: true}
	rng := em.NewRandom(5, 5)
	for i := range r.Columns[0] {
		r.Columns[0][i] = 0.7 + 1.3*rng.NormFloat64()
	}
	c := newChain(r, &knowledge{}, make([]int32, r.N), gaussian, rng)
	c.refreshClusters()
	s, l, want := &c.clusters[0].Summary, c.law, math.Inf(-1)
	for _, kappa := range kappas {
		off := s.Mean[0] - l.centre[0]
		scatter := s.Scatter[0] + between(s, kappa)*off*off
		for _, more := range surplus {
			logs := make([]float64, steps)
			for i := range logs {
				z := 12 * (float64(i)/steps - 0.5)
				scale := more * math.Exp(l.ownScale[0]+l.ownSpread*z)
				logs[i] = -0.5*z*z - 0.5*math.Log(2*math.Pi) + math.Log(12.0/steps) +
					logWishart(1, 2+more, math.Log(scale), s.N, math.Log(scale+scatter))
			}
			want = max(want, 0.5*math.Log(kappa/(kappa+s.N))+floats.LogSumExp(logs))
		}
	}
	want += c.partition.log(1) - math.Log(s.N)
	if got := c.logCommon(); math.Abs(got-want) > 0.1 {
		t.Errorf("%.3f, want %.3f", got, want)
	}
}

var hiddenSets = flag.Int("hiddensets", 3, "tables with hidden groups that are drawn; 30 for the numbers in docs")

// hidden returns 2 to 4 groups of 50 to 200 rows, 5 or 6 standard deviations apart in the first column. The other 8 to
// 25 columns have two common factors.
func hidden(seed uint64) drawn {
	const common = 2
	rng := em.NewRandom(seed, 77)
	number, dim, each, apart := 2+int(seed%3), 9+rng.IntN(18), 50+rng.IntN(151), 5+float64(seed%2)
	loadings := em.Grid(common, dim)
	for _, row := range loadings {
		for d := range row[1:] {
			row[1+d] = rng.NormFloat64()
		}
	}
	return shaped("hidden", rng, number*each, dim, number, func(rng em.Random, _, k int, row []float64) {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		for d := range row {
			row[d] = 0.6*rng.NormFloat64() + a*loadings[0][d] + b*loadings[1][d]
			if d == 0 {
				row[d] = apart*float64(k) + rng.NormFloat64()
			}
		}
	})
}

// Most groups that one column shows are found beside columns with common factors. From random rows no chain finds them.
// The column is named where they are missed.
func TestHidden(t *testing.T) {
	short.Skip(t, "takes seconds")
	const most, clear = 0.75, 0.9 // share of the tables; ARI
	right := 0.0
	for seed := range uint64(*hiddenSets) {
		set := hidden(seed)
		p := must.M1(Sample(t.Context(), tableOf(set.columns), Options{Seed: 1}))
		ari := must.M1(metrics.ARI(set.truth, p.Labels))
		if p.Number == set.number && ari >= clear {
			right++
		} else if !slices.Contains(p.Checks.Humps, fit.Hump{}) {
			t.Errorf("seed %d: humps in %v, want one in the first column", seed, p.Checks.Humps)
		}
		t.Logf("seed %d, %d × %d: K %d for %d, ARI %.3f", seed, len(set.truth), len(set.columns), p.Number, set.number,
			ari)
	}
	if t.Logf("%g of %d are found", right, *hiddenSets); right < most*float64(*hiddenSets) {
		t.Errorf("%g of %d are found", right, *hiddenSets)
	}
}

// A group that is narrow in each of four columns, amid a wide one, is found.
func TestNarrowInside(t *testing.T) {
	short.Skip(t, "takes seconds")
	set, rng := inTurn("narrow", 400, 10), em.NewRandom(1, 1)
	for i := range set.truth {
		set.truth[i] /= 9
	}
	for set.number = 2; len(set.columns) < 4; {
		set.beside(func(row int) float64 { return rng.NormFloat64() * (1 - 0.9*float64(set.truth[row])) })
	}
	agree(t, set.name, set.truth, sampled(t, set, Options{Seed: 1}).Labels, 0.9)
}

// Two groups 6 standard deviations apart along a thin direction of few columns are found.
func TestHiddenInFewColumns(t *testing.T) {
	short.Skip(t, "takes seconds")
	set := shaped("thin", em.NewRandom(2, 0), 500, 6, 2, func(rng em.Random, _, k int, row []float64) {
		row[0] = 0.05*rng.NormFloat64() + 0.3*float64(k)
		for d := range row[1:] {
			row[1+d] = rng.NormFloat64()
			row[0] += row[1+d] / math.Sqrt(5)
		}
	})
	agree(t, "thin", set.truth, sampled(t, set, Options{Seed: 1}).Labels, 0.95)
}

// Directions of least kurtosis show two far groups, and none in normal rows.
func TestRevealed(t *testing.T) {
	set := hidden(3)
	r := tables.FitEncoder(tableOf(set.columns)).Encode(tableOf(set.columns), true)
	agree(t, "two far groups", set.truth, r.Revealed(em.NewRandom(1, 0), 2, MostClusters), 0.8)
	set = hidden(4)
	r = tables.FitEncoder(tableOf(set.columns[1:])).Encode(tableOf(set.columns[1:]), true)
	if labels := r.Revealed(em.NewRandom(1, 0), 2, MostClusters); labels != nil {
		t.Errorf("normal rows have groups: %v", labels)
	}
}
