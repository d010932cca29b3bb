package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

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

// The rows whose given labels or pairs contradict the table are named, and no others.
func TestDisputed(t *testing.T) {
	short.Skip(t, "takes seconds")
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
		given           []int32
		together, apart [][2]int
		want            []int
	}{
		{right, nil, nil, nil},
		{given, nil, nil, wrong},
		{nil, [][2]int{{0, 1}}, [][2]int{{1, 179}}, nil},
		{nil, [][2]int{{0, 179}}, nil, []int{179}},
		{nil, nil, [][2]int{{0, 1}}, []int{0, 1}},
	} {
		o := Options{Seed: 1, Known: Known{Given: c.given, Together: c.together, Apart: c.apart}}
		if p := must.M1(Sample(t.Context(), tableOf(set.columns), o)); !slices.Equal(p.Disputed, c.want) {
			t.Errorf("disputed rows %v, want %v", p.Disputed, c.want)
		}
	}
}

const knownSweeps = 5000 // of each kind of knowledge; 40,000 by hand

// The posterior under all kinds of knowledge agrees with the enumeration of the partitions that it allows, half
// of them with scales of their own. Kinds of the same rows share the marginals of sets of rows.
func TestKnowledgeEnumerated(t *testing.T) {
	short.Skip(t, "samples long chains")
	apart := [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 5}}
	marginals := map[bool]map[int]float64{false: {}, true: {}}
	for name, known := range map[string]Known{
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
	} {
		t.Run(name, func(t *testing.T) {
			categories := len(name)%2 == 0
			r := sevenRows(categories)
			knowledge := must.M1((&Options{Known: known}).know(r.N))
			c := newChain(r, &knowledge, make([]int32, r.N), gaussian, em.NewRandom(12, 3))
			c.held = true
			c.law.scaled = categories // in two columns, too
			demandEnumerated(t, c, marginals[categories], knownSweeps)
		})
	}
}

// answers returns the answers to six questions, yes or no, of a thousand people of two kinds: as a row for each person,
// and as a row with its count for each pattern. of is the pattern of each person.
func answers() (people, patterns tables.Table, of []int, counts []float64) {
	rng := rand.New(rand.NewPCG(2, 0))
	people = tables.Table{Rows: 1000, Categories: slices.Repeat([]tables.Category{{Levels: 2}}, 6)}
	var firsts []int
	seen := map[int]int{}
	for i := range people.Rows {
		kind, pattern := rng.Float64() < 0.4, 0
		for q := range people.Categories {
			code := int32(0)
			if (rng.Float64() < 0.85) == kind {
				code = 1
			}
			people.Categories[q].Codes = append(people.Categories[q].Codes, code)
			pattern = 2*pattern + int(code)
		}
		at, known := seen[pattern]
		if !known {
			at = len(firsts)
			seen[pattern], firsts, counts = at, append(firsts, i), append(counts, 0)
		}
		counts[at]++
		of = append(of, at)
	}
	return people, people.Pick(firsts), of, counts
}

// A row of weight 3 is three equal rows: counts of patterns have the two clusters that the people have.
func TestWeights(t *testing.T) {
	short.Skip(t, "takes seconds")
	people, patterns, of, counts := answers()
	a := must.M1(Sample(context.Background(), people, Options{Seed: 1}))
	b := must.M1(Sample(context.Background(), patterns, Options{Seed: 1, Known: Known{Weights: counts}}))
	if a.Number != 2 || b.Number != 2 || len(b.Labels) != patterns.Rows || len(b.Draws[0]) != patterns.Rows {
		t.Fatalf("%d clusters of people, %d of patterns", a.Number, b.Number)
	}
	for k, p := range a.NumberProbs {
		if math.Abs(p-b.NumberProbs[k]) > 0.15 { // other random numbers
			t.Errorf("P(%d) is %.3f of people, %.3f of patterns", k, p, b.NumberProbs[k])
		}
	}
	agree(t, "people and patterns", a.Labels, em.Pick(b.Labels, of), 0.95)
}

// Weights and knowledge go together: copies of a row of a pair share its label.
func TestWeightsWithKnowledge(t *testing.T) {
	_, patterns, _, counts := answers()
	given := slices.Repeat([]int32{-1}, patterns.Rows)
	given[0], given[1], given[2] = 0, 1, 0
	known := Known{Weights: counts, Given: given, Together: [][2]int{{3, 4}}, Apart: [][2]int{{0, 5}}}
	o := Options{Seed: 1, Known: known, Work: 1e5}
	p := must.M1(Sample(context.Background(), patterns, o))
	for _, l := range append(p.Draws, p.Labels) {
		if l[0] == l[1] || l[0] != l[2] || l[3] != l[4] || l[0] == l[5] {
			t.Fatalf("labels %v", l[:6])
		}
	}
}

// Equal rows of numbers that are not rounded tell no more than one.
func TestWeightsOfUnrounded(t *testing.T) {
	table := tableOf(blobs(3, 90, 2, 3, 6).columns)
	weights := slices.Repeat([]float64{1, 2, 3}, 30)
	a := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 1e5}))
	b := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 1e5, Known: Known{Weights: weights}}))
	if a.Copies != 0 || b.Copies != 90 || !reflect.DeepEqual(a.Draws, b.Draws) {
		t.Errorf("%d and %d copies; other draws", a.Copies, b.Copies)
	}
}

// What cannot be is one line that names the rows, before any sampling.
func TestContradictions(t *testing.T) {
	table := tableOf(sevenRows(false).Columns)
	table.Numbers[4] = math.NaN() // of row 3
	pair := func(i, j int) [][2]int { return [][2]int{{i, j}} }
	for want, known := range map[string]Known{
		"row 1 and row 2 are to be apart, and together": {Together: [][2]int{{1, 4}, {4, 2}}, Apart: pair(1, 2)},
		"row 0 and row 4 are to be apart, and together": {Given: []int32{0, 0, -1, 0, 1, -1, -1}, Together: pair(1, 4)},
		"row 1 and row 3 are to be apart, and together": {Given: []int32{-1, 5, -1, 5, -1, -1, -1}, Apart: pair(1, 3)},
		"row 5 and row 5 are to be apart":               {Apart: pair(5, 5)},
		"apart hold the pair [2 7]; rows are 0":         {Together: pair(2, 7)},
		"Least is 5, but the most clusters are 4":       {Least: 5, Most: 4},
		"Least is 61":                               {Least: 61},
		"Least is -1":                               {Least: -1},
		"at least 7 clusters of 6 rows":             {Least: 7, Together: pair(0, 1)},
		"at least 8 clusters of 7 rows":             {Least: 8},
		"3 different labels are given":              {Most: 2, Given: []int32{0, 1, 2, -1, -1, -1, -1}},
		"all pairs apart, such as row 2 from row 0": {Most: 2, Apart: [][2]int{{0, 1}, {1, 2}, {2, 0}}},
		"Given has 2 values for 7 rows":             {Given: []int32{0, 1}},
		"Given has label -2 for row 1":              {Given: []int32{0, -2, 0, 0, 0, 0, 0}},
		"Weights have the sum 1.000006e+06":         {Weights: []float64{1e6, 1, 1, 1, 1, 1, 1}},
	} {
		_, err := Sample(context.Background(), table, Options{Known: known})
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
	for _, known := range []Known{
		{},
		{Least: 2, Most: 2},
		{Least: 5, Most: 7},
		{Given: given},
		{Apart: apart, Most: 2},
	} {
		o := Options{Seed: 1, Work: 1e5, Known: known}
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
