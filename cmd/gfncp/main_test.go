package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/train"
)

// The line from training to export: each command reads what the one before wrote.
func TestTrainEvalExportDescribe(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	trainTiny(t, dir)
	quality := result[struct {
		Sets     int
		MC, SDPP *float64
	}](t, "eval", "--model", dir, "--sets", "3", "--points", "12", "--sdpp", "1")
	if quality.Sets != 3 || quality.MC == nil || quality.SDPP == nil {
		t.Errorf("eval: %+v", quality)
	}
	out := filepath.Join(t.TempDir(), "m.safetensors")
	exported, _ := done(t, "export", "--model", dir, "--out", out)
	halved, _ := done(t, "export", "--model", dir, "--out", out, "--force", "--half")
	described, _ := done(t, "describe", out)
	contains(t, exported, "43 tensors")
	contains(t, halved, "weights in half precision;")
	contains(t, described, "hidden = 8")
	if !must.M1(train.ReadModel(out)).Half {
		t.Error("export --half keeps whole weights")
	}
	if again := result[trained](t, "train", "--resume", dir, "--quiet"); again.Steps != 6 {
		t.Errorf("a finished run, resumed: %+v", again)
	}
}

func TestListDescribeDoctor(t *testing.T) {
	t.Parallel()
	listed, _ := done(t, "list")
	contains(t, listed, "table3", "mog-gfncp")
	described, _ := done(t, "describe", "table3")
	contains(t, described, "gfncp reproduce table3", "MNIST, GFNCP (warm start)\n")
	if strings.Count(described, "\n") > 60 {
		t.Errorf("describe: %s", described)
	}
	figure := result[struct {
		ID      string
		Configs map[string][]experiments.NamedConfig
	}](t, "describe", "figure3")
	cells := figure.Configs["small"]
	if figure.ID != "figure3" || len(cells) != 1 || cells[0].Config.Train.Steps != 800 {
		t.Errorf("describe --json: %+v", figure)
	}
	unvalidated := t.TempDir()
	must.M(os.WriteFile(filepath.Join(unvalidated, "config.toml"), []byte(train.Default(train.NCP).String()), 0o600))
	described, _ = done(t, "describe", unvalidated)
	contains(t, described, "has not validated yet", "steps = 5000")
	help, _ := done(t, "reproduce", "--help")
	contains(t, help, experiments.IDs()...)
	if d := result[diagnosis](t, "doctor", "--backend", "go"); !d.Healthy || d.Backend != "go" || d.Reason == "" {
		t.Errorf("doctor: %+v", d)
	}
}

// Ctrl-C in training ends with status 130, leaves a checkpoint, and the run can be resumed to its end.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	cmd := process(append(tiny("--out", dir), "--set", "train.steps=1000000", "--set", "train.checkpoint_every=100000",
		"--set", "train.valid_every=100000")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	must.M(cmd.Start())
	await(t, "the first steps", func() bool {
		log, _ := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
		return bytes.Count(log, []byte("\n")) > 3
	})
	status, want := stopped(cmd, os.Interrupt), "gfncp: interrupted; gfncp train --resume "+dir+" goes on\n"
	if status != exitInterrupted || !strings.HasSuffix(stderr.String(), want) {
		t.Fatalf("status %d, stderr %q, want 130 and %q at its end", status, stderr.String(), want)
	}
	if found := must.M1(filepath.Glob(filepath.Join(dir, "checkpoints", "step-*"))); len(found) != 1 {
		t.Errorf("checkpoints %v, want the one of the interruption", found)
	}
}

// full is an output that takes nothing, as /dev/full does.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command whose output could not be written has failed, help and version too.
func TestUnwrittenOutputFails(t *testing.T) {
	for _, line := range []string{"--help", "--version", "describe table3", "cluster --help"} {
		args := strings.Fields(line)
		var stderr bytes.Buffer
		status := run(append([]string{"gfncp"}, args...), full{}, &stderr)
		if status != exitFailed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("gfncp %q: status %d, %q", args, status, stderr.String())
		}
	}
}

