package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
)

// chosen is what the tests read of a clustering without --model.
type chosen struct {
	Model  string
	ARI    float64
	Labels []int32
	Choice []clustering.Choice
}

func chosenFor(t *testing.T, path string, more ...string) (c chosen) {
	t.Helper()
	code, stdout, stderr := clusters(append([]string{"--json", "--quiet", path}, more...)...)
	if code != 0 {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	must.M(json.Unmarshal([]byte(stdout), &c))
	return c
}

// planeOf writes three clusters of 40 points of the plane, far apart, each stretched along one axis, and what they are.
func planeOf(w workplace, name string, stretch float64) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows strings.Builder
	rows.WriteString("x,y,species\n")
	for i := range 120 {
		k := i % 3
		x, y := rng.NormFloat64()*stretch, rng.NormFloat64()
		if k == 1 {
			x, y = y, x
		}
		fmt.Fprintf(&rows, "%.3f,%.3f,%d\n", x+float64(12*k*int(math.Ceil(stretch/2))), y+float64(9*(k%2)), k)
	}
	return w.write(name, rows.String())
}

// Where Gaussian clusters of any shape describe a table, their exact posterior is taken, and the report says so.
func TestTablesFindTheirModel(t *testing.T) {
	c := chosenFor(t, "--samples", "100", penguins)
	if c.Model != root.ModelExact || c.ARI < 0.9 || len(c.Choice) != 1 || !c.Choice[0].Taken {
		t.Errorf("model %q, ARI %v, choice %v", c.Model, c.ARI, c.Choice)
	}
	_, text, _ := clusters("--quiet", "--samples", "100", penguins)
	if want := "chosen, as " + c.Choice[0].Why; !strings.Contains(text, want) {
		t.Errorf("the report lacks %q:\n%s", want, text)
	}
	if c := chosenFor(t, penguins, "--decode", "greedy"); c.Model != tableModel || c.Choice != nil {
		t.Errorf("greedy labels: model %q, choice %v", c.Model, c.Choice)
	}
}

// score takes any table, too: it is the network's that cluster falls back to.
func TestScoreTakesTables(t *testing.T) {
	var out, diagnostics strings.Builder
	args := []string{"gfncp", "score", penguins, "--labels", "species", "--orders", "2", "--backend", "go", "--json"}
	if code := run(args, &out, &diagnostics); code != 0 {
		t.Fatalf("exit %d, stderr %q", code, diagnostics.String())
	}
	var r struct {
		Model   string
		K       int
		LogProb []float64 `json:"log_prob"`
	}
	must.M(json.Unmarshal([]byte(out.String()), &r))
	if r.Model != tableModel || r.K != 3 || len(r.LogProb) != 2 || !(max(r.LogProb[0], r.LogProb[1]) < 0) ||
		!(min(r.LogProb[0], r.LogProb[1]) > -100) {
		t.Errorf("%+v", r)
	}
}

// Where they do not, the network of tables is asked.
func TestTablesFallBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	var rows strings.Builder
	rows.WriteString("a,b,colour\n")
	for i := range 90 {
		fmt.Fprintf(&rows, "%.2f,%.2f,%s\n", rng.NormFloat64(), rng.NormFloat64(), []string{"red", "blue", "grey"}[i%3])
	}
	w := newWorkplace(t)
	c := chosenFor(t, w.write("colours.csv", rows.String()))
	if c.Model != tableModel || len(c.Choice) != 2 || c.Choice[0].Taken || !c.Choice[1].Taken {
		t.Errorf("model %q, choice %v", c.Model, c.Choice)
	}
}

// Round clusters of the plane are the mixtures' network's, long ones are not, in whatever units.
func TestPlaneFindsItsModel(t *testing.T) {
	w := newWorkplace(t)
	for _, of := range []struct {
		stretch float64
		model   string
	}{{1, defaultModel}, {6, root.ModelExact}} {
		c := chosenFor(t, planeOf(w, fmt.Sprintf("plane%g.csv", of.stretch), of.stretch))
		if c.Model != of.model || c.ARI < 0.95 {
			t.Errorf("stretched %g times: model %q, ARI %v, choice %v", of.stretch, c.Model, c.ARI, c.Choice)
		}
		if !slices.ContainsFunc(c.Choice, func(o clustering.Choice) bool { return o.Taken && o.Model == c.Model }) {
			t.Errorf("choice %v lacks %s", c.Choice, c.Model)
		}
	}
}
