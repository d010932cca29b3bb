package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// clusters runs the command with no model but what the arguments name.
func clusters(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	code = run(append([]string{"gfncp", "cluster", "--backend", "go", "--samples", "15"}, args...), &out, &diagnostics)
	return code, out.String(), diagnostics.String()
}

const penguins = "../../examples/penguins.csv"

// A table of more columns than two goes without a network by itself, and says so; its clusters are the species.
func TestTablesAreClusteredExactly(t *testing.T) {
	code, stdout, stderr := clusters("--json", penguins)
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	var out struct {
		Model string
		ARI   float64
		Notes []string
	}
	must.M(json.Unmarshal([]byte(stdout), &out))
	if out.Model != exactModel || out.ARI < 0.9 || !strings.Contains(strings.Join(out.Notes, "\n"), "--model exact") {
		t.Errorf("model %q, ARI %v, notes %q", out.Model, out.ARI, out.Notes)
	}
	_, text, _ := clusters("--quiet", penguins)
	for _, want := range []string{"from many small clusters", "ARI 0.9", "model exact, seed 1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// Units, categories and gaps are the encoding's to deal with. Points of the plane stay with the mixtures' network.
func TestExactTakesMixedTables(t *testing.T) {
	w := newWorkplace(t)
	var rows strings.Builder
	rows.WriteString("width,height,colour\n")
	for i := range 24 {
		red, blue := []string{"1.0", "1.1", "", "0.9"}[i%4], []string{"7", "7.1"}[i%2]
		rows.WriteString(red + ",2e6,red\n" + blue + ",1e6,blue\n")
	}
	path := w.write("mixed.csv", rows.String())
	code, stdout, stderr := clusters("--json", "--model", exactModel, path)
	var out struct {
		Labels []int32
		Notes  []string
	}
	if code != 0 {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	must.M(json.Unmarshal([]byte(stdout), &out))
	for i, l := range out.Labels {
		if (l == out.Labels[1]) != (i%2 == 1) { // the gaps may be a cluster of their own
			t.Fatalf("row %d is in cluster %d: %v", i, l, out.Labels)
		}
	}
	if notes := strings.Join(out.Notes, "\n"); !strings.Contains(notes, "colour") || !strings.Contains(notes, "width") {
		t.Errorf("notes %q", out.Notes)
	}
	if code, stdout, stderr := clusters("--json", "--quiet", w.points, "--columns", "x,y"); code != 0 ||
		!strings.Contains(stdout, `"model": "`+defaultModel) {
		t.Errorf("points of the plane: exit %d, %q, %.200s", code, stderr, stdout)
	}
}

// What exact sampling cannot do is told in one line, before any work.
func TestExactFaults(t *testing.T) {
	w := newWorkplace(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{penguins, "--save", w.path("c.json")}, "leave --save out"},
		{[]string{penguins, "--scale", "2"}, "leave --scale out"},
		{[]string{penguins, "--decode", "greedy"}, "use vi or binder"},
		{[]string{penguins, "--samples", "0"}, "raise --samples"},
		{[]string{penguins, "--refine", "none"}, "--refine"},
	} {
		code, stdout, stderr := clusters(test.args...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit %d, stdout %.80q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
}
