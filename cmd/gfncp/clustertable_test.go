package main

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/mixture"
	"github.com/gfncp/gfncp/mixture/tables"
	"github.com/gfncp/gfncp/posterior"
)

// mixedTable has 60 rows of three separated groups in turn: two numbers, one of them with gaps, and a colour with gaps.
func mixedTable(w workplace) string {
	rng := data.Rand(1, "cmd/mixed", 0)
	text := "width,height,colour\n"
	for i := range 60 {
		width, colour := fmt.Sprintf("%.3f", float64(i%3*40)+rng.NormFloat64()), []string{"red", "green", "blue"}[i%3]
		if i%7 == 3 {
			width = ""
		}
		if i%11 == 5 {
			colour = ""
		}
		text += fmt.Sprintf("%s,%.3f,%s\n", width, float64(i%3*40)+rng.NormFloat64(), colour)
	}
	return w.write("mixed.csv", text)
}

// A saved clustering gives the rows that it was made of their labels again; a far row is in none, and its column is
// named. --out has a line a row, and says what --json says.
func TestTableIsSavedAndPredicts(t *testing.T) {
	w := workplace{dir: t.TempDir()}
	table, saved, out := mixedTable(w), w.path("c.json"), w.path("o.csv")
	r := result[clustering.Result](t, clusters(table, "--save", saved, "--out", out)...)
	if r.Model != root.MixtureModel || r.K != 3 || r.Outlying != 0 || r.Chains == nil || len(r.Columns) != 3 {
		t.Fatalf("model %s, K %d, %d outlying, chains %+v, columns %+v", r.Model, r.K, r.Outlying, r.Chains, r.Columns)
	}
	for i, label := range r.Labels {
		if int(label) != i%3 {
			t.Fatalf("row %d is in cluster %d", i, label)
		}
	}
	rows := readCSV(out)
	head := "width,height,colour,cluster,probability,p_0,p_1,p_2,p_other"
	if len(rows) != 61 || strings.Join(rows[0], ",") != head || rows[4][0] != "" || rows[2][3] != "1" ||
		rows[2][4] != decimal(r.Probabilities[1][1]) {
		t.Errorf("%d lines, %v, %v, %v", len(rows), rows[0], rows[2], rows[4])
	}
	p := result[root.Prediction](t, predictions("--quiet", saved, table)...)
	if !slices.Equal(p.Labels, r.Labels) || len(p.Warnings) != 0 {
		t.Errorf("labels %v, warnings %q", p.Labels, p.Warnings)
	}
	more := w.write("more.csv", "colour,id,height,width\nblue,a,80,80\nred,b,5000,0\npink,c,40,40\n,d,,80\n")
	p = result[root.Prediction](t, predictions("--quiet", saved, more)...)
	if fmt.Sprint(p.Labels) != "[2 -1 1 2]" || p.Probabilities[1][3] != 1 {
		t.Errorf("labels %v, probabilities %v", p.Labels, p.Probabilities)
	}
	contains(t, strings.Join(p.Warnings, "\n"), "column height: 1 value is out of the range")
	report, _ := done(t, predictions("--quiet", saved, more)...)
	contains(t, report, "1 in cluster 1, 2 in cluster 2, 1 in none")
	done(t, predictions("--quiet", "--out", out, saved,
		w.write("order.csv", "colour,height,width\nblue,80,80\nred,0,0\n"))...)
	if head := readCSV(out)[0]; strings.Join(head[:4], ",") != "colour,height,width,cluster" {
		t.Errorf("the columns of the file became %v", head)
	}
	less := refused(t, "less.csv", predictions(saved, w.write("less.csv", "width,colour\n1,red\n"))...)
	contains(t, less, "height")
}

// The report of a table has at most 15 lines, also if there is much to say, and says how many clusters there are.
func TestTableReport(t *testing.T) {
	w := workplace{dir: t.TempDir()}
	rng := data.Rand(1, "cmd/report", 0)
	text := "x,y,colour,label\n"
	for i := range 120 {
		text += fmt.Sprintf("%.3f,%.3f,c%d,%d\n", float64(i%12*40)+rng.NormFloat64(),
			float64(i%4*40)+rng.NormFloat64(), i%2, i%12)
	}
	stdout := printed(t, clusters(w.write("many.csv", text+"90000,-90000,c1,?\n"))...)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) > answer.ReportLines ||
		!strings.HasSuffix(lines[0], "many.csv: 121 rows, 3 columns (x, y, colour)") {
		t.Errorf("%d lines:\n%s", len(lines), stdout)
	}
	contains(t, stdout, "\n12 clusters, probability ", " more with 10 to 10 rows\n",
		"     none         1  too few for a cluster\n",
		"\n4 chains of ", "against the 12 labels of 120 rows from the label column: NMI ", "\nnext: --html look.html",
		`"colour" (2 levels)`)
}

