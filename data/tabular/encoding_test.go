package tabular

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/testfiles"
)

var nan = math.NaN()

func encoded(t *Table) (Encoding, []float64) {
	e, _, err := Fit(t, true)
	must.M(err)
	x, _ := applied(e, t)
	return e, x
}

func applied(e Encoding, t *Table) (x []float64, notes []string) {
	narrow, notes, err := e.Apply(t)
	must.M(err)
	for _, v := range narrow {
		x = append(x, float64(v))
	}
	return x, notes
}

const rounding = 1e-6 // of float32

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance) {
			t.Fatalf("%s: number %d is %g, want %g", what, i, got[i], w)
		}
	}
}

// By hand: numbers 1, 3, missing, 8 with median 3; levels b, a, b, missing, where b is most frequent and fills.
func TestEncodingByHand(t *testing.T) {
	table := &Table{Columns: []Column{
		{Name: "x", Kind: Number, Values: []float64{1, 3, nan, 8}},
		{Name: "k", Kind: Category, Values: []float64{0, 1, 0, nan}, Levels: []string{"b", "a", "never"}},
		{Name: "same", Kind: Number, Values: []float64{5, 5, nan, 5}},
		{Name: "empty", Kind: Number, Values: []float64{nan, nan, nan, nan}},
		{Name: "one", Kind: Category, Values: []float64{0, 0, 0, 0}, Levels: []string{"only"}},
	}}
	e, notes, err := Fit(table, true)
	must.M(err)
	if e.Dim() != 3 {
		t.Errorf("rows of %d numbers, want 3: x and two levels of k", e.Dim())
	}
	x, more := applied(e, table)
	wantNotes := []string{
		`columns of one value alone are set apart: "same", "empty", "one"`,
		`missing cells are filled in: "x" (1), "k" (1)`,
	}
	if !slices.Equal(slices.Concat(notes, more), wantNotes) {
		t.Errorf("notes %q and %q", notes, more)
	}
	// x: mean 15/4, variance (2.75² + 0.75² + 0.75² + 4.25²)/4 = 26.75/4. The shares of a and b are 1/4 and 3/4.
	s, a, b := math.Sqrt(26.75/4), 0.5, math.Sqrt(0.75)
	near(t, "encoded", x, []float64{
		-2.75 / s, -a, 1/b - b,
		-0.75 / s, 1/a - a, -b,
		-0.75 / s, -a, 1/b - b,
		4.25 / s, -a, 1/b - b,
	}, rounding)
	raw, _, err := Fit(table, false)
	must.M(err)
	x, _ = applied(raw, table)
	near(t, "not standardized", []float64{x[0], x[9]}, []float64{-2.75, 4.25}, rounding)
}

// By hand: of forty rows one has the level "rare", which counts as two, a twentieth; "usual" is as ever.
func TestRareLevels(t *testing.T) {
	kind := Column{Name: "k", Kind: Category, Values: make([]float64, 40), Levels: []string{"usual", "rare"}}
	kind.Values[7] = 1
	table := &Table{Columns: []Column{kind}}
	_, x := encoded(table)
	p, q := 1.0/40, 39.0/40
	scale := math.Sqrt(20)
	near(t, "a rare row", x[14:16], []float64{(1 - p) * scale, -math.Sqrt(q)}, rounding)
	near(t, "a usual row", x[:2], []float64{-p * scale, 1/math.Sqrt(q) - math.Sqrt(q)}, rounding)
}

// Another file: unknown levels have the indicators of no level, gaps count as the usual value, and notes name both.
func TestApplyToOthers(t *testing.T) {
	e, _ := encoded(&Table{Columns: []Column{
		{Name: "x", Kind: Number, Values: []float64{1, 2, 6}},
		{Name: "k", Kind: Category, Values: []float64{0, 1, 1}, Levels: []string{"a", "b"}},
	}})
	x, notes := applied(e, &Table{Path: "new.csv", Columns: []Column{
		{Name: "k", Kind: Category, Values: []float64{0, 0}, Levels: []string{"z"}},
		{Name: "more", Kind: Number, Values: []float64{7, 7}},
		{Name: "x", Kind: Number, Values: []float64{2, nan}},
	}})
	third := math.Sqrt(1.0 / 3)
	want := -1 / math.Sqrt(14.0/3)
	near(t, "encoded", x, []float64{want, -third, -math.Sqrt2 * third, want, -third, -math.Sqrt2 * third}, rounding)
	if want := []string{
		`column k: 2 rows have a level that the clustering does not know, such as "z"`,
		`missing cells are filled in: "x" (1)`,
	}; !slices.Equal(notes, want) {
		t.Errorf("notes %q", notes)
	}
}

func TestFitFaults(t *testing.T) {
	column := func(name string, values ...float64) Column {
		return Column{Name: name, Kind: Number, Values: values}
	}
	x := column("x", 1, 1e200)
	for want, table := range map[string]*Table{
		"t.csv: all 2 columns are constant; give a column whose values differ": {
			Columns: []Column{column("x", 1, 1), column("y", nan, 2)},
		},
		`t.csv:9: column "x": 1e+200 is too large; scale this column down`: {
			Columns: []Column{x}, Lines: []int{7, 9},
		},
		`t.csv: row 2, column "x": 1e+200 is too large; scale this column down`: {Columns: []Column{x}},
		`t.csv: two columns are named "x"; rename one (or choose by number: FileOptions.Columns, FileOptions.Ignore)`: {
			Columns: []Column{column("x", 1, 2), column("x", 1, 2)},
		},
	} {
		table.Path = "t.csv"
		_, _, err := Fit(table, true)
		testfiles.WantFault(t, err, want)
		if strings.Contains(want, "constant") {
			testfiles.WantFault(t, table.CheckVaries(), want)
		} else if err := table.CheckVaries(); err != nil {
			t.Errorf("%s: CheckVaries says %v", want, err)
		}
	}
}
