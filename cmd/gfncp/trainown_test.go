package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/train"
)

// writeVectors writes 40 points of 3 coordinates in two groups.
func writeVectors(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "%.3f,%.3f,%.3f\n", float64(i%2)*50+rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64())
	}
	must.M(os.WriteFile(path, []byte(text.String()), 0o600))
}

// The first coordinate is 25 from its median on either side, the others nearly 0: r = 25/√3 = 14.4, so noise 0.25 after
// the factor is 3.6 before it. From a table to a trained model to clusters: the run finds the table by its absolute
// path, and so does a resumed one.
func TestTrainOwnVectors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeVectors(t, "mine.csv")
	args := tiny("--model", "ncp", "--data", "mine.csv", "--no-standardize")
	stdout, stderr := done(t, append(args, "--set", "data.vectors.noise=0.25", "--backend", "go")...)
	contains(t, stderr, "own data: 6 steps of 4 sets, 5 to 10 points each, alpha 0.7 to 2")
	path, run := filepath.Join(dir, "mine.csv"), filepath.Join("runs", "mine-ncp-1")
	contains(t, stdout, "next: gfncp cluster "+path+" --model "+run+"\n")
	c := must.M1(train.ReadConfig(run))
	if c.Data.Source != data.SourceFile || c.Data.Path != path || c.Data.Dim != 3 ||
		c.Data.Vectors.Noise != 0.25 || c.Data.Factor <= 0 || c.Data.Factor == 1 {
		t.Errorf("config %v", c.Data)
	}
	run = filepath.Join(dir, run)
	t.Chdir(t.TempDir())
	stdout, _ = done(t, "cluster", path, "--model", run, "--backend", "go", "--samples", "5")
	contains(t, stdout, fmt.Sprintf("model mine-ncp-1, seed 1, scale factor %.4g", c.Data.Factor))
	done(t, "train", "--resume", run, "--backend", "go", "--quiet")
	refused(t, "eval scores against labels; gfncp cluster needs none", "eval", "--model", run, "--backend", "go")
	card, _ := done(t, "describe", filepath.Join(run, "checkpoints", "step-00000006.safetensors"))
	if contains(t, card, "trained   6 steps in ", "selected  step 6\n"); strings.Contains(card, "unknown") {
		t.Error(card)
	}
}

// The configs of runs can be trained anew, also those from before with keys that nothing reads.
func TestTrainByConfigsOfRuns(t *testing.T) {
	paths := slices.Concat(must.M1(filepath.Glob("../../pretrained/configs/*.toml")),
		must.M1(filepath.Glob("../../results/trainings/*.toml")))
	if len(paths) < 40 {
		t.Errorf("%d configs", len(paths))
	}
	for _, path := range paths {
		done(t, "train", "--config", path, "--show-config")
	}
	refused(t, "loss.beta = 0.125 means", "train", "--config", "../../pretrained/configs/mog-ncp.toml",
		"--set", "loss.beta=0.125")
}

// What counts as the same cluster is said as it is, and keys that mean nothing are refused. --show-config trains
// nothing; its text gives the same run again with --config.
func TestTrainOwnSaysWhatClustersAre(t *testing.T) {
	t.Chdir(t.TempDir())
	writeVectors(t, "mine.csv")
	for set, want := range map[string]string{
		"data.mode=generative": "one cluster is the points of one class, by the labels (data.mode)",
		"data.walk=5":          "one cluster is a point, its neighbours, and copies of them",
	} {
		stdout, stderr := done(t, "train", "--data", "mine.csv", "--set", set, "--show-config")
		contains(t, stderr, want)
		c := must.M1(train.ParseConfig("shown", []byte(stdout), train.Config{}))
		if c.Model != train.GFNCP || c.Train.WarmupSteps != 1000 || !filepath.IsAbs(c.Data.Path) ||
			c.Data.Vectors.Noise <= 0 {
			t.Errorf("config\n%s", stdout)
		}
	}
	if entries := must.M1(os.ReadDir(".")); len(entries) != 1 {
		t.Errorf("--show-config wrote files: %v", entries)
	}
	refused(t, "gfncp: data.split = test means nothing here: such a training of gfncp on file does not read it; leave "+
		"it out\n", "train", "--data", "mine.csv", "--set", "data.split=test", "--show-config", "--quiet")
}

