package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/short"
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
	rng := w.untrained(c)
	var text strings.Builder
	text.WriteString("x,y,kind\n")
	for i := range 30 {
		fmt.Fprintf(&text, "%.3f,%.3f,%s\n", float64(i%3)*8+rng.NormFloat64(),
			rng.NormFloat64(), []string{"a", "b", "c"}[i%3])
	}
	must.M(os.WriteFile(w.points, []byte(text.String()), 0o600))
	return w
}

// untrained writes the workplace's model with weights as they are drawn, and returns the generator.
func (w workplace) untrained(c train.Config) *rand.Rand {
	rng := rand.New(rand.NewPCG(4, 0))
	must.M(train.WriteModel(w.model, &train.Model{Config: c, Params: c.Net.Init(rng), Card: train.Card{Name: "tiny"}}))
	return rng
}

func (w workplace) path(name string) string { return filepath.Join(w.dir, name) }

func (w workplace) write(name, text string) string {
	must.M(os.WriteFile(w.path(name), []byte(text), 0o600))
	return w.path(name)
}

// line is the command line of a command on the model.
func (w workplace) line(command string, args ...string) []string {
	return append([]string{command, "--model", w.model, "--backend", "go"}, args...)
}

// clusters clusters a table without a model.
func clusters(args ...string) []string { return append([]string{"cluster", "--quiet"}, args...) }

func TestClusterJSONAndFiles(t *testing.T) {
	w := newWorkplace(t)
	r := result[clustering.Result](t, w.line("cluster", "--labels", "kind", "--samples", "20", "--out", w.path("o.csv"),
		"--co-clustering", w.path("c.csv"), "--plot", w.path("p.svg"), w.points)...)
	if r.SchemaVersion != clustering.SchemaVersion || r.Model != "tiny" || len(r.Labels) != 30 ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), "30 points") {
		t.Errorf("version %d, model %q, %d labels, warnings %q", r.SchemaVersion, r.Model, len(r.Labels), r.Warnings)
	}
	checkClusterCSV(t, w, &r)
	matrix := readCSV(w.path("c.csv"))
	if len(matrix) != 30 || len(matrix[0]) != 30 || matrix[7][7] != "1" ||
		matrix[3][9] != decimal(r.CoClustering[3][9]) {
		t.Errorf("co-clustering matrix of %d rows", len(matrix))
	}
	contains(t, string(must.M1(os.ReadFile(w.path("p.svg")))), "<svg")
}

// checkClusterCSV wants the input's coordinates, the result's labels and rows that sum to 1.
func checkClusterCSV(t *testing.T, w workplace, r *clustering.Result) {
	t.Helper()
	in := must.M1(files.Open(w.points, files.Options{LabelColumn: "kind"}))
	out := must.M1(files.Open(w.path("o.csv"), files.Options{Columns: []string{"x", "y"}}))
	if !slices.Equal(in.X, out.X) {
		t.Error("the coordinates changed on their way")
	}
	rows := readCSV(w.path("o.csv"))
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
	stdout, stderr := done(t, w.line("cluster", w.points, "--labels", "kind")...)
	contains(t, stderr, "gfncp: warning: there are 30 points")
	contains(t, stdout, "30 points, 2 columns (x, y)", "model tiny, seed 1, scale factor", " probability 0.",
		"mean probability", "the least certain is line ", "against the 3 labels from the label column: NMI",
		"next: --html look.html")
	printed(t, w.line("cluster", "--quiet", "--labels", "kind", w.points)...)
}

func TestScore(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	r := result[clustering.ScoreResult](t,
		w.line("score", "--labels", "kind", "--orders", "4", "--energies", w.points)...)
	if len(r.LogProb) != 4 || r.SDPP == nil || r.MC == nil || len(r.Energies) != 29 || r.K != 3 {
		t.Errorf("%d orders, %d rows of energies, K %d", len(r.LogProb), len(r.Energies), r.K)
	}
	stdout, _ := done(t, w.line("score", "--labels", "kind", "--energies", w.points)...)
	contains(t, stdout, "labels of 3 clusters", "over 100 random orders", "SDPP", "MC per step", "line 31:")
}

