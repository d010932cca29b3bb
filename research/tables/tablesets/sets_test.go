package tablesets

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// sizes are N, D and the sorted sizes of the classes.
func sizes(s Set) string {
	count := make([]int, s.K())
	for _, c := range s.Labels {
		count[c]++
	}
	slices.Sort(count)
	return fmt.Sprint(len(s.X)/s.D, s.D, count)
}

// The sizes are those that the sources of the sets state.
func TestShipped(t *testing.T) {
	want := map[string]string{
		"iris": "150 4 [50 50 50]", "penguins": "342 4 [68 123 151]", "wine": "178 13 [48 59 71]",
		"breast-cancer": "569 30 [212 357]", "digits": "599 64 [51 56 56 59 59 61 61 63 64 69]",
	}
	all := Shipped()
	for _, s := range all {
		if got := sizes(s); got != want[s.Name] {
			t.Errorf("%s: %s, want %s", s.Name, got, want[s.Name])
		}
	}
	if first := all[0].X[:4]; !slices.Equal(first, []float64{5.1, 3.5, 1.4, 0.2}) || len(all) != len(want) {
		t.Errorf("%d sets; iris begins with %v", len(all), first)
	}
}

func TestPackaged(t *testing.T) {
	sets, err := Packaged(t.Context())
	skipMissing(t, err)
	want := map[string]string{
		"crabs": "200 5 [50 50 50 50]", "glass": "214 9 [9 13 17 29 70 76]", "biopsy": "683 9 [239 444]",
		"banknote": "200 6 [100 100]", "thyroid": "215 5 [30 35 150]", "diabetes": "145 3 [33 36 76]",
		"vehicle": "846 18 [199 212 217 218]", "sonar": "208 60 [97 111]", "ionosphere": "351 34 [126 225]",
		"zoo": "101 16 [4 5 8 10 13 20 41]", "olive": "572 8 [25 33 36 50 50 51 56 65 206]",
	}
	for _, s := range sets {
		if size, known := want[s.Name]; known && sizes(s) != size {
			t.Errorf("%s: %s, want %s", s.Name, sizes(s), size)
		}
		must.M1(s.Standardized())
	}
	if len(sets) != len(packagedNames) {
		t.Errorf("%d sets", len(sets))
	}
}

// Twice the same drawing gives the same bytes, and a set does not depend on how many others are drawn.
func TestDraw(t *testing.T) {
	d := Drawing{Each: 2, Points: [2]int{50, 60}, Seed: 3}
	sets, err := d.Draw(t.Context())
	skipMissing(t, err)
	if again := must.M1(d.Draw(t.Context())); !slices.Equal(must.M1(json.Marshal(sets)),
		must.M1(json.Marshal(again))) {
		t.Error("the same drawing gave other sets")
	}
	kinds := map[string]int{}
	for _, s := range sets {
		kinds[s.Kind]++
		// components have 8 points at least, so that some sets are a little larger than asked for
		if s.N() < 50 || s.N() > 130 || s.D < 2 || s.D > 21 || s.K() < 1 || s.K() > 8 || len(s.X) != s.N()*s.D {
			t.Errorf("%s: %s", s.Name, sizes(s))
		}
	}
	if len(kinds) != 10 || len(sets) != 20 {
		t.Errorf("the kinds are %v", kinds)
	}
	d.Each = 1
	if few := must.M1(d.Draw(t.Context())); !slices.Equal(few[3].X, sets[3].X) {
		t.Error("with one set of each kind the fourth kind's is another one")
	}
	d.Seed = 4
	if other := must.M1(d.Draw(t.Context())); slices.Equal(other[0].X, sets[0].X) {
		t.Error("another seed gave the same set")
	}
}

// By hand: a column of 1, 3 becomes −1, 1, and a constant one is left out.
func TestStandardized(t *testing.T) {
	s := must.M1(Set{D: 3, X: []float64{1, 7, 10, 3, 7, 30}, Labels: []int32{0, 1}}.Standardized())
	if s.D != 2 || !slices.Equal(s.X, []float64{-1, -1, 1, 1}) {
		t.Errorf("it became %v", s)
	}
	for _, set := range Shipped() {
		z := must.M1(set.Standardized())
		if want := map[string]int{"digits": 59}[z.Name]; want > 0 && z.D != want {
			t.Errorf("%s keeps %d columns, want %d", z.Name, z.D, want)
		}
		for j := range z.D {
			var sum, squares float64
			for at := j; at < len(z.X); at += z.D {
				sum, squares = sum+z.X[at], squares+z.X[at]*z.X[at]
			}
			n := float64(z.N())
			if !(math.Abs(sum/n) < 1e-9) || !(math.Abs(squares/n-1) < 1e-9) {
				t.Errorf("%s, column %d: mean %g, variance %g", z.Name, j, sum/n, squares/n)
			}
		}
	}
	if _, err := (Set{D: 1, X: []float64{2, 2}, Labels: []int32{0, 1}}).Standardized(); err == nil {
		t.Error("constant columns alone were standardized")
	}
}

// skipMissing skips a test without an interpreter or its packages.
func skipMissing(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Skip(err)
	}
}
