package mixture

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// A fifth of 60 rows, far away in one of four columns, is a cluster, and so is a seventh in each of six columns.
func TestSmallGroup(t *testing.T) {
	short.Skip(t, "takes seconds")
	for seed := range uint64(3) {
		rng := em.NewRandom(seed, 60)
		set := drawn{name: "a fifth", number: 2, truth: make([]int32, 60)}
		for i := 0; i < len(set.truth); i += 5 {
			set.truth[i] = 1
		}
		for d := range 4 {
			set.beside(func(row int) float64 { return rng.NormFloat64() + float64(6*int(set.truth[row])*(d/3)) })
		}
		sampled(t, set, Options{Seed: 1})
	}
	rng := em.NewRandom(1, 100)
	set := drawn{name: "each in a column of its own", number: 7}
	for i := range 420 {
		set.truth = append(set.truth, int32(i/60))
	}
	for d := range int32(6) {
		set.beside(func(row int) float64 { return rng.NormFloat64() + 5*max(0, 1-math.Abs(float64(set.truth[row]-d))) })
	}
	sampled(t, set, Options{Seed: 1})
}

// inTurn has rows of some clusters in turn, and no columns yet.
func inTurn(name string, n, number int) drawn {
	set := drawn{name: name, number: number, truth: make([]int32, n)}
	for i := range set.truth {
		set.truth[i] = int32(i % number)
	}
	return set
}

// beside adds a column drawn cell by cell.
func (d *drawn) beside(cell func(row int) float64) {
	column := make([]float64, len(d.truth))
	for i := range column {
		column[i] = cell(i)
	}
	d.columns = append(d.columns, column)
}

// Columns without clusters do not move the answer, whatever their shape; counters and keys are told by themselves.
func TestColumnsWithoutClusters(t *testing.T) {
	set := blobs(2, 240, 3, 3, 3.5)
	rng := em.NewRandom(3, 3)
	order := rng.Perm(len(set.truth))
	set.beside(func(int) float64 { return rng.Float64() })
	set.beside(func(int) float64 { return math.Exp(rng.NormFloat64()) })
	set.beside(func(int) float64 { return rng.NormFloat64() / math.Sqrt(rng.Gamma(1)) })
	set.beside(func(int) float64 { return float64(rng.IntN(6)) })
	set.beside(func(row int) float64 { return 1.7e9 + 60*float64(row) })
	set.beside(func(row int) float64 { return 1000 + float64(order[row]) })
	set.beside(func(int) float64 { return float64(rng.IntN(1e12)) })
	table := tableOf(set.columns)
	batch := tables.Category{Codes: make([]int32, table.Rows), Levels: 20}
	for i := range batch.Codes {
		batch.Codes[i] = int32(rng.IntN(20))
	}
	table.Categories = []tables.Category{batch}
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 2e5}))
	want := slices.Concat(
		slices.Repeat([]tables.Use{tables.Number}, 3), slices.Repeat([]tables.Use{tables.NoClusters}, 4),
		[]tables.Use{tables.Counter, tables.Key, tables.Key, tables.NoClusters})
	if ari := must.M1(metrics.ARI(set.truth, p.Labels)); !slices.Equal(p.Uses, want) || p.Number != 3 || ari < 0.97 {
		t.Errorf("K = %d, ARI %.3f, uses %v", p.Number, ari, p.Uses)
	}
}

// Independent columns of one hump each are one cluster, whatever their shape; with two humps they have clusters.
func TestIndependentColumns(t *testing.T) {
	rng := em.NewRandom(6, 6)
	for _, shape := range []struct {
		name   string
		number int
		cell   func(int) float64
	}{
		{"uniform", 1, func(int) float64 { return rng.Float64() }},
		{"t2", 1, func(int) float64 { return rng.NormFloat64() / math.Sqrt(rng.Gamma(1)) }},
		{"two humps", 2, func(row int) float64 { return rng.NormFloat64() + 8*float64(row%2) }},
	} {
		set := drawn{name: shape.name, number: shape.number, truth: make([]int32, 200)}
		set.beside(shape.cell)
		set.beside(func(int) float64 { return rng.NormFloat64() })
		if p := sampled(t, set, Options{Seed: 1, Work: 2e5}); (p.Uses[0] == tables.ByRank) != (shape.number == 1) {
			t.Errorf("%s: uses %v", shape.name, p.Uses)
		}
	}
}