// Every fault is one line on stderr that names what is wrong, with status 2; nothing is printed or written.
func TestClusterFaults(t *testing.T) {
	w := newWorkplace(t)
	before := must.M1(os.ReadFile(w.points))
	apart := w.write("apart.csv", "2,3\n")
	refused(t, "holds no PNG or JPEG image", w.line("cluster", w.dir)...)
	refused(t, `points.csv:2: column "kind"`, w.line("cluster", w.points)...)
	for want, args := range map[string][]string{
		"points.csv: the points have 1 coordinate, but this model takes 2": {"--columns", "x"},
		`--scale "-1"`:                      {"--labels", "kind", "--scale", "-1"},
		"--out would overwrite the input":   {"--labels", "kind", "--out", w.points},
		"--save would overwrite the input":  {"--apart", apart, "--save", apart},
		"--plot would overwrite the input":  {"--labels", "kind", "--plot", w.dir + "/./points.csv"},
		"--plot does not write such":        {"--labels", "kind", "--plot", w.path("p.gif")},
		"end the name in .json or .json.gz": {"--labels", "kind", "--save", w.path("c.csv")},
		"name the same file":                {"--labels", "kind", "--out", w.path("a"), "--co-clustering", w.path("a")},
		"does not exist":                    {"--labels", "kind", "--out", w.path("no/a.csv")},
	} {
		refused(t, want, w.line("cluster", append(args, w.points)...)...)
	}
	if !bytes.Equal(before, must.M1(os.ReadFile(w.points))) || len(must.M1(os.ReadDir(w.dir))) != 3 {
		t.Error("a fault left files behind or changed the input")
	}
}

// Nothing that a command reads is overwritten: the files of a model, of a run and of a folder of images, and labels
// beside the points.
func TestNothingReadIsOverwritten(t *testing.T) {
	w, images := newWorkplace(t), newImageWorkplace(t)
	run := w.path("run")
	must.M(os.Mkdir(run, 0o700))
	must.M(os.Rename(w.model, filepath.Join(run, "best.safetensors")))
	config := w.write("run/config.toml", "model = 'gfncp'\n")
	saved := w.path("c.json")
	cluster := []string{"cluster", w.points, "--columns", "x,y", "--backend", "go", "--quiet", "--samples", "5"}
	cluster = append(cluster, "--model")
	done(t, append(cluster, run, "--save", saved, "--out", filepath.Join(run, "new.csv"))...)
	best := filepath.Join(run, "best.safetensors")
	picture := filepath.Join(images.points, "left", "00.png")
	for _, args := range [][]string{
		slices.Concat(cluster, []string{run, "--out", best}),
		slices.Concat(cluster, []string{best, "--co-clustering", best}),
		slices.Concat(cluster, []string{run, "--out", config}),
		images.line("cluster", images.points, "--samples", "2", "--out", picture),
		{"predict", saved, w.points, "--out", best},
		{"export", "--model", run, "--force", "--out", best},
	} {
		refused(t, " would overwrite the input; choose another output path", args...)
	}
	done(t, append(cluster, run, "--out", filepath.Join(run, "new.csv"))...)
}

// The JSON has NMI and ARI, last and as the text prints them, if labels are known, and else no such keys.
func TestClusterAgreementInJSON(t *testing.T) {
	w := workplace{dir: t.TempDir()}
	with := w.write("with.csv", "x,y,kind\n0,0,a\n0,1,a\n1,0,b\n40,40,b\n40,41,b\n41,40,b\n")
	without := w.write("without.csv", "x,y\n0,0\n0,1\n1,0\n40,40\n40,41\n41,40\n")
	args := clusters(with, "--labels", "kind", "--samples", "5", "--backend", "go")
	text, _ := done(t, args...)
	labelled, _ := done(t, append(args, "--json")...)
	var r struct{ NMI, ARI *float64 }
	must.M(json.Unmarshal([]byte(labelled), &r))
	contains(t, text, fmt.Sprintf("NMI %.3f, ARI %.3f\n", *r.NMI, *r.ARI))
	plain, _ := done(t, clusters(without, "--samples", "5", "--backend", "go", "--json")...)
	head, _, _ := strings.Cut(labelled, ",\n  \"nmi\"")
	if head+"\n}\n" != plain {
		t.Errorf("without labels the JSON ends with %s, and with them with %s",
			plain[len(plain)-200:], labelled[len(labelled)-200:])
	}
}

// Without samples nothing is said of probabilities.
func TestClusterWithoutSamples(t *testing.T) {
	t.Parallel()
	args := clusters(example("points.csv"), "--model", defaultModel, "--samples", "0", "--backend", "go")
	stdout := printed(t, args...)
	contains(t, stdout, " cluster    points\n")
	for _, word := range []string{"probab", "P(K)", "sample"} {
		if strings.Contains(stdout, word) {
			t.Errorf("%q in %s", word, stdout)
		}
	}
}