// The flags for tables become keys of the config, packed or not; what is hardly meant is said, and a resumed run has
// its own.
func TestTrainOwnColumns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var text strings.Builder
	text.WriteString("id,a,b,kind\n")
	for i := range 12 {
		fmt.Fprintf(&text, "%d,%d,%d,k%d\n", i, i*i%7, i*i%5, i%3)
	}
	for _, name := range []string{"p.csv", "p.dat"} {
		must.M(os.WriteFile(name, []byte(text.String()), 0o600))
		line := []string{"train", "--data", name, "--labels", "kind", "--no-standardize", "--show-config"}
		config, stderr := done(t, append(line, "--columns", "b,a")...)
		contains(t, config, "columns = 'b,a'\nlabels = 'kind'\ndim = 2\n")
		if strings.Contains(stderr, "counts") {
			t.Errorf("%s: %q", name, stderr)
		}
		config, stderr = done(t, line...)
		contains(t, stderr, name+": columns that name or count the rows are set apart")
		contains(t, config, "labels = 'kind'\ndim = 2\n")
	}
	refused(t, "--columns has no effect with --resume", "train", "--resume", "runs/x", "--columns", "a")
	config := train.Default(train.NCP)
	config.Data = data.DefaultVectors("p.csv", 2)
	config.Data.Columns = "a,b"
	if next := nextCommand(config, "runs/x"); next != "gfncp cluster p.csv --model runs/x --columns a,b" {
		t.Error(next)
	}
	if config.Model = train.DAC; nextCommand(config, "runs/x") != "gfncp eval --model runs/x" {
		t.Error("a peer is to cluster")
	}
}

// A table of mixed columns is trained on by an encoding that the run keeps: it encodes the table again, and a single
// other row by the same numbers; results show the cells as they stood in the file.
func TestTrainOwnTable(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "id,mass,island,sex\n"
	for i := range 40 {
		mass := fmt.Sprint(3000 + 1000*(i%2) + i*i%37)
		if i == 7 {
			mass = "NA"
		}
		text += fmt.Sprintf("p%d,%s,%s,%s\n", i, mass, []string{"Dream", "Biscoe"}[i%2], []string{"f", "m"}[i/2%2])
	}
	must.M(os.WriteFile("p.csv", []byte(text), 0o600))
	args := tiny("--model", "ncp", "--data", "p.csv", "--ignore", "sex", "--out", "run", "--backend", "go")
	_, stderr := done(t, args...)
	contains(t, stderr, `are filled in: "mass" (1)`, `"island" (2 levels)`)
	if strings.Contains(stderr, `"sex"`) {
		t.Error(stderr)
	}
	c := must.M1(train.ReadConfig("run"))
	if e := must.M1(c.Data.TableEncoding()); c.Data.Dim != 3 || e.Dim() != 3 || c.Data.Ignore != "sex" {
		t.Errorf("dimension %d, encoding %v", c.Data.Dim, e)
	}
	cluster := []string{"cluster", "p.csv", "--model", "run", "--backend", "go", "--samples", "5", "--out", "o.csv"}
	done(t, cluster...)
	for _, option := range [][]string{{"--columns", "mass"}, {"--ignore", "nope"}} {
		refused(t, "p.csv: "+option[0]+" has no effect: the model finds its own columns by their names",
			append(cluster, option...)...)
	}
	lines := strings.Split(string(must.M1(os.ReadFile("o.csv"))), "\n")
	if !strings.HasPrefix(lines[0], "id,mass,island,cluster,") || !strings.HasPrefix(lines[2], "p1,4001,Biscoe,") ||
		!strings.HasPrefix(lines[8], "p7,,Biscoe,") {
		t.Errorf("results\n%s", strings.Join(lines[:9], "\n"))
	}
	must.M(os.WriteFile("other.csv", []byte("isle,mass\nDream,3000\nDream,4000\n"), 0o600))
	cluster[1] = "other.csv"
	refused(t, `gfncp: other.csv: there is no column "island", with which the clusters were found; `, cluster...)
}

