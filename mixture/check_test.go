package mixture

import (
	"context"
	"flag"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

var checkSets = flag.Int("checksets", 2, "sets of each kind that are checked; 8 for the numbers in docs")

// shaped draws n rows of some clusters of one size, by a law that writes row i, of cluster k, over the one before.
func shaped(name string, rng em.Random, n, dim, number int, law func(rng em.Random, i, k int, row []float64)) drawn {
	set := drawn{name: name, columns: make([][]float64, dim), number: number}
	row := make([]float64, dim)
	for i := range n {
		k := i * number / n
		law(rng, i, k, row)
		set.truth = append(set.truth, int32(k))
		for d, x := range row {
			set.columns[d] = append(set.columns[d], x)
		}
	}
	return set
}

// fourBlobs are blobs with drawn centres, a few of which overlap.
func fourBlobs(seed uint64) drawn {
	var centres [8]float64
	return shaped("four blobs", em.NewRandom(seed, 8), 200, 2, 4, func(rng em.Random, i, k int, row []float64) {
		for j := range centres {
			if i == 0 {
				centres[j] = 5 * rng.NormFloat64()
			}
		}
		for d := range row {
			row[d] = centres[2*k+d] + rng.NormFloat64()
		}
	})
}

// right returns sets that the mixture describes. wrong returns sets that it cuts into pieces; they have no true labels.
func right(seed uint64) []drawn {
	return []drawn{
		tBlobs(seed), one("one Gaussian", seed, 150, 0, 1, 0.9), nested(seed), fourBlobs(seed),
		rare(seed, 2, 8),
	}
}

func wrong(seed uint64) []drawn {
	return []drawn{
		lognormal(seed),
		shaped("moons", em.NewRandom(seed, 8), 300, 2, 2, func(rng em.Random, i, _ int, row []float64) {
			side, angle := float64(i%2), math.Pi*rng.Float64()
			row[0] = math.Cos(angle)*(1-2*side) + side + 0.1*rng.NormFloat64()
			row[1] = math.Sin(angle)*(1-2*side) + 0.5*side + 0.1*rng.NormFloat64()
		}),
		shaped("ring", em.NewRandom(seed, 8), 300, 2, 1, func(rng em.Random, _, _ int, row []float64) {
			angle := 2 * math.Pi * rng.Float64()
			row[0] = math.Cos(angle) + 0.1*rng.NormFloat64()
			row[1] = math.Sin(angle) + 0.1*rng.NormFloat64()
		}),
		shaped("uniform", em.NewRandom(seed, 8), 300, 2, 1, func(rng em.Random, _, _ int, row []float64) {
			row[0], row[1] = rng.Float64(), rng.Float64()
		}),
		shaped("exponential", em.NewRandom(seed, 8), 300, 2, 1, func(rng em.Random, _, _ int, row []float64) {
			row[0], row[1] = rng.ExpFloat64(), rng.ExpFloat64()
		}),
		shaped("skewed blobs", em.NewRandom(seed, 8), 240, 2, 3, func(rng em.Random, i, _ int, row []float64) {
			for d := range row {
				row[d] = rng.Gamma(1.5) + 8*float64(i%3*(1-d)) + 8*float64(i%3%2*d)
			}
		}),
		shaped("many counts", em.NewRandom(seed, 8), 200, 26, 1, func(rng em.Random, _, _ int, row []float64) {
			size := math.Exp(0.4 * rng.NormFloat64())
			for d := range row {
				row[d] = math.Round(rng.Gamma(2 + 40*size/float64(d+1)))
			}
		}),
		shaped("walk", em.NewRandom(seed, 8), 200, 2, 1, func(rng em.Random, _, _ int, row []float64) {
			for d := range row {
				row[d] += rng.NormFloat64()
			}
		}),
	}
}

type alarms struct{ sets, any, valley, order, humps, right, anyOrRight int }

// add samples a set, checks it and counts.
func (a *alarms) add(t *testing.T, set drawn) {
	table := tableOf(set.columns)
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 4e5}))
	began := cputime.Process()
	c := p.Fit.Check(table, p.Counted, 1)
	valley, order, humps := len(c.Unseparated()) > 0, c.Alike(), len(c.Humps) > 0
	doubt := valley || order || humps
	for _, one := range []struct {
		found bool
		count *int
	}{
		{valley, &a.valley},
		{order, &a.order},
		{humps, &a.humps},
		{doubt, &a.any},
		{p.Number == set.number, &a.right},
		{true, &a.sets},
		{doubt || p.Number == set.number, &a.anyOrRight},
	} {
		if one.found {
			*one.count++
		}
	}
	t.Logf("%-13s K %d of %d, groups %v, order %.4f, %.2f s", set.name, p.Number, set.number, c.Groups, c.Order,
		cputime.Process()-began)
}

// itemTable draws n rows of items of two levels; trait tells of a row how probable the first level of each item is.
func itemTable(seed uint64, n, items int, trait func(row, item int) float64) tables.Table {
	t, rng := tables.Table{Rows: n}, em.NewRandom(seed, 12)
	for q := range items {
		codes := make([]int32, n)
		for i := range codes {
			if rng.Float64() > trait(i, q) {
				codes[i] = 1
			}
		}
		t.Categories = append(t.Categories, tables.Category{Codes: codes, Levels: 2})
	}
	return t
}