// Of independent categories one is left, and nothing is known of K.
func TestIndependentCategories(t *testing.T) {
	short.Skip(t, "takes seconds")
	rng := em.NewRandom(9, 9)
	table := tables.Table{Rows: 300}
	for _, levels := range []int{2, 3, 4, 3, 2} {
		category := tables.Category{Levels: levels}
		for range table.Rows {
			category.Codes = append(category.Codes, int32(rng.IntN(levels)))
		}
		table.Categories = append(table.Categories, category)
	}
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1}))
	want := append([]tables.Use{tables.Alone}, slices.Repeat([]tables.Use{tables.NoClusters}, 4)...)
	if !slices.Equal(p.Uses, want) {
		t.Errorf("uses %q, want %q", p.Uses, want)
	}
	if one := p.NumberProbs[1]; p.Number != 1 || one > 0.8 || p.Ending != Agreement {
		t.Errorf("K = %d, P(1) %.2f, ended by %s", p.Number, one, p.Ending)
	}
}

// Many columns that tell little each are not set apart: they do not look dependent in pairs, but have the evidence.
func TestWeakColumns(t *testing.T) {
	short.Skip(t, "takes seconds")
	set, rng := inTurn("weak columns", 200, 2), em.NewRandom(7, 7)
	for range 16 {
		set.beside(func(row int) float64 { return rng.NormFloat64() + float64(row%2) })
	}
	sampled(t, set, Options{Seed: 1})
}

// A value far from all others that stands in several columns is found, and taken as missing; one far row is not.
func TestSentinels(t *testing.T) {
	set := blobs(2, 240, 4, 3, 4)
	rng := em.NewRandom(8, 8)
	for _, column := range set.columns[:3] {
		for i := range column {
			if i != 7 && rng.Float64() < 0.05 {
				column[i] = -999
			}
		}
	}
	for _, column := range set.columns {
		column[7] = 1e6
	}
	found := tables.FitEncoder(tableOf(set.columns)).Missing
	if len(found) != 1 || found[0].Value != -999 || len(found[0].Columns) != 3 {
		t.Errorf("found %v, want −999 in columns 0 to 2", found)
	}
	p := sampled(t, set, Options{Seed: 1, Work: 2e5})
	if p.Uses[0] != "number, -999 taken as missing" || p.Uses[3] != tables.Number {
		t.Errorf("uses %v", p.Uses)
	}
	for i, k := range p.Labels {
		if (k == p.Labels[7]) != (i == 7) {
			t.Fatalf("row %d is with the far row", i)
		}
	}
}

// Of counts that are often zero, zero or not is a category.
func TestManyZeros(t *testing.T) {
	short.Skip(t, "samples a table until its forms are chosen")
	set, rng := inTurn("counts", 200, 2), em.NewRandom(9, 9)
	for d := range 6 {
		set.beside(func(row int) float64 {
			if rng.Float64() < 0.3 {
				return 0
			}
			return math.Round(3 * rng.Gamma(2+8*float64((row+d)%2)))
		})
	}
	p := sampled(t, set, Options{Seed: 1, Work: 1e5})
	if agree(t, set.name, set.truth, p.Labels, 0.9); p.Uses[0] != tables.ManyZeros {
		t.Errorf("uses %v", p.Uses)
	}
}

// Clusters in whole numbers are seen, however few different ones there are.
func TestRoundedClusters(t *testing.T) {
	set := tBlobs(1)
	for _, column := range set.columns {
		for i, x := range column {
			column[i] = math.Round(x)
		}
	}
	p := must.M1(Sample(context.Background(), tableOf(set.columns), Options{Seed: 1, Work: 1e5}))
	if ari := must.M1(metrics.ARI(set.truth, p.Labels)); p.Number != 4 || !(ari > 0.8) {
		t.Errorf("K %d, ARI %g, uses %v", p.Number, ari, p.Uses)
	}
}