// What makes an answer doubtful stands before the number of clusters; few clusters all have their line.
func TestTableReportOfDoubt(t *testing.T) {
	in := files.FromMatrix("p.csv", []float64{1, 2, 3, 4, 50, 60}, 1, []string{"x"})
	must.M(in.ToDraw())
	reduction := 1.3
	r := &clustering.Result{
		Labels: []int32{0, 0, 0, 1, 1, root.None}, K: 2, Outlying: 1, Probability: []float32{1, 1, 0.5, 1, 1, 1},
		KPosterior: []posterior.KProb{{K: 1, P: 0.1}, {K: 2, P: 0.6}, {K: 3, P: 0.3}},
		Warnings:   []string{"the 4 chains do not agree"},
		Chains:     &clustering.Chains{Chains: 4, Sweeps: 9, Ending: mixture.Budget, RHatDensity: &reduction},
		Samples:    make([]posterior.Distinct, 1),
		Columns:    []clustering.ColumnUse{{Name: "x", Use: tables.Number}, {Name: "n", Use: tables.Counter}},
	}
	var text strings.Builder
	flags := map[string]string{"html": "look.html"}
	view := must.M1(answer.NewView(in, r, nil))
	view.Next = append(view.Next, nextSteps(view.Noun, func(flag string) string { return flags[flag] })...)
	must.M(writeReport(&text, "cluster", view))
	want := `p.csv: 6 rows, 1 column (x)
  warning: the 4 chains do not agree
  set apart or changed: n (counter)
2 clusters, probability 0.60; 1: 0.10, 3: 0.30

  cluster      rows  mean probability
        0         3              0.83
        1         2              1.00
     none         1  too few for a cluster

1 of 6 rows is where it is with a probability below 0.9; the least certain is point 2 (3): cluster 0 with 0.50
4 chains of 9 sweeps do not agree (R-hat of K infinite, of the log density 1.30)
next: --time 60s samples longer; --save clusters.json keeps the clusters for gfncp predict
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}

// Tables at the edge of what there is have answers, which are JSON: numbers that are not finite are none.
func TestTablesAtTheEdge(t *testing.T) {
	short.Skip(t, "clusters six tables")
	w := workplace{dir: t.TempDir()}
	text, gaps, tiny := "colour,shape\n", "x,y\n", "x,y\n"
	rng := data.Rand(1, "cmd/edge", 0)
	for i := range 40 {
		text += []string{"red,round\n", "blue,long\n", "red,\"a\nb\"\n", ",round\n"}[i%4]
		x := float64(i%2*40) + rng.NormFloat64()
		gaps += fmt.Sprintf([]string{"%[1]g,%[1]g\n", "%[1]g,\n", ",%[1]g\n", "%[1]g,%[1]g\n"}[i%4], x)
		tiny += fmt.Sprintf("%g,%g\n", 1e-3*x, 1e-200*rng.NormFloat64())
	}
	for name, c := range map[string]struct {
		text string
		rows int
	}{
		"text": {text, 40}, "gaps": {gaps, 40}, "tiny": {tiny + "0,0\n", 41}, "two": {"x,y\n1,2\n3,4\n", 2},
		"constant": {"x,c,e\n1,7,\n2,7,\n9,7,\n", 3}, "one column": {"x\n1\n2\n2\n9\n", 4},
	} {
		out, html := w.path("o.csv"), w.path("o.html")
		r := result[clustering.Result](t,
			clusters(w.write(name+".csv", c.text), "--samples", "20", "--out", out, "--html", html)...)
		_, page, _ := strings.Cut(string(must.M1(os.ReadFile(html))), `id="data">`)
		page, _, _ = strings.Cut(page, "</script>")
		var shown struct{ Cells [][]string }
		must.M(json.Unmarshal([]byte(page), &shown))
		for _, cells := range shown.Cells {
			if len(cells) != c.rows {
				t.Errorf("%s: the page has %d cells of a column for %d rows", name, len(cells), c.rows)
			}
		}
		rows := readCSV(out)
		if len(r.Labels) != c.rows || len(r.Probabilities) != c.rows || r.K < 1 || len(rows) != c.rows+1 {
			t.Errorf("%s: %d labels, K %d, %d lines for %d rows", name, len(r.Labels), r.K, len(rows), c.rows)
		}
	}
}

// Where every row is among those that weights have drawn, no others are told of.
func TestTableOfWeights(t *testing.T) {
	short.Skip(t, "samples ten thousand rows")
	w := workplace{dir: t.TempDir()}
	text := "x,n\n"
	for i := range 12 {
		text += fmt.Sprintf("%d.5,%d\n", i%3*40+i%5, 900)
	}
	stdout, _ := done(t, clusters(w.write("p.csv", text), "--weights", "n", "--samples", "20")...)
	contains(t, stdout, "  sampled: 12 rows\n")
}

// Faults of tables, of what is known of their clusters, and of options that are not a table's are one line that names
// the remedy, before any sampling.
func TestTableFaults(t *testing.T) {
	w := workplace{dir: t.TempDir()}
	good := w.write("good.csv", "x,y,who,n\n1,2,1,1\n2,3,,2\n9,8,2,-1\n9,9,2,3\n")
	text := w.write("text.csv", "x,y,who\n1,2,a\n2,3,b\n9,8,a\n9,9,b\n")
	pairs, others := w.write("pairs.csv", "2,3\n3,4\n"), w.write("others.csv", "4,2\n")
	old := w.write("old.json", `{"format":"gfncp clustering","version":1,"sha256":"","clustering":{"model":"exact"}}`)
	for want, args := range map[string][]string{
		"only 1 point":               {w.write("one.csv", "x,y\n1,2\n")},
		"all 2 columns are constant": {w.write("same.csv", "x,y\n1,2\n1,2\n")},
		"huge.csv:3: column y: 1e+40 is no number to cluster":        {w.write("huge.csv", "x,y\n1,2\n1,1e40\n")},
		"--time is -1s; use a time":                                  {good, "--time", "-1s"},
		"ended the sampling before it had an answer; give more time": {good, "--time", "1ns"},
		"a table's answer needs samples":                             {good, "--samples", "0"},
		"--scale is a network's":                                     {good, "--scale", "2"},
		`--scale "big" is unknown; use auto, none or`:                {good, "--scale", "big"},
		"flag provided but not defined: --refine":                    {good, "--refine", "none"},
		"exact: is neither":                                          {good, "--model", "exact"},
		`--k "0"; use a number of clusters from 1 to 60`:             {good, "--k", "0"},
		`--k "6..3"; use a number`:                                   {good, "--k", "6..3"},
		"5":                                                          {good, "--k", "5"},
		"none.csv":                                                   {good, "--together", w.path("none.csv")},
		`p1.csv:1: there is no row "1" in`:                           {good, "--together", w.write("p1.csv", "2,1\n")},
		"p2.csv:2: names one row; write two":                         {good, "--apart", w.write("p2.csv", "2,3\n4\n")},
		"are to be apart, and together as well":                      {good, "--apart", w.write("p3.csv", "2,3,2\n")},
		"p4.csv: names no rows; write two":                           {good, "--together", w.write("p4.csv", "")},
		"apart":                                                      {good, "--together", pairs, "--apart", others},
		"whom":                                                       {good, "--given", "whom"},
		`column "n" is chosen, and in --ignore`:                      {good, "--weights", "n", "--ignore", "n"},
		`good.csv:4: weight -1 is no count of equal rows; round`:     {good, "--weights", "n", "--columns", "x,y"},
		"column who of --weights holds no numbers":                   {text, "--weights", "who", "--columns", "x,y"},
	} {
		refused(t, want, clusters(args...)...)
	}
	refused(t, "leave it out; it is for tables without a network",
		clusters(good, "--model", "mog-ncp", "--columns", "x,y", "--k", "2")...)
	refused(t, "--given and --weights name columns, but there are none",
		clusters(newImageWorkplace(t).points, "--given", "x")...)
	refused(t, "--save", "predict", old, good)
	refused(t, "mixture: is neither a file", "score", good, "--model", root.MixtureModel, "--labels", "who")
	refused(t, "penguins.csv: the points have 4 coordinates, but this model takes 2; choose as many columns, name",
		"score", example("penguins.csv"), "--labels", "species")
}

// What is known of the clusters is heeded, and its columns are no coordinates.
func TestTableKnowledge(t *testing.T) {
	short.Skip(t, "clusters a dozen tables")
	w := workplace{dir: t.TempDir()}
	text, rng := "x,y,known,count\n", data.Rand(1, "cmd/subset", 0)
	for i := range 150 {
		known := []string{"", "a", "a", "b"}[min(i, 4)%4] // rows 1 and 2, of two groups, are said to be in one cluster
		text += fmt.Sprintf("%.3f,%.3f,%s,%d\n", float64(i%3*40)+rng.NormFloat64(), rng.NormFloat64(), known, 1+i%2)
	}
	table := w.write("t.csv", text)
	known := func(args ...string) clustering.Result {
		r := result[clustering.Result](t, append(clusters(table, "--columns", "x,y"), args...)...)
		if len(r.Columns) != 2 {
			t.Fatalf("%v: columns %+v", args, r.Columns)
		}
		return r
	}
	r := known()
	for i, label := range r.Labels {
		if label != r.Labels[i%3] {
			t.Fatalf("row %d is in cluster %d", i, label)
		}
	}
	r = known("--given", "known", "--weights", "count")
	if r.Labels[1] != r.Labels[2] || r.Labels[1] == r.Labels[3] {
		t.Errorf("given that rows 1 and 2 are together, and 3 apart, they are in %v", r.Labels[1:4])
	}
	r = known("--apart", w.write("apart.csv", "2,5,8\n"), "--missing", "40.5,unknown")
	if r.Labels[0] == r.Labels[3] || r.Labels[0] == r.Labels[6] || r.Labels[3] == r.Labels[6] {
		t.Errorf("lines 2, 5 and 8 are to be apart, but are in %v", r.Labels[:7])
	}
	if r = known("--k", "2"); r.K != 2 || len(r.KPosterior) != 1 {
		t.Errorf("given 2 clusters there are %d, %v", r.K, r.KPosterior)
	}
}

// field is what a table has: clusters, outlying rows, and the least agreement with its column label.
type field struct {
	k, outlying int
	ari         float64
}

// The tables of testdata/field.zip are like the tables of users' reports, and a script with a seed wrote each. Most
// have the usual field.
var (
	usualField  = field{3, 0, 0.98}
	otherFields = map[string]field{
		"again/plain.csv":                      {3, 0, 0.79},
		"cells_40_pcs.csv":                     {5, 0, 0.98},
		"dense_core_in_halo.csv":               {2, 0, 0.97},
		"embeddings/eight_topics_48.csv":       {8, 0, 0.98},
		"embeddings/six_topics_60_400rows.csv": {6, 0, 0.97},
		"flag/three_blobs_no_flag.csv":         {3, 0, 0.95},
		"flag/three_blobs_random_batch20.csv":  {3, 0, 0.95},
		"flag/three_blobs_random_flag.csv":     {3, 0, 0.95},
		"gps_four_towns.csv":                   {4, 0, 0.98},
		"heaped_age_income.csv":                {3, 0, 0.95},
		"missing_as_empty.csv":                 {3, 0, 0.97},
		"missing_as_minus999.csv":              {3, 0, 0.97},
		"nine_rows_one_outlier.csv":            {1, 1, 0.98},
		"one/one_gaussian_300x20.csv":          {1, 0, 0.98},
		"one/one_gaussian_300x4_s1.csv":        {1, 0, 0.98},
		"one/one_gaussian_60x3.csv":            {1, 0, 0.98},
		"one/one_lognormal_300x3.csv":          {1, 0, 0.98},
		"one/one_student_300x4.csv":            {1, 0, 0.98},
		"one/one_uniform_300x3.csv":            {1, 0, 0.98},
		"one_column_two_humps.csv":             {2, 0, 0.97},
		"one_row_1e5.csv":                      {3, 1, 0.97},
		"one_row_1e6.csv":                      {3, 1, 0.96},
		"one_row_1e9.csv":                      {3, 1, 0.97},
		"one_row_1e9_plane.csv":                {3, 1, 0.97},
		"orders_two_keys.csv":                  {3, 0, 0.96},
		"plane_small_and_wide.csv":             {2, 0, 0.98},
		"rare_group_990_10.csv":                {2, 0, 0.98},
		"sensor_log_hourly.csv":                {2, 0, 0.98},
		"survey_1_to_5.csv":                    {3, 0, 0.92},
		"two_rows_repeated.csv":                {2, 0, 0.98},
	}
)

// The clusters of tables from the field are found.
func TestFieldTables(t *testing.T) {
	short.Skip(t, "takes a minute")
	dir := t.TempDir()
	archive := must.M1(zip.OpenReader("testdata/field.zip"))
	must.M(os.CopyFS(dir, archive))
	must.M(archive.Close())
	if len(archive.File) != 51 {
		t.Errorf("there are %d tables", len(archive.File))
	}
	for _, file := range archive.File {
		want := cmp.Or(otherFields[file.Name], usualField)
		t.Run(strings.TrimSuffix(file.Name, ".csv"), func(t *testing.T) {
			got := result[struct {
				K, Outlying int
				ARI         float64
			}](t, clusters(filepath.Join(dir, file.Name))...)
			if got.K != want.k || got.Outlying != want.outlying || got.ARI < want.ari {
				t.Errorf("%d clusters, %d outlying rows, ARI %.3f; want %d, %d and at least %.2f",
					got.K, got.Outlying, got.ARI, want.k, want.outlying, want.ari)
			}
		})
	}
}
