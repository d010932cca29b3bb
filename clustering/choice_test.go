package clustering

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

// guess is what a model finds: whether its chains agree is whether it explains the points.
type guess struct {
	explains bool
	density  float64
}

func (a guess) LogDensity() float64 { return a.density }

func (a guess) Refinement() *Refinement {
	rhat := 3.0
	if a.explains {
		rhat = 1
	}
	return &Refinement{
		RHatK: &rhat, RHatLogPosterior: &rhat,
		Gaussian: &posterior.GaussianFit{Light: 1, Heavy: 1, Skew: 1, Close: 1, Even: 1, Points: 9, Of: 10},
	}
}

var errRefused = usererr.New("do otherwise", "cannot take them")

// Of several models that explain the points the one with the most probable clustering is taken, then the fallback, then
// the best of those that found something; but what describes the points goes before a fallback that knows only smaller
// sets. Each says why, and faults of users alone lead on.
func TestChooseBest(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name    string
		guesses map[string]guess // of a model that is not there errRefused
		strict  bool
		beyond  bool
		want    string
		taken   []bool
	}{
		{
			"the more probable",
			map[string]guess{"a": {true, -30}, "b": {true, -10}, "c": {}},
			false, false, "b",
			[]bool{false, true},
		},
		{
			"the one that explains",
			map[string]guess{"a": {true, -30}, "b": {false, -10}},
			false, false, "a",
			[]bool{true, false},
		},
		{
			"the fallback",
			map[string]guess{"a": {false, -30}, "c": {false, -50}},
			false, false, "c",
			[]bool{false, false, true},
		},
		{
			"what describes them, where the fallback knows only smaller sets",
			map[string]guess{"a": {false, -30}, "b": {false, -10}, "c": {false, -50}},
			false, true, "b",
			[]bool{false, true},
		},
		{"what was found", map[string]guess{"b": {false, -10}}, false, false, "b", []bool{false, true, false}},
		{"nothing", nil, false, false, "", nil},
		{"refused at once", map[string]guess{"b": {true, -10}}, true, false, "", nil},
	} {
		var asked string
		by := func(model string, _ bool) (guess, error) {
			asked += model
			if a, takes := c.guesses[model]; takes {
				return a, nil
			}
			return guess{}, errRefused
		}
		found, choices, err := ChooseBest(Ways{[]string{"a", "b"}, "c", c.beyond}, c.strict, by)
		if found != c.guesses[c.want] || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, errRefused) {
			t.Errorf("%s: %+v, %v after %s", c.name, found, err, asked)
		}
		var taken []bool
		for _, o := range choices {
			if taken = append(taken, o.Taken); o.Taken != (o.Model == c.want) || o.Why == "" {
				t.Errorf("%s: %v", c.name, o)
			}
		}
		if !slices.Equal(taken, c.taken) {
			t.Errorf("%s: %v", c.name, choices)
		}
		if warned := Unchecked(choices) != ""; warned != (c.want == "c") {
			t.Errorf("%s: that nothing was checked is said: %v", c.name, warned)
		}
	}
	breaks := func(string, bool) (guess, error) { return guess{}, broken }
	if _, _, err := ChooseBest(Ways{Known: []string{"a"}, Fallback: "c"}, false, breaks); !errors.Is(err, broken) {
		t.Errorf("a model that breaks gave %v", err)
	}
	one := func(string, bool) (guess, error) { return guess{}, nil }
	if _, choices, err := ChooseBest(Ways{Fallback: "c"}, false, one); err != nil || choices != nil {
		t.Errorf("one way gave the choices %v, %v", choices, err)
	}
}

// What only a network does is not asked of exact sampling, and what is more than the network of tables knows is said.
func TestWays(t *testing.T) {
	m, o := Candidates{"plane", "table", "exact", 350}, DefaultOptions()
	greedy := o
	greedy.Decode = DecodeGreedy
	for _, c := range []struct {
		plane bool
		n     int
		o     Options
		want  Ways
	}{
		{true, 100, o, Ways{[]string{"plane", "exact"}, "table", false}},
		{true, 351, o, Ways{[]string{"plane", "exact"}, "table", true}},
		{true, 1e6, o, Ways{[]string{"exact"}, "plane", false}},
		{true, 100, greedy, Ways{nil, "plane", false}},
		{false, 350, o, Ways{[]string{"exact"}, "table", false}},
		{false, 1e6, o, Ways{[]string{"exact"}, "table", true}},
		{false, 1e6, greedy, Ways{nil, "table", false}},
	} {
		if w := m.Ways(c.plane, c.n, c.o); !reflect.DeepEqual(w, c.want) {
			t.Errorf("%+v: %+v", c, w)
		}
	}
}