// Equal rows are a cluster of their own, with a density that has a bound.
func TestEqualRows(t *testing.T) {
	set := blobs(9, 70, 2, 2, 5)
	for range 20 {
		set.columns[0], set.columns[1] = append(set.columns[0], 40.5), append(set.columns[1], 30.25)
		set.truth = append(set.truth, 2)
	}
	for seed := range uint64(3) {
		p := must.M1(Sample(context.Background(), tableOf(set.columns), Options{Seed: seed, Work: 1e5}))
		if ari := must.M1(metrics.ARI(set.truth, p.Labels)); ari < 0.9 || math.IsNaN(p.Convergence.RHatDensity) {
			t.Errorf("seed %d: K = %d, ARI %.3f, R-hat %v", seed, p.Number, ari, p.Convergence.RHatDensity)
		}
	}
}

// Copies of rows say nothing about the width of clusters: three copies of each row leave three clusters.
func TestCopies(t *testing.T) {
	set := blobs(4, 120, 2, 3, 6)
	for d, column := range set.columns {
		set.columns[d] = slices.Concat(column, column, column)
	}
	set.truth = slices.Concat(set.truth, set.truth, set.truth)
	p := sampled(t, set, Options{Seed: 1, Work: 4e5})
	if n := len(set.truth) / 3; p.Copies != 2*n || p.Labels[0] != p.Labels[n] || len(p.Draws[0]) != 3*n {
		t.Errorf("%d copies of %d rows, labels of %d", p.Copies, n, len(p.Draws[0]))
	}
	rounded := slices.Clone(set.columns[0])
	for i, x := range rounded {
		rounded[i] = math.Round(x)
	}
	if _, of := tableOf([][]float64{rounded}).Distinct(); of != nil {
		t.Error("equal rounded numbers are no copies")
	}
}

// Two columns that depend on each other are used, however short they are; one far value does not hide in a column
// without clusters.
func TestShortAndFarColumns(t *testing.T) {
	short.Skip(t, "takes seconds")
	rng := em.NewRandom(7, 7)
	groups := inTurn("12 + 12", 24, 2)
	for range 2 {
		groups.beside(func(row int) float64 { return rng.NormFloat64() + 4.5*float64(row%2) })
	}
	groups.beside(func(int) float64 { return rng.NormFloat64() })
	if p := sampled(t, groups, Options{Seed: 1}); p.Uses[0] != tables.Number || p.Uses[1] != tables.Number {
		t.Errorf("uses %v", p.Uses)
	}
	far := drawn{truth: make([]int32, 150)}
	far.beside(func(row int) float64 { return rng.NormFloat64() + 1e4*float64(max(0, row-148)) })
	far.beside(func(int) float64 { return rng.NormFloat64() })
	p := must.M1(Sample(context.Background(), tableOf(far.columns), Options{Seed: 1}))
	if p.Number != 1 || p.Labels[149] == p.Labels[0] || p.Uses[0] != tables.Number {
		t.Errorf("K = %d, labels %v, uses %v", p.Number, p.Labels[147:], p.Uses)
	}
}

// Five far rows in two of four columns are a cluster; of independent columns no ends meet.
func TestEndsMeet(t *testing.T) {
	rng := em.NewRandom(11, 10)
	set := drawn{name: "five far rows", number: 2, truth: make([]int32, 200)}
	for i := range 5 {
		set.truth[40*i] = 1
	}
	for d := range 4 {
		set.beside(func(row int) float64 { return rng.NormFloat64() + 8*float64(set.truth[row])*float64(1-d/2) })
	}
	want := []tables.Use{tables.Number, tables.Number, tables.NoClusters, tables.NoClusters}
	if p := sampled(t, set, Options{Seed: 1, Work: 2e5}); !slices.Equal(p.Uses, want) {
		t.Errorf("uses %q", p.Uses)
	}
}
