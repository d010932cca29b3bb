package mixture

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// size is the number of members, as counted.
func (k *knowledge) size(members []int32) (size float64) {
	for _, row := range members {
		size += k.count(row)
	}
	return size
}

// allows tells whether a partition of t clusters contradicts nothing.
func (k *knowledge) allows(labels []int32, t int) bool {
	if t < k.least || t > k.mostClusters() {
		return false
	}
	for _, unit := range k.units {
		for _, row := range unit.rows {
			if labels[row] != labels[unit.rows[0]] {
				return false
			}
		}
		for _, other := range unit.apart {
			if labels[unit.rows[0]] == labels[k.units[other].rows[0]] {
				return false
			}
		}
	}
	return true
}

// The rows whose given labels contradict the table are named, and no others.
func TestDisputed(t *testing.T) {
	set := blobs(5, 180, 2, 3, 5)
	given := slices.Repeat([]int32{-1}, len(set.truth))
	for i := 0; i < len(given); i += 6 {
		given[i] = set.truth[i]
	}
	right := slices.Clone(given)
	wrong := []int{6, 60, 72, 150}
	for _, i := range wrong {
		given[i] = (given[i] + 1) % 3
	}
	for _, c := range []struct {
		given []int32
		want  []int
	}{{right, nil}, {given, wrong}} {
		p := must.M1(Sample(context.Background(), tableOf(set.columns), Options{Seed: 1, Given: c.given}))
		if !slices.Equal(p.Disputed, c.want) {
			t.Errorf("disputed rows %v, want %v", p.Disputed, c.want)
		}
	}
}

const knownSweeps = 5000 // of each kind of knowledge; 40,000 by hand

// The posterior under all kinds of knowledge agrees with the enumeration of the partitions that it allows, half
// of them with scales of their own. Kinds of the same rows and weights share the marginals of sets of rows.
func TestKnowledgeEnumerated(t *testing.T) {
	if testing.Short() {
		t.Skip("samples long chains")
	}
	apart := [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 5}}
	marginals := map[string]map[int]float64{}
	for name, options := range map[string]Options{
		"two":            {Least: 2, Most: 2},
		"three":          {Least: 3, Most: 3},
		"two to four":    {Least: 2, Most: 4},
		"at least three": {Least: 3},
		"at most two":    {Most: 2},
		"together":       {Together: [][2]int{{0, 4}, {4, 6}, {1, 2}}},
		"apart":          {Apart: apart},
		"apart in two":   {Apart: apart, Most: 2},
		"apart in four":  {Apart: append([][2]int{{5, 6}, {0, 6}}, apart...), Least: 4, Most: 4},
		"given":          {Given: []int32{0, -1, 1, 0, -1, 3, -1}},
		"given, together": {
			Given: []int32{0, -1, -1, -1, -1, 1, -1}, Together: [][2]int{{1, 4}}, Apart: [][2]int{{1, 0}},
		},
		"counts":        {Weights: []float64{3, 1, 1, 2, 1, 5, 1}},
		"parts of rows": {Weights: []float64{.5, 1.7, .2, 1, 2.5, .9, .6}},
		"weights, two, together": {
			Weights: []float64{.5, 2, 1, 1, 3, 1, 1}, Least: 2, Most: 3, Together: [][2]int{{3, 4}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			categories := len(name)%2 == 0
			r := sevenRows(categories)
			r.known = must.M1(options.know(r.n))
			c := newChain(r, make([]int32, r.n), gaussian, newRandom(12, 3))
			c.held = true
			c.law.scaled = categories // in two columns, too
			same := fmt.Sprint(categories, options.Weights)
			if marginals[same] == nil {
				marginals[same] = map[int]float64{}
			}
			demandEnumerated(t, c, marginals[same], knownSweeps)
		})
	}
}

// countedRows returns seven rows with counts, and as many rows as these count, those of one row together.
func countedRows() (few, many *rows) {
	counts := []float64{2, 1, 3, 1, 1, 2, 1}
	few = sevenRows(true)
	few.known = must.M1((&Options{Weights: counts}).know(few.n))
	many = &rows{columns: make([][]float64, 2), codes: make([][]int32, 1), first: few.first}
	var together [][2]int
	for i, count := range counts {
		for copied := range int(count) {
			for d, column := range few.columns {
				many.columns[d] = append(many.columns[d], column[i])
			}
			many.codes[0] = append(many.codes[0], few.codes[0][i])
			if copied > 0 {
				together = append(together, [2]int{many.n - 1, many.n})
			}
			many.n++
		}
	}
	many.known = must.M1((&Options{Together: together}).know(many.n))
	return few, many
}

