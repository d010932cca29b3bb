package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
)

// clusters runs the command with no model but what the arguments name.
func clusters(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	code = run(append([]string{"gfncp", "cluster", "--backend", "go", "--samples", "15"}, args...), &out, &diagnostics)
	return code, out.String(), diagnostics.String()
}

const penguins = "../../examples/penguins.csv"

// Without a network the clusters of the penguins are the species, too.
func TestTablesAreClusteredExactly(t *testing.T) {
	_, text, _ := clusters("--quiet", "--model", root.ModelExact, "--samples", "100", penguins)
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
	code, stdout, stderr := clusters("--json", "--model", root.ModelExact, path)
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

// A clustering without a network is kept with its encoding, and predicts: the species of birds that it has not seen, in
// columns of any order. What does not go with it is told in one line.
func TestPredictExactly(t *testing.T) {
	w := newWorkplace(t)
	rows := strings.Split(strings.TrimSpace(string(must.M1(os.ReadFile(penguins)))), "\n")
	head := rows[0]
	var known, fresh []string
	for i, row := range rows[1:] {
		if i%4 > 0 {
			known = append(known, row)
			continue
		}
		c := strings.Split(row, ",")
		fresh = append(fresh, strings.Join([]string{c[3], c[2], c[4], c[1], c[0]}, ","))
	}
	table := func(name, head string, rows []string) string {
		return w.write(name, head+"\n"+strings.Join(rows, "\n")+"\n")
	}
	saved := w.path("c.json")
	old := table("known.csv", head, known)
	code, _, stderr := clusters("--quiet", "--model", root.ModelExact, "--refine", "400", "--save", saved, old)
	if code != 0 {
		t.Fatal(stderr)
	}
	turned := "body_mass_g,flipper_length_mm,species,bill_depth_mm,bill_length_mm"
	more := table("more.csv", turned, fresh)
	code, stdout, stderr := predictions("--json", saved, more)
	if code != 0 {
		t.Fatal(stderr)
	}
	var p root.Prediction
	must.M(json.Unmarshal([]byte(stdout), &p))
	var species []int32
	for _, row := range fresh {
		species = append(species, int32(strings.Split(row, ",")[2][0]))
	}
	if pure := purity(p.Labels, species); pure < 0.9 || p.K > 5 || p.Model != root.ModelExact || p.Samples != 15 {
		t.Errorf("purity %v of the species in %d clusters, model %q, %d samples", pure, p.K, p.Model, p.Samples)
	}
	for want, args := range map[string][]string{
		`b.csv: there is no column "body_mass_g", with which the clusters were found`: {
			saved, w.write("b.csv", "bill_length_mm,bill_depth_mm,flipper_length_mm\n1,2,3\n"),
		},
		`t.csv:2: column "flipper_length_mm": "long" is not a number`: {
			saved, table("t.csv", turned, []string{"1,long,x,2,3"}),
		},
		"leave --model out": {saved, "--model", "mog-ncp", more},
	} {
		code, stdout, stderr := predictions(append([]string{"--quiet"}, args...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// Of more rows than are sampled a subset is, by itself, and what is kept predicts with the numbers of the whole file.
func TestManyRowsAreClusteredExactly(t *testing.T) {
	w := newWorkplace(t)
	var text strings.Builder
	text.WriteString("a,b,c\n")
	for i := range 5100 {
		at := float64(i%3*20) + math.Sin(float64(i))
		fmt.Fprintf(&text, "%.4f,%.4f,%.4f\n", at, math.Cos(float64(i*i))-at, math.Sin(float64(7*i+i*i)))
	}
	large, saved := w.write("large.csv", text.String()), w.path("c.json")
	code, report, stderr := clusters("--quiet", "--model", root.ModelExact, "--subset", "120", "--refine", "20",
		"--save", saved, large)
	for _, want := range []string{
		"clustered: 120 of the points, the best of 4 random subsets", "5100 points", "1700",
	} {
		if code != 0 || !strings.Contains(report, want) {
			t.Fatalf("exit %d, no %q in\n%s%s", code, want, report, stderr)
		}
	}
	first := strings.Join(strings.SplitAfter(text.String(), "\n")[:4], "")
	code, report, stderr = predictions("--quiet", saved, w.write("first.csv", first))
	own := strings.Contains(report, "120 points in 3 clusters") && strings.Contains(report, "\n        0  ")
	if code != 0 || !own {
		t.Errorf("exit %d, %s%s", code, report, stderr)
	}
	if code, _, stderr := clusters("--model", root.ModelExact, "--subset", "0", large); code != 2 ||
		!strings.Contains(stderr, "--subset 1000") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// Score judges networks; without one it says so in a line.
func TestScoreNeedsANetwork(t *testing.T) {
	var out, diagnostics bytes.Buffer
	code := run([]string{"gfncp", "score", "--model", root.ModelExact, penguins}, &out, &diagnostics)
	if told := diagnostics.String(); code != 2 || !strings.Contains(told, "cluster --model exact --labels") ||
		strings.Count(told, "\n") != 1 {
		t.Errorf("exit %d, %q", code, told)
	}
}

// What exact sampling cannot do is told in one line, before any work.
func TestExactFaults(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{penguins, "--scale", "2"}, "leave --scale out"},
		{[]string{penguins, "--decode", "greedy"}, "use vi or binder"},
		{[]string{penguins, "--samples", "0"}, "raise --samples"},
		{[]string{penguins, "--refine", "none"}, "--refine"},
	} {
		code, stdout, stderr := clusters(append(test.args, "--model", root.ModelExact)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit %d, stdout %.80q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
}

// purity is the share of items that are of the commonest class of their cluster: a species may be in two clusters.
func purity(clusters, classes []int32) float64 {
	counts, most := map[[2]int32]int{}, map[int32]int{}
	for i, c := range clusters {
		counts[[2]int32{c, classes[i]}]++
		most[c] = max(most[c], counts[[2]int32{c, classes[i]}])
	}
	total := 0
	for _, n := range most {
		total += n
	}
	return float64(total) / float64(len(clusters))
}