// Texts that a spreadsheet would take for a formula are marked; numbers are not.
func TestPlainCells(t *testing.T) {
	for text, want := range map[string]string{
		`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "@SUM(A1)": "'@SUM(A1)", "+x": "'+x", "-x": "'-x",
		"-1.5": "-1.5", "+2e3": "+2e3", "": "", "a=b": "a=b", "7": "7",
	} {
		if got := plainCell(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// nightResults are results of this project, as gfncp reproduce wrote them.
const nightResults = "../../results/night"

// Of a table that two folders hold the first one's counts.
func TestReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := must.M1(os.ReadFile(filepath.Join(nightResults, "table3.json")))
	must.M(os.WriteFile(filepath.Join(dir, "table3.json"), text, 0o644))
	counted := func(args ...string) string {
		return printed(t, append([]string{"report"}, args...)...)
	}
	night := counted("--results", nightResults)
	contains(t, night, "GFNCP (paper), published evaluation ")
	if small := counted("--results", "../../results/small"); !strings.HasPrefix(small, "No table in ") {
		t.Error(small)
	}
	if both := counted("--results", dir, "--results", nightResults); both != night {
		t.Errorf("with another folder before it:\n%s%s", both, night)
	}
}

// README's sentences about the paper's numbers have the counts of gfncp report.
func TestReadmeCounts(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`(?m)^(.+?) {2,}(\d+) +(\d+) +(\d+) +\d+ +\d+$`)
	counts := map[string]*strings.Replacer{}
	for _, m := range row.FindAllStringSubmatch(printed(t, "report", "--results", nightResults), -1) {
		counts[m[1]] = strings.NewReplacer("CELLS", m[2], "ABOVE", m[3], "WITHIN", m[4])
	}
	readme := strings.Join(strings.Fields(string(must.M1(os.ReadFile("../../README.md")))), " ")
	for name, sentence := range map[string]string{
		"GFNCP (paper)": "Of CELLS comparable NMI and ARI values of the paper, GFNCP (paper) reaches ABOVE, and WITHIN",

		"GFNCP (published)":                 "GFNCP (published) reaches ABOVE, with WITHIN within;",
		"NCP":                               "; NCP ABOVE, with WITHIN.",
		"GFNCP (published; extended/walks)": "With our network and walks they reach ABOVE, with WITHIN, and ",
		"NCP (extended/walks)":              ", and ABOVE. The best",
		"the best of our rows":              "The best of all rows reaches ABOVE of CELLS, with WITHIN within.",

		"GFNCP (paper), published evaluation":     "GFNCP (paper) reaches ABOVE of CELLS, with WITHIN within, and",
		"GFNCP (published), published evaluation": "and GFNCP (published) ABOVE, with WITHIN.",
	} {
		contains(t, readme, counts[name].Replace(sentence))
	}
}

// The shipped weights behind a number of results/night are the ones that it names by their SHA-256.
func TestNumbersNameTheirWeights(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	for _, name := range root.Models() {
		sums[name] = must.M1(root.Find(name)).Params.SHA256()
	}
	for _, path := range must.M1(filepath.Glob(filepath.Join(nightResults, "table*.json"))) {
		count := 0
		for _, c := range must.M1(readTable(nightResults, strings.TrimSuffix(filepath.Base(path), ".json"))).Cells {
			if want, shipped := sums[c.Scale]; c.Ours != nil && shipped {
				if count++; !slices.Equal(c.Weights, []string{want}) {
					t.Errorf("%s: %s of %s on %s names the weights %q, but %s has %s",
						path, c.Metric, c.Model, c.Data, c.Weights, c.Scale, want)
				}
			}
		}
		if count == 0 {
			t.Errorf("%s: no number is of shipped weights", path)
		}
	}
}

// A run of some cells leaves a table with more numbers as it is, and writes its own below.
func TestReproduceLosesNoNumber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := must.M1(os.ReadFile(filepath.Join(nightResults, "table3.json")))
	must.M(os.WriteFile(filepath.Join(dir, "table3.json"), text, 0o644))
	_, said := done(t, "reproduce", "table3", "--scale", "small", "--train", "never", "--only", "mog-oracle",
		"--backend", "go", "--out", dir, "--runs", filepath.Join(dir, "runs"))
	contains(t, said, "table3.json stays: it has ", " numbers that this run lacks",
		filepath.Join("partial", "table3."))
	if again := must.M1(os.ReadFile(filepath.Join(dir, "table3.json"))); !bytes.Equal(again, text) {
		t.Error("the table was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, "partial", "table3.json")); err != nil {
		t.Error(err)
	}
}

// Each repeat is a line as Go's benchmarks print it, and one more tells what a step has held and what is estimated.
func TestBench(t *testing.T) {
	short.Skip(t, "measures trainings")
	stdout, _ := done(t, "bench", "^Step/ncp/64x75$", "--repeats", "2", "--backend", "go")
	line := regexp.MustCompile(`(?m)^BenchmarkStep/ncp/64x75-\d+\t1\t\d+ ns/op\t[0-9.e+]+ µs/point$`)
	if contains(t, stdout, "\nbackend: go\n"); len(line.FindAllString(stdout, -1)) != 2 {
		t.Error(stdout)
	}
	held := regexp.MustCompile(`(?m)^BenchmarkStep/ncp/64x75-\d+\t1\t\d+ resident-MB\t\d+ estimated-MB$`)
	if strings.Contains(stdout, "resident") && !held.MatchString(stdout) {
		t.Errorf("%s", stdout)
	}
}

// The same seed gives the same numbers on one core and on eight.
func TestNumberOfCores(t *testing.T) {
	short.Skip(t, "runs each command twice")
	differs := regexp.MustCompile(`"seconds": ?[0-9.e+-]+|"dir": ?"[^"]*"`)
	for _, command := range [][]string{
		{"cluster", example("penguins.csv"), "--samples", "20"},
		{"cluster", example("points.csv"), "--model", defaultModel, "--samples", "20"},
		{"score", example("labelled.csv"), "--labels", "label", "--orders", "20"},
		tiny("--data", "mog", "--quiet"),
	} {
		var answers [2]string
		for i, cores := range []int{1, 8} {
			before := runtime.GOMAXPROCS(cores)
			line := slices.Concat(command, []string{"--json", "--backend", "go"})
			if command[0] == "train" {
				line = append(line, "--out", filepath.Join(t.TempDir(), "run"))
			}
			stdout, _ := done(t, line...)
			runtime.GOMAXPROCS(before)
			answers[i] = differs.ReplaceAllString(stdout, "")
		}
		if answers[0] != answers[1] {
			t.Errorf("%v: one core has %.300s, eight have %.300s", command[0], answers[0], answers[1])
		}
	}
}
