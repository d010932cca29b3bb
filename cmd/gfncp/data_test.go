package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/train"
)

// asFeatures writes the points of a workplace, and their labels beside them, as NumPy does, and returns the path.
func (w workplace) asFeatures(t *testing.T) string {
	t.Helper()
	pool := must.M1(files.Open(w.points, files.Options{LabelColumn: "kind"})).Pool
	testfiles.Features(t, w.path("points.npy"), pool.X, pool.D, pool.Labels)
	return w.path("points.npy")
}

// cluster and score give the same numbers for a file of features as for the table with the same points.
func TestFeatureFilesAsTables(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	path := w.asFeatures(t)
	for _, line := range [][]string{{"cluster", "--samples", "10"}, {"score", "--orders", "3", "--energies"}} {
		line = w.line(line[0], line[1:]...)
		got := result[map[string]any](t, append(slices.Clone(line), path)...)
		want := result[map[string]any](t, append(line, "--labels", "kind", w.points)...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives\n%+v, want\n%+v", line[0], got, want)
		}
	}
	clustered, _ := done(t, w.line("cluster", "--samples", "5", path, "--out", w.path("o.csv"), "--plot",
		w.path("p.svg"))...)
	contains(t, clustered, "points.npy: 30 points, 2 columns (x1, x2)\nmodel tiny, seed 1, scale factor",
		"against the 3 labels from points-labels.npy", "the least certain is point ")
	contains(t, string(must.M1(os.ReadFile(w.path("o.csv")))), "x1,x2,cluster,probability,p_0")
	scored, _ := done(t, w.line("score", "--orders", "2", "--energies", path)...)
	contains(t, scored, "  point 1: ")
	refused(t, "--header has no effect", w.line("cluster", "--header", "no", path)...)
	refused(t, "--labels has no effect", w.line("score", "--labels", "none", path)...)
}

// A file of features is training data, without its labels, and eval finds its classes.
func TestTrainFeatureFile(t *testing.T) {
	w := newWorkplace(t)
	_, said := done(t, tiny("--model", "ncp", "--data", w.asFeatures(t), "--out", w.path("run"), "--backend", "go")...)
	contains(t, said, "NumPy array: 30 points")
	report, _ := done(t, "eval", "--model", w.path("run"), "--backend", "go", "--sets", "2")
	contains(t, report, " file sets of ")
}

// A model of a stand-in is evaluated on its test classes, 50 points a set, under a name that says what it is; vectors
// get its factor.
func TestStandinModel(t *testing.T) {
	w := newWorkplace(t)
	c := train.DefaultOn(train.NCP, "standin50")
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 8, 8
	w.untrained(c)
	report, _ := done(t, w.line("eval", "--sets", "2", "--sdpp", "1")...)
	contains(t, report, "tiny on 2 standin50 (synthetic stand-in) sets of 50 points, CRP(1), K≥2, seed 1")
	pool := must.M1(sources.Load("", "standin50", data.SplitTest))
	few := &data.Pool{Name: "few", D: pool.D, X: pool.X[:30*pool.D]}
	testfiles.Features(t, w.path("few.npy"), few.X, few.D, few.Labels)
	report, _ = done(t, w.line("cluster", "--samples", "2", w.path("few.npy"))...)
	contains(t, report, "scale factor 20\n")
	config, _ := done(t, "train", "--model", "ccp", "--data", "standin100", "--show-config")
	contains(t, config, "source = 'standin100'\nsplit = 'train'\ndim = 384\n")
}

