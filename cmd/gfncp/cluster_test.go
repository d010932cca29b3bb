package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// workplace is a folder with a small untrained model and a labelled table of 30 points.
type workplace struct{ dir, model, points string }

func newWorkplace(t *testing.T) workplace {
	t.Helper()
	w := workplace{dir: t.TempDir()}
	w.model, w.points = w.path("tiny.safetensors"), w.path("points.csv")
	c := train.Default(train.GFNCP)
	c.Net = models.Config{Encoder: models.EncoderMLP, Dim: 2, Hidden: 16, Embed: 8, Global: 24}
	rng := rand.New(rand.NewPCG(4, 0))
	must.M(train.WriteModel(w.model, &train.Model{Config: c, Params: c.Net.Init(rng), Card: train.Card{Name: "tiny"}}))
	var text strings.Builder
	text.WriteString("x,y,kind\n")
	for i := range 30 {
		fmt.Fprintf(&text, "%.3f,%.3f,%s\n", float64(i%3)*8+rng.NormFloat64(),
			rng.NormFloat64(), []string{"a", "b", "c"}[i%3])
	}
	must.M(os.WriteFile(w.points, []byte(text.String()), 0o600))
	return w
}

func (w workplace) path(name string) string { return filepath.Join(w.dir, name) }

// run runs a command on the model; the arguments come last.
func (w workplace) run(command string, args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	code = run(append([]string{"gfncp", command, "--model", w.model, "--backend", "go"}, args...), &out, &diagnostics)
	return code, out.String(), diagnostics.String()
}

func TestClusterJSONAndFiles(t *testing.T) {
	w := newWorkplace(t)
	code, stdout, stderr := w.run("cluster", "--json", "--labels", "kind", "--samples", "20", "--out", w.path("o.csv"),
		"--co-clustering", w.path("c.csv"), "--plot", w.path("p.svg"), w.points)
	if code != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", code, stderr)
	}
	var r clustering.Result
	must.M(json.Unmarshal([]byte(stdout), &r))
	if r.SchemaVersion != clustering.SchemaVersion || r.Model != "tiny" || len(r.Labels) != 30 ||
		!slices.ContainsFunc(r.Warnings, func(s string) bool {
			return strings.Contains(s, "30 points")
		}) {
		t.Errorf("version %d, model %q, %d labels, warnings %q", r.SchemaVersion, r.Model, len(r.Labels), r.Warnings)
	}
	checkClusterCSV(t, w, &r)
	matrix := must.M1(csv.NewReader(bytes.NewReader(must.M1(os.ReadFile(w.path("c.csv"))))).ReadAll())
	if len(matrix) != 30 || len(matrix[0]) != 30 || matrix[7][7] != "1" ||
		matrix[3][9] != decimal(r.CoClustering[3][9]) {
		t.Errorf("co-clustering matrix of %d rows", len(matrix))
	}
	if svg := must.M1(os.ReadFile(w.path("p.svg"))); !bytes.Contains(svg, []byte("<svg")) {
		t.Error("the plot is no SVG")
	}
}

// A column of names that is no coordinate stands first in --out.
func TestClusterKeepsNames(t *testing.T) {
	w := newWorkplace(t)
	must.M(os.WriteFile(w.path("n.csv"), []byte("x,id,y\n1,s1,2\n3,\"s,2\",4\n9,s3,9\n"), 0o600))
	if code, _, stderr := w.run(
		"cluster", w.path("n.csv"), "--columns", "x,y", "--out", w.path("o.csv"), "--samples", "2",
	); code != 0 {
		t.Fatal(stderr)
	}
	rows := must.M1(csv.NewReader(bytes.NewReader(must.M1(os.ReadFile(w.path("o.csv"))))).ReadAll())
	if !slices.Equal(rows[0][:4], []string{"id", "x", "y", "cluster"}) ||
		!slices.Equal(rows[2][:3], []string{"s,2", "3", "4"}) {
		t.Errorf("%q", rows)
	}
}

