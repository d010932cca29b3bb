package drawn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/pelletier/go-toml/v2"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// plain has no ingredient.
func plain() Config { return Config{MaxColumns: 8, MaxK: 6} }

// with is plain with one ingredient in every table.
func with(set func(c *Config)) Config {
	c := plain()
	set(&c)
	return c
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// configs are all ingredients, none, each alone, and each left out.
func configs() map[string]Config {
	all := plain()
	set := func(c *Config, i int, share float64) { reflect.ValueOf(c).Elem().Field(i).SetFloat(share) }
	kind := reflect.TypeFor[Config]()
	const first = 2 // behind MaxColumns and MaxK
	for i := first; i < kind.NumField(); i++ {
		set(&all, i, 1)
	}
	out := map[string]Config{"default": Default(), "none": plain(), "all": all}
	for i := first; i < kind.NumField(); i++ {
		alone, without := plain(), all
		set(&alone, i, 1)
		set(&without, i, 0)
		out[kind.Field(i).Name+" alone"], out["all but "+kind.Field(i).Name] = alone, without
	}
	return out
}

// Of any ingredients, a table has a label for each row, at most MaxK of them, and columns of numbers of mean 0 and
// standard deviation 1, or 0 throughout; indicators of categories have mean 0 and at most that deviation. The same
// generator gives the same table.
func TestTablesOfAllIngredients(t *testing.T) {
	for name, c := range configs() {
		must.M(c.Validate())
		for i, n := range []int{1, 2, 7, 60} {
			table := c.Draw(generator(uint64(i)), n)
			if !reflect.DeepEqual(table, c.Draw(generator(uint64(i)), n)) {
				t.Errorf("%s: the same generator gives another table", name)
			}
			checkTable(t, fmt.Sprintf("%s, %d rows", name, n), c, table, n)
		}
	}
}

func checkTable(t *testing.T, name string, c Config, table Table, n int) {
	t.Helper()
	if len(table.Labels) != n || len(table.X) != n*table.Columns || slices.Min(table.Labels) < 0 ||
		int(slices.Max(table.Labels)) >= c.MaxK {
		t.Fatalf("%s: %d values in %d columns, labels %v", name, len(table.X), table.Columns, table.Labels)
	}
	if c.Categories == 0 && table.Columns > c.MaxColumns {
		t.Errorf("%s: %d columns", name, table.Columns)
	}
	for j := range table.Columns {
		mean, deviation := stat.PopMeanStdDev(column(table, j), nil)
		standard := deviation == 0 || math.Abs(deviation-1) < 1e-9
		if !(math.Abs(mean) < 1e-9) || !standard && (c.Categories == 0 || !(deviation < 1)) {
			t.Errorf("%s: column %d has mean %g and standard deviation %g", name, j, mean, deviation)
		}
	}
}

func column(table Table, j int) []float64 {
	x := make([]float64, len(table.Labels))
	for i := range x {
		x[i] = table.X[i*table.Columns+j]
	}
	return x
}

// average is the mean of a number over the columns of 60 tables of one cluster and 300 rows.
func average(c Config, number func(x []float64) float64) float64 {
	c.MaxK = 1
	sum, count := 0.0, 0.0
	for i := range 60 {
		table := c.Draw(generator(uint64(i)), 300)
		for j := range table.Columns {
			sum, count = sum+number(column(table, j)), count+1
		}
	}
	return sum / count
}

func distinct(x []float64) float64 {
	return float64(len(slices.Compact(slices.Sorted(slices.Values(x)))))
}

// A cluster of a plain table is normal: its columns have neither skewness nor excess of kurtosis, and no value twice.
// Each ingredient that changes columns shows in one of these numbers.
func TestIngredientsOfColumns(t *testing.T) {
	kurtosis := func(x []float64) float64 { return stat.ExKurtosis(x, nil) }
	skewness := func(x []float64) float64 { return math.Abs(stat.Skew(x, nil)) }
	for name, test := range map[string]struct {
		config Config
		number func([]float64) float64
		plain  [2]float64 // bounds without the ingredient
		with   [2]float64 // and with it
	}{
		"tails":      {with(func(c *Config) { c.Tails = 1 }), kurtosis, [2]float64{-0.1, 0.1}, [2]float64{0.5, 20}},
		"outliers":   {with(func(c *Config) { c.Outliers = 1 }), kurtosis, [2]float64{-0.1, 0.1}, [2]float64{0.5, 20}},
		"skewed":     {with(func(c *Config) { c.Skewed = 1 }), skewness, [2]float64{0, 0.2}, [2]float64{0.7, 5}},
		"discrete":   {with(func(c *Config) { c.Discrete = 1 }), distinct, [2]float64{300, 300}, [2]float64{120, 200}},
		"categories": {with(func(c *Config) { c.Categories = 1 }), distinct, [2]float64{300, 300}, [2]float64{2, 200}},
	} {
		within := func(what string, got float64, bounds [2]float64) {
			if !(got >= bounds[0] && got <= bounds[1]) {
				t.Errorf("%s, %s: %g, want %g to %g", name, what, got, bounds[0], bounds[1])
			}
		}
		within("plain", average(plain(), test.number), test.plain)
		within("with it", average(test.config, test.number), test.with)
	}
}

// Covariances are equal where Tied says so, multiples of the unit matrix where Round does, diagonal where Aligned does,
// and none of that without.
func TestCovariances(t *testing.T) {
	for name, test := range map[string]struct {
		config                Config
		tied, round, diagonal bool
	}{
		"plain":   {config: plain()},
		"tied":    {config: with(func(c *Config) { c.Tied = 1 }), tied: true},
		"round":   {config: with(func(c *Config) { c.Round = 1 }), round: true, diagonal: true},
		"aligned": {config: with(func(c *Config) { c.Aligned = 1 }), diagonal: true},
	} {
		const d = 4
		var covariances []*mat.Dense
		tied, round, diagonal := true, true, true
		for _, m := range test.config.covariances(generator(2), 3, d) {
			var v mat.Dense
			v.Mul(m, m.T())
			for a := range d {
				for b := range d {
					diagonal = diagonal && (a == b || math.Abs(v.At(a, b)) < 1e-12)
					round = round && (a != b || math.Abs(v.At(a, a)-v.At(0, 0)) < 1e-12)
				}
			}
			tied = tied && (covariances == nil || mat.EqualApprox(covariances[0], &v, 1e-12))
			covariances = append(covariances, &v)
		}
		if round = round && diagonal; tied != test.tied || round != test.round || diagonal != test.diagonal {
			t.Errorf("%s: tied %t, round %t, diagonal %t", name, tied, round, diagonal)
		}
	}
}

// Mixed columns are combinations of at most 8 that are drawn, and noise: of 32 columns, these explain most.
func TestMixedColumns(t *testing.T) {
	c := with(func(c *Config) { c.Mixed = 1 })
	labels := make([]int32, 400)
	x := c.clusters(generator(3), labels, 32)
	standardize(x)
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	first, total := 0.0, 0.0
	for i, v := range svd.Values(nil) {
		if total += v * v; i < mostLatent {
			first += v * v
		}
	}
	if !(first > 0.85*total) {
		t.Errorf("%d directions explain %g", mostLatent, first/total)
	}
}

// Without restaurants K is 1 + ⌊M·u^1.3⌋ of the M = 12 clusters there may be, u uniform, so a table has one with
// probability 12^(−1/1.3) = 0.148, and any other number up to M; a restaurant closes at MaxK.
func TestNumbersOfClusters(t *testing.T) {
	c := Config{MaxColumns: 4, MaxK: 12}
	const draws = 3000
	counts := map[int]float64{}
	rng := generator(4)
	for range draws {
		counts[metrics.Clusters(c.partition(rng, 400))] += 1.0 / draws
	}
	want := math.Pow(12, -1/fewness)
	if got := counts[1]; !(math.Abs(got-want) < 4*math.Sqrt(want*(1-want)/draws)) {
		t.Errorf("one cluster has share %g, want %g", got, want)
	}
	if len(counts) != 12 {
		t.Errorf("numbers of clusters: %v", counts)
	}
	c.Process = 1
	for range 200 {
		if k := metrics.Clusters(c.partition(rng, 300)); k < 1 || k > 12 {
			t.Errorf("a restaurant with %d clusters", k)
		}
	}
	if k := metrics.Clusters(c.partition(rng, 1)); k != 1 {
		t.Errorf("one row has %d clusters", k)
	}
}

func TestConfig(t *testing.T) {
	c := Default()
	var back Config
	must.M(toml.Unmarshal(must.M1(toml.Marshal(c)), &back))
	if back != c {
		t.Errorf("%+v came back as %+v", c, back)
	}
	c.MaxColumns, c.MaxK, c.Tails, c.Noise = 33, 0, -0.1, math.NaN()
	err := c.Validate()
	for _, want := range []string{
		"tables.max_columns is 33; set tables.max_columns to 1 to 32", "tables.max_k is 0", "tables.tails is -0.1",
		"tables.noise is NaN; set tables.noise to 0 to 1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("faults %v, want %q", err, want)
		}
	}
}