// list shows the feature sets with their state, verify tells how to get one that is missing and calls a stand-in
// synthetic.
func TestDataFeatures(t *testing.T) {
	dir := t.TempDir()
	pool := &data.Pool{Name: "p", D: 2, X: slices.Repeat([]float32{1, 2}, 100), Labels: make([]int32, 100)}
	for i := range pool.Labels {
		pool.Labels[i] = int32(i % 50)
	}
	for i := range 50 {
		pool.Classes = append(pool.Classes, "n"+string(rune('0'+i)))
	}
	must.M(os.Mkdir(filepath.Join(dir, "imagenet"), 0o755))
	testfiles.Features(t, filepath.Join(dir, "imagenet", "in50.npy"), pool.X, pool.D, pool.Labels)
	stdout, _ := done(t, "data", "list", "--data-dir", dir)
	for name, words := range map[string][]string{
		"in50": {"ImageNet-50", "25 train, 25 test classes, vectors of 384", "present"}, "in100": {"missing"},
		"standin200": {
			"Synthetic stand-in for ImageNet-200 features", "100 train, 100 test classes, 20000 vectors of 384",
			"synthetic",
		},
	} {
		_, line, _ := strings.Cut(stdout, "\n"+name+" ")
		line, _, _ = strings.Cut(line, "\n")
		contains(t, line, words...)
	}
	_, stderr, status := gfncp("data", "fetch", "in50", "in100", "--data-dir", dir)
	if status != exitPartly ||
		!strings.Contains(stderr,
			"python/features.py FOLDER "+filepath.Join(dir, "imagenet", "in100.npy")) {
		t.Errorf("fetch: status %d, %s", status, stderr)
	}
	pool.Labels, pool.Classes = nil, nil
	testfiles.Features(t, filepath.Join(dir, "imagenet", "in50.npy"), pool.X, pool.D, pool.Labels)
	refused(t, "holds no labels", "data", "fetch", "in50", "--data-dir", dir)
	for _, set := range result[dataJSON](t, "data", "list", "--data-dir", dir).Datasets {
		if set.Name == "standin50" && (set.State != "synthetic" || set.Folder != "") {
			t.Errorf("%+v", set)
		}
	}
}

// dataJSON is what `data list` prints with --json.
type dataJSON struct {
	SchemaVersion int `json:"schema_version"`
	Datasets      []struct {
		Name, Folder, State string
		Files               []struct{ File, Path, State, Fault string }
	}
}

func TestDataStates(t *testing.T) {
	dir := t.TempDir()
	must.M(os.Mkdir(filepath.Join(dir, "mnist"), 0o755))
	bad := testfiles.Write(t, []byte("<html>"), dir, "mnist", "t10k-labels-idx1-ubyte.gz")
	got := result[dataJSON](t, "data", "list", "--data-dir", dir)
	if got.SchemaVersion != 1 || len(got.Datasets) < 8 {
		t.Fatalf("with a damaged file: %+v", got)
	}
	mnist := got.Datasets[0]
	if mnist.State != "damaged" || mnist.Folder != filepath.Join(dir, "mnist") ||
		len(mnist.Files) != 4 || mnist.Files[0].State != "missing" {
		t.Errorf("%+v", mnist)
	}
	if f := mnist.Files[3]; f.State != "damaged" || f.Path != bad || f.Fault == "" {
		t.Errorf("%+v", f)
	}
	t.Setenv("GFNCP_DATA", dir)
	stdout, _ := done(t, "data", "list")
	contains(t, strings.Join(strings.Fields(stdout), " "), "damaged "+filepath.Join(dir, "mnist"),
		"missing "+filepath.Join(dir, "fashion-mnist"))
}

// With the real files, both data sets and the six that are made of them are present, and nothing needs the net.
func TestDataPresent(t *testing.T) {
	short.Skip(t, "reads whole data sets")
	dir := os.Getenv("GFNCP_DATA")
	if dir == "" {
		t.Skip("set GFNCP_DATA to a folder with MNIST and Fashion-MNIST to run this test")
	}
	if stdout := printed(t, "data", "fetch", "--data-dir", dir, "--offline", "--quiet"); stdout != "" {
		t.Errorf("fetch: %s", stdout)
	}
	if stdout, _ := done(t, "data", "list"); strings.Count(stdout, "  present  ") != 8 {
		t.Errorf("list: %s", stdout)
	}
	// One of two is there: part of the work failed.
	half := t.TempDir()
	must.M(os.Symlink(must.M1(filepath.Abs(filepath.Join(dir, "mnist"))), filepath.Join(half, "mnist")))
	if _, stderr, status := gfncp("data", "fetch", "--data-dir", half, "--offline"); status != exitPartly ||
		strings.Count(stderr, "is there already") != 4 || !strings.Contains(stderr, "fmnist is not there") {
		t.Errorf("fetch with half of the data: status %d\n%s", status, stderr)
	}
}
