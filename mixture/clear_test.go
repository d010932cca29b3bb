package mixture

import (
	"context"
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
)

var clearSets = flag.Int("clearsets", 12, "tables of clear clusters that are drawn; 200 for the numbers in docs")

// Of drawn tables with clear clusters nearly all have the true K. An answer far from the truth has a warning, or is not
// sure of its K.
func TestClearClusters(t *testing.T) {
	short.Skip(t, "clusters a dozen tables")
	const far, sure = 0.3, 0.5 // ARI; P(K)
	right, warned := 0, 0
	for seed := range uint64(*clearSets) {
		set := clearClusters(seed)
		p := must.M1(Sample(context.Background(), tableOf(set.columns), Options{Seed: 1}))
		ari, chance := must.M1(metrics.ARI(set.truth, p.Labels)), p.NumberProbs[p.Number]
		warns := !p.Convergence.Agree() || p.Checks.Alike() ||
			len(p.Checks.Unseparated())+len(p.Checks.Ties)+len(p.Checks.Humps) > 0
		switch {
		case p.Number == set.number:
			right++
			continue
		case warns:
			warned++
		case ari < far && chance > sure:
			t.Errorf("seed %d: a wrong answer without a warning", seed)
		}
		t.Logf("seed %d, %s, %d rows: K %d for %d, P %.2f, ARI %.2f, warns %v, %v", seed, set.name, len(set.truth),
			p.Number, set.number, chance, ari, warns, p.Uses)
	}
	t.Logf("K is right for %d of %d tables; %d of the others have a warning", right, *clearSets, warned)
	if right < *clearSets*9/10 {
		t.Errorf("K is right for %d of %d tables, want nine in ten", right, *clearSets)
	}
}

// clearClusters draws a table of 1 to 20 columns and 1 to 7 clusters that are 8 standard deviations apart: round, with
// scales or shapes of their own, or with one oblique shape. It may have columns of noise, rounded or scaled columns,
// gaps, or exponentials of the columns.
func clearClusters(seed uint64) drawn {
	rng := em.NewRandom(seed, 9)
	dim, each := []int{1, 2, 2, 3, 4, 5, 8, 12, 20}[rng.IntN(9)], []int{8, 15, 30, 60, 150}[rng.IntN(5)]
	set := drawn{number: 1 + rng.IntN(7), columns: make([][]float64, dim)}
	shape := []string{"round", "scaled", "full", "shared"}[rng.IntN(4)]
	root := func() []float64 {
		a := make([]float64, dim*dim)
		for i := range a {
			switch diagonal := i%(dim+1) == 0; {
			case shape == "round" && diagonal:
				a[i] = 1
			case shape == "scaled" && diagonal:
				a[i] = math.Exp(0.7 * rng.NormFloat64())
			case shape == "full" || shape == "shared":
				a[i] = rng.NormFloat64() / math.Sqrt(float64(dim))
				if diagonal {
					a[i] += 0.3
				}
			}
		}
		return a
	}
	roots := [][]float64{root()}
	for range set.number - 1 {
		if shape == "shared" {
			roots = append(roots, roots[0])
		} else {
			roots = append(roots, root())
		}
	}
	for k, centre := range apartCentres(rng, roots, dim) {
		for range each {
			set.truth = append(set.truth, int32(k))
			z := make([]float64, dim)
			for d := range z {
				z[d] = rng.NormFloat64()
			}
			for d := range dim {
				set.columns[d] = append(set.columns[d], centre[d]+floats.Dot(roots[k][d*dim:(d+1)*dim], z))
			}
		}
	}
	treatment := set.treat(rng)
	for range []int{0, 0, 0, 1, 2, 5}[rng.IntN(6)] {
		noise := rng.IntN(4)
		set.beside(func(int) float64 {
			return []float64{rng.NormFloat64(), rng.Float64(), rng.ExpFloat64(), float64(rng.IntN(10))}[noise]
		})
	}
	set.name = fmt.Sprintf("%d columns, %s, %s, %d of noise", dim, shape, treatment, len(set.columns)-dim)
	set.shuffle(rng)
	return set
}

// apartCentres draws a centre for each cluster with the covariance root·rootᵀ, 8 standard deviations from the others.
func apartCentres(rng em.Random, roots [][]float64, dim int) (centres [][]float64) {
	const apart = 8
	covariance, delta := make([]float64, dim*dim), make([]float64, dim)
	for spread := 2.0; len(centres) < len(roots); spread *= 1.03 {
		centre, separate := make([]float64, dim), true
		for d := range centre {
			centre[d] = spread * rng.NormFloat64()
		}
		for k, other := range centres {
			clear(covariance)
			em.AddProduct(covariance, 0.5, em.General(roots[k], dim))
			em.AddProduct(covariance, 0.5, em.General(roots[len(centres)], dim))
			em.Cholesky(covariance, covariance, dim)
			em.SolveLower(covariance, floats.SubTo(delta, centre, other))
			separate = separate && floats.Norm(delta, 2) >= apart
		}
		if separate {
			centres = append(centres, centre)
		}
	}
	return centres
}

// treat changes the columns in a way that tables have, and names it.
func (d *drawn) treat(rng em.Random) (name string) {
	name = []string{"plain", "plain", "rounded", "in units", "with gaps", "exponential"}[rng.IntN(6)]
	for _, column := range d.columns {
		unit := math.Pow(10, 4*rng.NormFloat64())
		for i, x := range column {
			switch {
			case name == "rounded":
				column[i] = math.Round(4*x) / 4
			case name == "in units":
				column[i] = unit * x
			case name == "with gaps" && len(d.columns) > 1 && rng.Float64() < 0.04:
				column[i] = math.NaN()
			case name == "exponential":
				column[i] = math.Exp(x / 3)
			}
		}
	}
	return name
}

// shuffle puts the rows into random order.
func (d *drawn) shuffle(rng em.Random) {
	rng.Shuffle(len(d.truth), func(i, j int) {
		d.truth[i], d.truth[j] = d.truth[j], d.truth[i]
		for _, column := range d.columns {
			column[i], column[j] = column[j], column[i]
		}
	})
}
