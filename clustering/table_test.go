package clustering

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/mixture"
	"github.com/gfncp/gfncp/mixture/tables"
)

// mixedTable has three groups of rows in two numbers and a category, with some cells missing, and the groups.
func mixedTable(n int) (*tabular.Table, []int32) {
	rng := rand.New(rand.NewPCG(7, 8))
	t := &tabular.Table{Path: "t.csv", Columns: []tabular.Column{
		{Name: "kind", Kind: tabular.Category, Levels: []string{"c", "a", "b"}},
		{Name: "x", Kind: tabular.Number},
		{Name: "same", Kind: tabular.Number},
		{Name: "y", Kind: tabular.Number},
	}}
	groups := make([]int32, n)
	for i := range n {
		g := i % 3
		groups[i] = int32(g)
		row := []float64{
			float64(g), 1000 + 8*float64(g) + rng.NormFloat64(), 5, 0.01 * (6*float64(g%2) + rng.NormFloat64()),
		}
		if i%11 == 0 {
			row[3] = math.NaN()
		}
		for j, v := range row {
			t.Columns[j].Values = append(t.Columns[j].Values, v)
		}
	}
	return t, groups
}

// rowsOf returns the table of the rows at places.
func rowsOf(t *tabular.Table, places []int) *tabular.Table {
	part := &tabular.Table{Path: t.Path}
	for _, c := range t.Columns {
		all := c.Values
		c.Values = nil
		for _, i := range places {
			c.Values = append(c.Values, all[i])
		}
		part.Columns = append(part.Columns, c)
	}
	return part
}

// mixedResult is what Table says of mixedTable(150).
var mixedResult = sync.OnceValue(func() *Result {
	table, _ := mixedTable(150)
	return must.M1(Table(context.Background(), table, DefaultOptions()))
})

// The groups are found, by columns of any kind; the numbers of the result agree with each other.
func TestTable(t *testing.T) {
	table, groups := mixedTable(150)
	r := mixedResult()
	wantARI(t, groups, r.Labels)
	if r.K != 3 {
		t.Fatalf("K %d, chains %+v", r.K, r.Chains)
	}
	if !r.Chains.Agree || r.Chains.Ending != mixture.Agreement || len(r.Warnings) != 0 {
		t.Errorf("chains %+v, warnings %q", r.Chains, r.Warnings)
	}
	total := 0.0
	for _, k := range r.KPosterior {
		total += k.P
	}
	near(t, "sum of P(K)", total, 1, 1e-9)
	if likeliest(r.KPosterior).K != r.K {
		t.Errorf("K = %d, but P(K) is %v", r.K, r.KPosterior)
	}
	for i, row := range r.Probabilities {
		near(t, "sum of a row's probabilities", floats.Sum(row), 1, 1e-9)
		if own := row[max(int(r.Labels[i]), 0)]; own < 0.5 {
			t.Errorf("row %d is in cluster %d with probability %g", i, r.Labels[i], own)
		}
	}
	uses := map[string]tables.Use{}
	for _, c := range r.Columns {
		uses[c.Name] = c.Use
	}
	if uses["same"] != tables.Constant || uses["kind"] != tables.CategoryOf || uses["x"] == tables.Constant {
		t.Errorf("the columns are used so: %v", uses)
	}
	must.M1(json.Marshal(r))
	again := must.M1(Table(t.Context(), table, DefaultOptions()))
	if !reflect.DeepEqual(r.Labels, again.Labels) || !reflect.DeepEqual(r.KPosterior, again.KPosterior) {
		t.Error("one seed gave two answers")
	}
}