// checkClusterCSV wants the input's coordinates, the result's labels and rows that sum to 1.
func checkClusterCSV(t *testing.T, w workplace, r *clustering.Result) {
	t.Helper()
	in := must.M1(files.Open(w.points, files.Options{LabelColumn: "kind"}))
	out := must.M1(files.Open(w.path("o.csv"), files.Options{Columns: []string{"x", "y"}}))
	if !slices.Equal(in.X, out.X) {
		t.Error("the coordinates changed on their way")
	}
	rows := must.M1(csv.NewReader(bytes.NewReader(must.M1(os.ReadFile(w.path("o.csv"))))).ReadAll())
	if got := rows[0][:5]; !slices.Equal(got, []string{"x", "y", "cluster", "probability", "p_0"}) ||
		rows[0][len(rows[0])-1] != "p_other" {
		t.Errorf("head %v", rows[0])
	}
	for i, row := range rows[1:] {
		sum := 0.0
		for _, p := range row[4:] {
			sum += must.M1(strconv.ParseFloat(p, 64))
		}
		if row[2] != strconv.Itoa(int(r.Labels[i])) || row[3] != row[4+r.Labels[i]] ||
			sum < 1-1e-9 || sum > 1+1e-9 || len(row) != 5+r.K {
			t.Errorf("row %d is %v for label %d of %d", i, row, r.Labels[i], r.K)
		}
	}
}

func TestClusterText(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	code, stdout, stderr := w.run("cluster", w.points, "--labels", "kind")
	if code != 0 || !strings.Contains(stderr, "gfncp: warning: there are 30 points") {
		t.Fatalf("status %d, stderr %q", code, stderr)
	}
	for _, want := range []string{
		"30 points, 2 columns (x, y)", "model tiny, seed 1, scale factor", " probability 0.", "mean probability",
		"the least certain is line ", "against the 3 labels from the label column: NMI", "next: --html look.html",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if _, _, stderr = w.run("cluster", "--quiet", "--labels", "kind", w.points); stderr != "" {
		t.Errorf("--quiet prints %q", stderr)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	code, stdout, _ := w.run("score", "--json", "--labels", "kind", "--orders", "4", "--energies", w.points)
	var r clustering.ScoreResult
	must.M(json.Unmarshal([]byte(stdout), &r))
	if code != 0 || len(r.LogProb) != 4 || r.SDPP == nil || r.MC == nil || len(r.Energies) != 29 || r.K != 3 {
		t.Errorf("status %d, %d orders, %d rows of energies, K %d", code, len(r.LogProb), len(r.Energies), r.K)
	}
	code, stdout, _ = w.run("score", "--labels", "kind", "--energies", w.points)
	for _, want := range []string{"labels of 3 clusters", "over 100 random orders", "SDPP", "MC per step", "line 31:"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("status %d, no %q in\n%s", code, want, stdout)
		}
	}
}

// Every fault is one line on stderr that names what is wrong, with status 2; nothing is printed or written.
func TestClusterFaults(t *testing.T) {
	w := newWorkplace(t)
	before := must.M1(os.ReadFile(w.points))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"takes one argument", []string{"cluster"}},
		{"no such file", []string{"cluster", w.path("none.csv")}},
		{"holds no PNG or JPEG image", []string{"cluster", w.dir}},
		{"points.csv:2: column \"kind\"", []string{"cluster", w.points}},
		{
			"points.csv: the points have 1 coordinate, but this model takes 2",
			[]string{"cluster", "--columns", "x", w.points},
		},
		{"--scale \"-1\"", []string{"cluster", "--scale", "-1", "--labels", "kind", w.points}},
		{"--out would overwrite the input", []string{"cluster", "--labels", "kind", "--out", w.points, w.points}},
		{"overwrite the input", []string{"cluster", "--labels", "kind", "--plot", w.dir + "/./points.csv", w.points}},
		{"unknown picture format", []string{"cluster", "--labels", "kind", "--plot", w.path("p.gif"), w.points}},
		{
			"name the same file",
			[]string{"cluster", "--labels", "kind", "--out", w.path("a"), "--co-clustering", w.path("a"), w.points},
		},
		{"does not exist", []string{"cluster", "--labels", "kind", "--out", w.path("no/a.csv"), w.points}},
		{"no labels to score", []string{"score", "--columns", "x,y", w.points}},
		{"--orders -2 is out of range", []string{"score", "--orders", "-2", "--labels", "kind", w.points}},
	} {
		code, stdout, stderr := w.run(c.args[0], c.args[1:]...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", c.args, code, stdout, stderr, c.want)
		}
	}
	if !bytes.Equal(before, must.M1(os.ReadFile(w.points))) || len(must.M1(os.ReadDir(w.dir))) != 2 {
		t.Error("a fault left files behind or changed the input")
	}
}