// cluster and score take the same model by default, and their help names the models that they take, all of them.
func TestModelsThatDecode(t *testing.T) {
	short.Skip(t, "opens every model")
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

// Warnings that are known before the decoding come before it, and none twice.
func TestWarningsComeFirst(t *testing.T) {
	path := workplace{dir: t.TempDir()}.write("p.csv", "x,y\n0,0\n0,1\n9,9\n")
	_, stderr := done(t, "cluster", path, "--model", defaultModel, "--samples", "0", "--backend", "go")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	sorted := slices.Compact(slices.Sorted(slices.Values(lines)))
	if len(lines) < 2 || len(sorted) != len(lines) ||
		!strings.Contains(lines[0], "there are 3 points") ||
		!strings.Contains(lines[len(lines)-1], "0 samples: the prob") {
		t.Errorf("%q", lines)
	}
}

// Of a large file a subset is clustered: JSON, report and file say so, and what is saved predicts with the clusters'
// numbers in the whole file.
func TestClusterSubset(t *testing.T) {
	w := newWorkplace(t)
	var text strings.Builder
	text.WriteString("x,y\n")
	for i := range 2010 {
		fmt.Fprintf(&text, "%d,%d.5\n", i%3*8, i%7)
	}
	large := w.write("large.csv", text.String())
	saved, table := w.path("c.json"), w.path("o.csv")
	r := result[clustering.Result](t,
		w.line("cluster", "--quiet", "--samples", "2", "--save", saved, "--out", table, large)...)
	if r.Subset == nil || len(r.Subset.Points) != 400 || len(r.Labels) != 2010 || len(r.Probability) != 2010 ||
		len(r.Samples[0].Labels) != 400 {
		t.Errorf("subset %+v, %d labels", r.Subset, len(r.Labels))
	}
	rows := readCSV(table)
	if len(rows) != 2011 || len(rows[0]) != 4+r.K+1 || rows[5][2] != fmt.Sprint(r.Labels[4]) {
		t.Errorf("%d rows, head %v, row %v", len(rows), rows[0], rows[5])
	}
	report, _ := done(t, w.line("cluster", "--quiet", "--samples", "1", large)...)
	contains(t, report, "sampled: 400 points; the others are predicted", "2010 points")
	report, _ = done(t, predictions("--quiet", saved, w.write("few.csv", "x,y\n0,0.5\n8,1.5\n"))...)
	contains(t, report, "few.csv: 2 points, predicted from c.json: 2010 points")
	refused(t, "--co-clustering is not to be had of 2010 points",
		w.line("cluster", "--quiet", "--co-clustering", w.path("m.csv"), large)...)
}

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		elapsed     time.Duration
		done, total int
		want        string
	}{
		{10 * time.Second, 1, 4, ", 30s left"},
		{500 * time.Millisecond, 1, 4, ""},
		{time.Minute, 0, 4, ""},
		{time.Minute, 4, 4, ""},
		{90 * time.Second, 50, 100, ", 1m30s left"},
	} {
		if got := remaining(c.elapsed, c.done, c.total); got != c.want {
			t.Errorf("%v for %d of %d: %q, want %q", c.elapsed, c.done, c.total, got, c.want)
		}
	}
}

// A picture of many points shows some, from first to last, each with its own label.
func TestPlotOfManyPoints(t *testing.T) {
	const n = 50_001
	in := &files.Input{Pool: &data.Pool{D: 2}, Path: "many.csv", Columns: []string{"x", "y"}}
	r := &clustering.Result{K: n, Model: "tiny"}
	for i := range n {
		in.X = append(in.X, float32(i), 1)
		r.Labels, r.Probability = append(r.Labels, int32(i)), append(r.Probability, float32(i))
	}
	p := answer.Chart(in, r)
	points := 0
	for _, s := range p.Panels[0].Series {
		points += len(s.X)
		for _, x := range s.X {
			if int(x) != s.Color {
				t.Fatalf("the point at %v is in cluster %d", x, s.Color)
			}
		}
	}
	if points != 20_000 || !strings.Contains(p.Title, "20000 of 50001 points") {
		t.Fatalf("%d points, %q", points, p.Title)
	}
}