func TestTrainOwnImages(t *testing.T) {
	t.Parallel()
	w := newImageWorkplace(t)
	args := tiny("--model", "ncp", "--data", w.points, "--out", w.path("run"), "--backend", "go")
	_, stderr := done(t, append(args, "--set", "train.steps=1")...)
	contains(t, stderr, "12 images scaled to 28×28 pixels", "one cluster is an image, its neighbours,")
	stdout, _ := done(t, "cluster", w.points, "--model", w.path("run"), "--backend", "go", "--samples", "3")
	contains(t, stdout, "12 images, read as 28×28 pixels")
}

// curves are the numbers of points of a tiny run's curves: six steps and two validations.
var curves = map[string]int{
	"train/loss": 6, "train/mc": 6, "train/cd": 6, "train/reg": 6, "train/nll": 6, "train/grad_norm": 6,
	"train/sampled_clusters": 6, "batch/points": 6, "batch/clusters": 6, "run/learning_rate": 6, "run/seconds": 6,
	"valid/loss": 2, "valid/nmi": 2, "valid/found_clusters": 2, "valid/true_clusters": 2,
}

// checkEvents wants these points of each curve in a run's one event file, and no other curve. What an event says is
// tested in package tensorboard.
func checkEvents(t *testing.T, run string) {
	t.Helper()
	files, got := eventFiles(run), map[string]int{}
	for _, tag := range regexp.MustCompile(`(?s)\n.((?:train|explore|batch|run|valid)/[a-z_]+)`).FindAllSubmatch(
		must.M1(os.ReadFile(files[0])), -1) {
		got[string(tag[1])]++
	}
	if len(files) != 1 || !maps.Equal(got, curves) {
		t.Errorf("points %v in %d event files", got, len(files))
	}
}

func eventFiles(run string) []string {
	return must.M1(filepath.Glob(filepath.Join(run, "tensorboard", "events.out.tfevents.*")))
}

// A finished run without curves gets them afterwards, all at once, and again if asked again. A log that something else
// has written to is one warning that names the line; the older curves stay.
func TestTensorboardOfFinishedRun(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	trainTiny(t, run)
	if len(eventFiles(run)) != 0 {
		t.Fatal("events without --tensorboard")
	}
	resume := []string{"train", "--resume", run, "--tensorboard", "--quiet"}
	for range 2 {
		printed(t, resume...)
		checkEvents(t, run)
	}
	log, before := filepath.Join(run, "metrics.jsonl"), eventFiles(run)
	text := append(must.M1(os.ReadFile(log)), "{\n"...)
	must.M(os.WriteFile(log, text, 0o644))
	_, stderr := done(t, resume...)
	contains(t, stderr, fmt.Sprintf("%s:%d: is no line of a run's log", log, bytes.Count(text, []byte("\n"))))
	if after := eventFiles(run); !slices.Equal(after, before) {
		t.Errorf("event files %v, before %v", after, before)
	}
}

// A fault in writing curves is one warning, and the training goes on.
func TestTensorboardFault(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	testfiles.Write(t, []byte("a file"), run, "tensorboard")
	config, _ := done(t, tiny("--show-config")...) // without it the folder would be foreign
	testfiles.Write(t, []byte(config), run, "config.toml")
	_, stderr := done(t, tiny("--out", run, "--quiet", "--tensorboard")...)
	if strings.Count(stderr, "no more TensorBoard events") != 1 {
		t.Error(stderr)
	}
}