// Who interrupts cluster or score reads what became of it, in words.
func TestClusterInterrupted(t *testing.T) {
	w := newWorkplace(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range []string{"cluster", "score"} {
		var stdout, stderr bytes.Buffer
		app := newApp(&stdout, &stderr)
		err := app.RunContext(ctx,
			[]string{"gfncp", command, "--model", w.model, "--backend", "go", "--labels", "kind", w.points})
		if err == nil || err.Error() != "interrupted; nothing was written" ||
			status(err) != exitInterrupted || stdout.Len() > 0 {
			t.Errorf("%s: %v, status %d, stdout %q", command, err, status(err), stdout.String())
		}
	}
}

// The JSON has NMI and ARI, last and as the text prints them, if labels are known, and else no such keys.
func TestClusterAgreementInJSON(t *testing.T) {
	dir := t.TempDir()
	with, without := filepath.Join(dir, "with.csv"), filepath.Join(dir, "without.csv")
	must.M(os.WriteFile(with, []byte("x,y,kind\n0,0,a\n0,1,a\n1,0,b\n40,40,b\n40,41,b\n41,40,b\n"), 0o644))
	must.M(os.WriteFile(without, []byte("x,y\n0,0\n0,1\n1,0\n40,40\n40,41\n41,40\n"), 0o644))
	args := []string{"cluster", with, "--labels", "kind", "--samples", "5", "--backend", "go", "--quiet"}
	text, _, _ := gfncp(args...)
	labelled, _, status := gfncp(append(args, "--json")...)
	var r struct{ NMI, ARI *float64 }
	must.M(json.Unmarshal([]byte(labelled), &r))
	if status != exitDone || r.NMI == nil || r.ARI == nil ||
		!strings.Contains(text, fmt.Sprintf("NMI %.3f, ARI %.3f\n", *r.NMI, *r.ARI)) {
		t.Fatalf("status %d, NMI %v, ARI %v beside %s", status, r.NMI, r.ARI, text)
	}
	plain, _, _ := gfncp("cluster", without, "--samples", "5", "--backend", "go", "--quiet", "--json")
	head, _, _ := strings.Cut(labelled, ",\n  \"nmi\"")
	if head+"\n}\n" != plain {
		t.Errorf("without labels the JSON ends with %s, and with them with %s",
			plain[len(plain)-200:], labelled[len(labelled)-200:])
	}
}

// Without samples nothing is said of probabilities.
func TestClusterWithoutSamples(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := gfncp("cluster", filepath.Join("..", "..", "examples", "points.csv"),
		"--model", defaultModel, "--samples", "0", "--backend", "go", "--quiet")
	if status != exitDone || stderr != "" || !strings.Contains(stdout, " cluster    points\n") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	for _, word := range []string{"probab", "P(K)", "sample"} {
		if strings.Contains(stdout, word) {
			t.Errorf("%q in %s", word, stdout)
		}
	}
}

// cluster and score take the same model by default, and their help names the models that they take, all of them.
func TestModelsThatDecode(t *testing.T) {
	for _, name := range root.Models() {
		m := must.M1(root.Find(name))
		if takes := slices.Contains(decodingModels(), name); takes == m.Config.IsPeer() {
			t.Errorf("model %s is listed: %v, is a peer: %v", name, takes, m.Config.IsPeer())
		}
	}
	for command, standard := range map[string]string{
		"cluster": "mixture; for images " + root.ImageModel, "score": `"mog-gfncp-free"`,
	} {
		help, _, _ := gfncp("help", command)
		if !strings.Contains(help, "(default: "+standard+")") || strings.Contains(help, "mog-ccp") {
			t.Errorf("gfncp %s: %s", command, help)
		}
	}
}

// Without --labels there is nothing to score, whatever the model.
func TestScoreAsksForLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	must.M(os.WriteFile(path, []byte("x,y,kind\n"+strings.Repeat("1,2,s1\n2,3,s2\n", 4)), 0o644))
	for _, args := range [][]string{{"score", path, "--model", defaultModel}, {"score", path}} {
		_, stderr, status := gfncp(args...)
		want := "no labels to score; name the column that holds them with --labels\n"
		if status != exitUsage || !strings.HasSuffix(stderr, want) {
			t.Errorf("%v: status %d, %q, want %q", args, status, stderr, want)
		}
	}
}

// Warnings that are known before the decoding come before it, and none twice.
func TestWarningsComeFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	must.M(os.WriteFile(path, []byte("x,y\n0,0\n0,1\n9,9\n"), 0o644))
	_, stderr, status := gfncp("cluster", path, "--model", defaultModel, "--samples", "0", "--backend", "go")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	sorted := slices.Compact(slices.Sorted(slices.Values(lines)))
	if status != exitDone || len(lines) < 2 || len(sorted) != len(lines) ||
		!strings.Contains(lines[0], "there are 3 points") ||
		!strings.Contains(lines[len(lines)-1], "no samples were drawn") {
		t.Errorf("status %d, %q", status, lines)
	}
}