// The mixture of a point estimate and the law of ν count rows, too.
func TestWeightsInFit(t *testing.T) {
	few, many := countedRows()
	many.known = knowledge{}
	a := fitEM(few, []int32{0, 0, 0, 0, 1, 1, 1}, 2, 4)
	b := fitEM(many, []int32{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, 2, 4)
	near := func(what string, x, y float64) {
		if math.Abs(x-y) > 1e-9*(1+math.Abs(x)) {
			t.Errorf("%s: %g with weights, %g with equal rows", what, x, y)
		}
	}
	for k := range a.components {
		near("weight", a.components[k].logWeight, b.components[k].logWeight)
		near("rows", a.sizes[k], b.sizes[k])
		for i := range a.covariance[k] {
			near("covariance", a.covariance[k][i], b.covariance[k][i])
		}
		for l := range a.components[k].logLevel {
			near("level", a.components[k].logLevel[l], b.components[k].logLevel[l])
		}
	}
}

// A row of weight 3 is three equal rows that are together, with heavy tails as well.
func TestWeightsCountRows(t *testing.T) {
	const sweeps, thin, heavy = 20_000, 4, 2
	few, many := countedRows()
	values := [2]map[string][]float64{{}, {}}
	for s, r := range []*rows{few, many} {
		c := newChain(r, make([]int32, r.n), heavy, newRandom(9, uint64(s)))
		c.held = true
		for sweep := range sweeps {
			if c.sweep(false); sweep%thin != 0 {
				continue
			}
			largest, total, first := 0.0, 0.0, 0.0
			for _, k := range c.clusters {
				largest = max(largest, c.rows.known.size(k.members))
			}
			for i, u := range c.scales {
				if total += u; r.columns[0][i] == r.columns[0][0] {
					first += u
				}
			}
			for name, v := range map[string]float64{
				"clusters": float64(len(c.clusters)), "largest": largest, "density": c.logDensity,
				"u": math.Log(total), "u of row 1": math.Log(first), "u of row 1²": math.Pow(math.Log(first), 2),
			} {
				values[s][name] = append(values[s][name], v)
			}
		}
	}
	for name, a := range values[0] {
		b := values[1][name]
		meanA, sdA := metrics.Summary(a)
		meanB, sdB := metrics.Summary(b)
		drawsA, drawsB := must.M1(metrics.EffectiveSize([][]float64{a})), must.M1(metrics.EffectiveSize([][]float64{b}))
		z := (meanA - meanB) / math.Sqrt(sdA*sdA/drawsA+sdB*sdB/drawsB)
		t.Logf("%-11s z %5.2f: %.4f and %.4f, sd %.3f and %.3f", name, z, meanA, meanB, sdA, sdB)
		if math.Abs(z) > 4 {
			t.Errorf("%s: z = %.2f", name, z)
		}
	}
}

// What cannot be is one line that names the rows, before any sampling.
func TestContradictions(t *testing.T) {
	table := tableOf(sevenRows(false).columns)
	table.Numbers[4] = math.NaN() // of row 3
	pair := func(i, j int) [][2]int { return [][2]int{{i, j}} }
	for want, options := range map[string]Options{
		"row 2 and row 3 are to be apart, and together": {Together: [][2]int{{1, 4}, {4, 2}}, Apart: pair(1, 2)},
		"row 1 and row 5 are to be apart, and together": {Given: []int32{0, 0, -1, 0, 1, -1, -1}, Together: pair(1, 4)},
		"row 2 and row 4 are to be apart, and together": {Given: []int32{-1, 5, -1, 5, -1, -1, -1}, Apart: pair(1, 3)},
		"row 6 and row 6 are to be apart":               {Apart: pair(5, 5)},
		"pair of rows is [3 8]":                         {Together: pair(2, 7)},
		"least clusters is 5":                           {Least: 5, Most: 4},
		"least clusters is 61":                          {Least: 61},
		"least clusters is -1":                          {Least: -1},
		"at least 7 clusters of 6 rows":                 {Least: 7, Together: pair(0, 1)},
		"at least 8 clusters of 7 rows":                 {Least: 8},
		"3 different labels are given":                  {Most: 2, Given: []int32{0, 1, 2, -1, -1, -1, -1}},
		"no 2 clusters were found":                      {Most: 2, Apart: [][2]int{{0, 1}, {1, 2}, {2, 0}}},
		"given labels is 2":                             {Given: []int32{0, 1}},
		"given label of row 2 is -2":                    {Given: []int32{0, -2, 0, 0, 0, 0, 0}},
		"weights is 1":                                  {Weights: []float64{1}},
		"weight of row 3 is -1":                         {Weights: []float64{1, 1, -1, 1, 1, 1, 1}},
		"weight of row 1 is NaN":                        {Weights: []float64{math.NaN(), 1, 1, 1, 1, 1, 1}},
		"above 0; leave the row out":                    {Weights: make([]float64, 7)},
		"row 3 has a missing cell and weight 2":         {Weights: []float64{1, 1, 2, 1, 1, 1, 1}},
	} {
		_, err := Sample(context.Background(), table, options)
		if !usererr.Is(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The answer obeys the knowledge about many rows. One seed gives the same answer for every number of cores.
func TestKnowledge(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set := tBlobs(2)
	given := slices.Repeat([]int32{-1}, len(set.truth))
	for i := 0; i < len(given); i += 20 {
		given[i] = set.truth[i]
	}
	apart := [][2]int{{1, 2}, {2, 3}, {3, 4}, {4, 6}, {6, 51}} // against the table: all but the last are of one blob
	for _, o := range []Options{
		{},
		{Least: 2, Most: 2},
		{Least: 5, Most: 7},
		{Given: given},
		{Apart: apart, Most: 2},
	} {
		o.Seed, o.Work = 1, 3e5
		var answers []*Posterior
		for _, cores := range []int{1, 2} {
			runtime.GOMAXPROCS(cores)
			answers = append(answers, must.M1(Sample(context.Background(), tableOf(set.columns), o)))
		}
		p, known := answers[0], must.M1(o.know(len(given)))
		if !reflect.DeepEqual(answers[0], answers[1]) {
			t.Errorf("%+v: two cores give another answer than one", o)
		}
		for _, labels := range append(p.Draws, p.Labels) {
			if !known.allows(labels, metrics.Clusters(labels)) {
				t.Fatalf("%+v: %d", o, labels)
			}
		}
		for k, probability := range p.NumberProbs {
			if probability > 0 && (k < known.least || k > known.mostClusters()) {
				t.Errorf("P(%d) = %g, want %d to %d clusters", k, probability, known.least, known.most)
			}
		}
	}
}