// Values on both sides of a circle's end are one cluster, and further ones join it.
func TestCircles(t *testing.T) {
	short.Skip(t, "clusters seven tables")
	tests := []struct {
		name      string
		kind      tabular.Kind
		low, turn float64
	}{
		{"Longitude", tabular.Number, -180, 360},
		{"wind_direction", tabular.Number, 0, 360},
		{"StartHour", tabular.Number, 0, 24},
		{"windDir_10m", tabular.Number, 0, 360},
		{"x_lon", tabular.Number, -180, 360},
		{"month", tabular.Number, 0, 12},
		{"time", tabular.Time, 0, 24 * 60 * 60},
	}
	for _, test := range tests {
		column := tabular.Column{Name: test.name, Kind: test.kind}
		for i := range 120 { // 4° around the end, and as many a quarter away
			place := float64(i%40)/3600 + float64(i%2)/4 - 1./180
			column.Values = append(column.Values, test.low+test.turn*(place-math.Floor(place)))
		}
		r := must.M1(Table(t.Context(), &tabular.Table{Columns: []tabular.Column{column}}, DefaultOptions()))
		if use := r.Columns[0].Use; r.K != 2 || !strings.Contains(string(use), ", around a circle from ") {
			t.Errorf("%s: K %d, use %q", test.name, r.K, use)
		}
		column.Values = []float64{test.low + test.turn/1000, test.low + test.turn*.999}
		p := must.M1(r.Table.Predict(&tabular.Table{Columns: []tabular.Column{column}}))
		if p.Labels[0] != r.Labels[0] || p.Labels[1] != r.Labels[0] {
			t.Errorf("%s: labels %v", test.name, p.Labels)
		}
	}
	written := []tabular.Column{
		{Name: "lon", Values: []float64{-10, 2, 30}},
		{Name: "lon", Values: []float64{.1, .5, 1, 2}},
		{Name: "hour", Values: []float64{0, 1, 23, 25}},
		{Name: "x_lon", Values: []float64{-1, -2, -3, 1, 2, 3, 60}},
		{Name: "course", Values: []float64{5, 120, 240, 350}},
		{Name: "hours", Values: []float64{0, 1, 23, 24}},
		{Name: "date", Kind: tabular.Time, Values: []float64{0, 1e5, 2e5}},
	}
	for _, column := range written {
		column.Kind = cmp.Or(column.Kind, tabular.Number)
		if first, _ := circleOf(column); first != nil {
			t.Errorf("%s of %v begins at %g", column.Name, column.Values, *first)
		}
	}
}

// Further rows join the clusters of rows like them, whatever the order of columns and levels; a row far from all is in
// none, and its column is named. The fit is the same after its JSON.
func TestTablePredicts(t *testing.T) {
	table, _ := mixedTable(150)
	r := mixedResult()
	var kept TableFit
	must.M(json.Unmarshal(must.M1(json.Marshal(r.Table)), &kept))
	must.M(kept.Check())
	more := rowsOf(table, []int{3, 4, 5, 6})
	slices.Reverse(more.Columns)
	more.Columns[2].Values[3] = 5000 // x
	p := must.M1(kept.Predict(more))
	if !slices.Equal(p.Labels[:3], r.Labels[3:6]) || p.Labels[3] != None || p.NewCluster[3] != 1 || p.K != 3 {
		t.Errorf("labels %v with %v in none, want %v", p.Labels, p.NewCluster, r.Labels[3:6])
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "column x: 1 value is out of the range") {
		t.Errorf("warnings %q", p.Warnings)
	}
	kind := &more.Columns[3]
	kind.Levels = slices.Concat(kind.Levels, []string{"d"})
	kind.Values[1], kind.Values[2] = 3, 3
	p = must.M1(kept.Predict(more))
	if len(p.Warnings) != 2 || !strings.Contains(p.Warnings[0], `column kind: 2 rows have a level`) {
		t.Errorf("warnings of an unknown level %q", p.Warnings)
	}
	more.Columns = more.Columns[1:]
	_, err := kept.Predict(more)
	testfiles.WantUserError(t, err, `no column "y"`)
	kept.Clusters = kept.Clusters[1:]
	if err := kept.Check(); err == nil {
		t.Error("a fit with a label less passes")
	}
}

// A few rows far from all others are in none of the clusters, and not counted in K, also if K has an upper limit.
func TestOutlyingRows(t *testing.T) {
	table, _ := mixedTable(150)
	table.Columns[1].Values[0], table.Columns[1].Values[1] = 9e5, -9e5
	for _, most := range []int{0, 10} {
		o := DefaultOptions()
		o.Most = most
		r := must.M1(Table(t.Context(), table, o))
		if r.K != 3 || r.Outlying != 2 || r.Labels[0] != None || r.Labels[1] != None || r.Groups == nil {
			t.Errorf("at most %d: K %d, %d outlying, labels %v, P(K) %v", most, r.K, r.Outlying, r.Labels[:4],
				r.KPosterior)
		}
	}
}