func fewTables() data.Config {
	c := data.DefaultTables()
	c.Batch, c.NMin, c.NMax = 6, 20, 30
	return c
}

// Every set is a table as a network sees it: canonical labels, centred columns, the ones it has first and zeros behind
// them, rows 8 long in root mean square, fewer columns than rows.
func TestTablesBatchInvariants(t *testing.T) {
	source := must.M1(NewTables(fewTables()))
	sizes, widths := map[int]bool{}, map[int]bool{}
	for step := range 12 {
		b := must.M1(source.Batch(3, step))
		if b.B != 6 || b.N < 20 || b.N > 30 || b.D != data.TableDim || source.Dim() != data.TableDim {
			t.Fatalf("shapes B=%d N=%d D=%d", b.B, b.N, b.D)
		}
		sizes[b.N] = true
		for i := range b.B {
			x, labels := b.Set(i)
			again := append([]int32(nil), labels...)
			if k := partition.Renumber(again); !reflect.DeepEqual(again, labels) || k > fewTables().Tables.MaxK {
				t.Errorf("step %d, table %d: labels %v", step, i, labels)
			}
			widths[checkColumns(t, x, b.N)] = true
		}
	}
	if len(sizes) < 5 || len(widths) < 5 {
		t.Errorf("only %d numbers of rows and %d of columns", len(sizes), len(widths))
	}
}

// checkColumns returns the number of columns that vary.
func checkColumns(t *testing.T, x []float32, n int) (has int) {
	t.Helper()
	total := 0.0
	for j := range data.TableDim {
		sum, squares := 0.0, 0.0
		for i := range n {
			v := float64(x[i*data.TableDim+j])
			sum, squares = sum+v, squares+v*v
		}
		switch {
		case squares > 0 && has == j:
			has++
		case squares > 0:
			t.Errorf("column %d stands behind one of zeros", j)
		}
		if !(math.Abs(sum) < 1e-3) {
			t.Errorf("column %d has sum %g", j, sum)
		}
		total += squares / float64(n)
	}
	if has < 1 || has >= n || !(math.Abs(math.Sqrt(total)-8) < 1e-3) {
		t.Errorf("%d columns, rows of length %g", has, math.Sqrt(total))
	}
	return has
}

// Tables have labels of their own.
func TestTablesShareNothing(t *testing.T) {
	c := data.DefaultTables()
	c.Shared = true
	if _, err := NewTables(c); err == nil {
		t.Error("tables took a shared labelling")
	}
}