// In a table of categories alone the steps of one trait have no valley between them, and classes do.
func TestValleysOfCategories(t *testing.T) {
	short.Skip(t, "samples many sets")
	const n, seed = 600, 0
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	rng := em.NewRandom(seed, 13)
	ability := make([]float64, n)
	for i := range ability {
		ability[i] = 1.5 * rng.NormFloat64()
	}
	for _, c := range []struct {
		name     string
		items    int
		separate bool
		trait    func(row, item int) float64
	}{
		{"one trait", 12, false, func(row, item int) float64 {
			return logistic(ability[row] - float64(item-6)/4)
		}},
		{"one trait", 20, false, func(row, item int) float64 {
			return logistic(ability[row] - float64(item-10)/6)
		}},
		{"steps of one scale", 8, false, func(row, item int) float64 {
			return logistic(5 * (ability[row]/1.5 - float64(item)*3/7 + 1.5))
		}},
		{"two classes", 8, true, func(row, _ int) float64 { return 0.2 + 0.6*float64(row%2) }},
		{"three classes", 12, true, func(row, item int) float64 {
			return 0.15 + 0.7*float64(min(1, (row%3+item)%3))
		}},
		{"levels of one scale, far apart", 30, true, func(row, _ int) float64 {
			return 0.1 + 0.4*float64(row%3)
		}},
	} {
		p := must.M1(Sample(t.Context(), itemTable(seed, n, c.items, c.trait), Options{Seed: 1}))
		groups := p.Checks.Separated
		t.Logf("%s of %d items: K %d, %d groups", c.name, c.items, p.Number, groups)
		if (groups == p.Number) != c.separate || p.Number == 1 {
			t.Errorf("%s of %d items: %d clusters in %d groups", c.name, c.items, p.Number, groups)
		}
	}
}

func TestSizeAndPower(t *testing.T) {
	short.Skip(t, "samples many sets")
	const first = 11 // seed
	var size alarms
	power := map[string]*alarms{}
	for seed := range uint64(*checkSets) {
		for _, set := range right(first + seed) {
			size.add(t, set)
		}
		for _, set := range wrong(first + seed) {
			if power[set.name] == nil {
				power[set.name] = &alarms{}
			}
			power[set.name].add(t, set)
		}
	}
	t.Logf("size: %+v", size)
	if size.any > 1+size.sets/32 {
		t.Errorf("%d of %d right sets are doubted", size.any, size.sets)
	}
	for name, a := range power {
		t.Logf("power: %-13s %+v", name, *a)
		if a.anyOrRight < a.sets-1 {
			t.Errorf("%s: %d of %d wrong sets are found, or right", name, a.anyOrRight, a.sets)
		}
	}
}

// A column with two groups of rows of one cluster is named. With a cluster each, none is.
func TestHumps(t *testing.T) {
	set, rng := inTurn("two groups", 100, 2), em.NewRandom(3, 1)
	for d := range 2 {
		set.beside(func(row int) float64 { return rng.NormFloat64() + 8*float64(d*row%2) })
	}
	table := tableOf(set.columns)
	e := tables.FitEncoder(table)
	humps := func(labels []int32, number int) []fit.Hump {
		f := fit.New(table, e, em.Fit(e.Encode(table, true), labels, nil, number, math.Inf(1)))
		return f.Check(table, slices.Repeat([]bool{true}, number), 1).Humps
	}
	if got := humps(make([]int32, 100), 1); !slices.Equal(got, []fit.Hump{{Cluster: 0, Column: 1}}) {
		t.Errorf("one cluster: humps %v", got)
	}
	if got := humps(set.truth, 2); got != nil {
		t.Errorf("two clusters: humps %v", got)
	}
}

// Gaps, categories and many columns: the same answer for a seed, nothing doubted, the table untouched; large tables
// cost no more.
func TestCheckMixed(t *testing.T) {
	table, _ := mixedTable(1)
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 4e5}))
	before := slices.Clone(table.Numbers)
	c := p.Fit.Check(table, p.Counted, 1)
	if !reflect.DeepEqual(c, p.Checks) {
		t.Errorf("one seed gives %+v and %+v", c, p.Checks)
	}
	if c.Separated != p.Number || c.Alike() {
		t.Errorf("%d clusters, %+v", p.Number, c)
	}
	for i, x := range before {
		if x != table.Numbers[i] && !math.IsNaN(x) {
			t.Fatal("the check changed the table")
		}
	}
}

// Two clusters at one place that differ in a category alone are separated; of categories alone all are.
func TestCategoriesSeparate(t *testing.T) {
	table := tables.Table{Rows: 200, Categories: []tables.Category{{Levels: 2}, {Levels: 2}}}
	rng := em.NewRandom(1, 10)
	p := &Posterior{Counted: []bool{true, true}}
	for i := range table.Rows {
		table.Numbers = append(table.Numbers, rng.NormFloat64())
		for q := range table.Categories {
			table.Categories[q].Codes = append(table.Categories[q].Codes, int32(i%2))
		}
		p.Labels = append(p.Labels, int32(i%2))
	}
	for range 3 {
		e := tables.FitEncoder(table)
		p.Fit = fit.New(table, e, em.Fit(e.Encode(table, true), p.Labels, nil, len(p.Counted), math.Inf(1)))
		if c := p.Fit.Check(table, p.Counted, 1); c.Separated != 2 {
			t.Errorf("%d clusters: %+v", len(p.Counted), c)
		}
		if table.Numbers == nil { // another cluster, without a row that is most probable in it
			p.Labels[0], p.Labels[2], p.Counted = 2, 2, append(p.Counted, true)
		}
		table.Numbers = nil
	}
}