// Of rows that stand for many, a random subset is sampled: patterns of answers and their counts have the kinds of the
// people that gave them. Of kind a 90 of 100 say yes to each of five questions, of kind b 10.
func TestTableWeights(t *testing.T) {
	table, o := &tabular.Table{Path: "t.csv"}, DefaultOptions()
	kinds := make([]int32, 32)
	for q := range 5 {
		c := tabular.Column{Name: fmt.Sprint("q", q), Kind: tabular.Category, Levels: []string{"no", "yes"}}
		for pattern := range kinds {
			c.Values = append(c.Values, float64(pattern>>q&1))
		}
		table.Columns = append(table.Columns, c)
	}
	for pattern := range kinds {
		yes := bits.OnesCount(uint(pattern))
		kinds[pattern] = int32(yes / 3)
		a, b := math.Pow(9, float64(yes)), math.Pow(9, float64(5-yes))
		o.Weights = append(o.Weights, a+b) // in 100,000 people of each kind
	}
	r := must.M1(Table(t.Context(), table, o))
	wantARI(t, kinds, r.Labels)
	if r.K != 2 || r.Subset == nil || len(r.Labels) != 32 {
		t.Errorf("K %d, subset %v", r.K, r.Subset)
	}
	o.CoClustering = true // its matrix would have the subset's rows alone
	_, err := Table(t.Context(), table, o)
	testfiles.WantUserError(t, err, "CoClustering is not to be had of 200000 points")
	o.Weights[3] = 2.5
	_, err = Table(t.Context(), table, o)
	testfiles.WantUserError(t, err, "weight 2.5 is no count of equal rows")
}

// One heavy row does not drive out the others if equal rows would not come by chance.
func TestUnusedWeights(t *testing.T) {
	x, groups := blobs(75, [2]float64{0, 0}, [2]float64{10, 0}, [2]float64{0, 9})
	var numbers, rounded []float64
	for _, v := range x {
		numbers, rounded = append(numbers, float64(v)), append(rounded, math.Round(float64(v)))
	}
	o := DefaultOptions()
	o.Weights = slices.Repeat([]float64{1}, 75)
	o.Weights[2] = 1e12
	r := must.M1(Table(t.Context(), tabular.Matrix(numbers, 2), o))
	wantARI(t, groups, r.Labels)
	if r.Subset != nil || !strings.Contains(strings.Join(r.Warnings, " "), "the weights are not used") {
		t.Errorf("warnings %v", r.Warnings)
	}
	if _, err := Table(t.Context(), tabular.Matrix(rounded, 2), o); !usererr.Is(err) { // it is nearly all of the table
		t.Error(err)
	}
}

// Of many rows a subset is sampled, and the others are predicted.
func TestTableSubset(t *testing.T) {
	table, groups := mixedTable(2000)
	o := DefaultOptions()
	o.subset = 100
	r := must.M1(Table(t.Context(), table, o))
	wantARI(t, groups, r.Labels)
	if r.K != 3 || len(r.Subset.Points) != 100 || len(r.Probability) != 2000 || r.Uncertainty != nil {
		t.Errorf("K %d, %d rows sampled", r.K, len(r.Subset.Points))
	}
}

// Time ends the sampling, and the answer says so; a cancelled context returns its error.
func TestTableTime(t *testing.T) {
	table, _ := mixedTable(600)
	o := DefaultOptions()
	o.Time = 150 * time.Millisecond
	r, err := Table(t.Context(), table, o)
	if err == nil && r.Chains.Ending == mixture.Deadline && !hasWarning(r.Warnings, "the time ended the sampling") {
		t.Errorf("chains %+v, warnings %q", r.Chains, r.Warnings)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Table(ctx, table, DefaultOptions()); err == nil {
		t.Error("a cancelled context gave no error")
	}
}

func TestTableFaults(t *testing.T) {
	table, _ := mixedTable(30)
	for _, c := range []struct {
		want   string
		change func(*Options, *tabular.Table)
	}{
		{"nothing to cluster in 1 point", func(_ *Options, t *tabular.Table) { *t = *rowsOf(t, []int{0}) }},
		{"all 4 columns are constant", func(_ *Options, t *tabular.Table) { *t = *rowsOf(t, []int{1, 1, 1}) }},
		{`backend "gpu" is unknown`, func(o *Options, _ *tabular.Table) { o.Backend = "gpu" }},
		{"two columns are named", func(_ *Options, t *tabular.Table) { t.Columns[1].Name = "y" }},
		{"column x: +Inf", func(_ *Options, t *tabular.Table) { t.Columns[1].Values[2] = math.Inf(1) }},
	} {
		o, changed := DefaultOptions(), *rowsOf(table, []int{0, 1, 2, 3, 4, 5, 6, 7, 8})
		c.change(&o, &changed)
		_, err := Table(t.Context(), &changed, o)
		testfiles.WantUserError(t, err, c.want)
	}
}
