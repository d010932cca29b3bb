package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/train"
)

// gfncp runs a command line in this process.
func gfncp(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = run(append([]string{"gfncp"}, args...), &out, &errs)
	return out.String(), errs.String(), status
}

// tinyRun are overrides under which a run takes well under a second.
var tinyRun = []string{
	"--set", "net.hidden=8", "--set", "net.embed=4", "--set", "net.global=4",
	"--set", "data.batch=4", "--set", "data.n_min=5",
	"--set", "data.n_max=10", "--set", "train.steps=6", "--set", "train.valid_every=3",
	"--set", "train.valid_sets=4", "--set", "train.checkpoint_every=2",
}

func trainTiny(t *testing.T, dir string) {
	t.Helper()
	if _, stderr, status := gfncp(
		append([]string{"train", "--model", "gfncp", "--out", dir, "--quiet"}, tinyRun...)...,
	); status != exitDone {
		t.Fatalf("train ended with %d: %s", status, stderr)
	}
}

// Every fault of the user is one line on stderr, nothing on stdout, and exit status 2.
func TestUserFaults(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GFNCP_DATA", filepath.Join(dir, "none"))
	broken := filepath.Join(dir, "broken.toml")
	must.M(os.WriteFile(broken, []byte("[train]\nstepz = 3\n"), 0o644))
	points := filepath.Join("..", "..", "examples", "points.csv")
	t.Cleanup(func() { must.M(memory.SetLimit("1TB")) })
	kept := filepath.Join(dir, "kept.safetensors")
	must.M(os.WriteFile(kept, []byte("precious"), 0o644))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"nonsense"}, `unknown command "nonsense"`},
		{[]string{"eval", "--nonsense"}, "flag provided but not defined"},
		{[]string{"list", "extra"}, "takes no argument"},
		{[]string{"describe"}, "takes one argument"},
		{[]string{"describe", "table9"}, "table9"},
		{[]string{"reproduce", "table9"}, `experiment "table9" is not known`},
		{[]string{"reproduce", "table3", "--scale", "huge"}, `scale "huge"`},
		{[]string{"reproduce", "table3", "--seeds", "0"}, "--seeds 0"},
		{[]string{"reproduce", "table3", "--out", kept}, kept},
		{[]string{"train", "--data", "cifar"}, `training data "cifar" is not known; use one of mog, mnist`},
		{[]string{"train", "--data", "mnist", "--out", filepath.Join(dir, "x")}, "gfncp data fetch mnist"},
		{[]string{"train", "--model", "xyz", "--out", filepath.Join(dir, "x")}, `model = "xyz"`},
		{[]string{"train", "--set", "train.stepz=3"}, `unknown key "train.stepz"`},
		{[]string{"train", "--config", broken}, broken + `:2: unknown key "train.stepz"`},
		{[]string{"train", "--config", filepath.Join(dir, "none.toml")}, "none.toml: cannot be read"},
		{[]string{"train", "--out", kept}, kept},
		{[]string{"train", "--resume", dir}, "is not a run directory"},
		{[]string{"train", "--resume", dir, "--seed", "3"}, "--seed has no effect"},
		{[]string{"eval", "--model", "none"}, "none: is neither a file"},
		{[]string{"eval", "--model", kept}, kept + ":"},
		{[]string{"eval", "--model", dir}, "holds no trained weights"},
		{[]string{"eval", "--sets", "0"}, "--sets 0"},
		{[]string{"export", "--out", kept}, "exists already"},
		{[]string{"export", "--out", filepath.Join(dir, "no", "such", "x.safetensors")}, "x.safetensors"},
		{[]string{"export", "--out", "x.txt"}, "is not a safetensors file name"},
		{[]string{"doctor", "--backend", "xla:cuda"}, "backend xla:cuda"},
		{[]string{"bench", "--repeats", "0"}, "--repeats 0"},
		{[]string{"train", "--set", "data.batch=9223372036854775807"}, "set batch to 1 to 1000000"},
		{[]string{"train", "--set", "data.batch=1000000", "--out", kept + "x"}, "or raise --memory-limit"},
		{[]string{"train", "--set", "data.n_max=1000000000000"}, "n_max is 1000000000000"},
		{[]string{"train", "--set", "train.valid_sets=1000000000000"}, "choose a number from 1 to 1000000"},
		{[]string{"train", "--set", "train.learning_rate=1e30"}, "choose a number from 0 to 1000000000"},
		{[]string{"train", "--set", "train.learning_rate=nan"}, "choose a number from 0 to 1000000000"},
		{[]string{"train", "--memory-limit", "64MB", "--out", kept + "x"}, "but 64 MB may be used"},
		{[]string{"train", "--memory-limit", "little"}, `"little" is no limit of memory`},
		{[]string{"cluster", points, "--samples", "1000000000000"}, "choose a number from 0 to 1000000"},
		{
			[]string{"cluster", points, "--samples", "1000000", "--memory-limit", "1GB", "--quiet"},
			"draw fewer samples, or raise --memory-limit",
		},
		{[]string{"eval", "--sdpp", "1000000000000"}, "--sdpp 1000000000000 is out of range"},
		{[]string{"eval", "--points", "1000000000000"}, "--points 1000000000000 is out of range"},
		{[]string{"eval", "--points", "1000000", "--memory-limit", "4GB"}, "16 sets of 1000000 points at a time would"},
		{[]string{"bench", "--batches", "1000000x1000000"}, "a step of 1000000 sets of 1000000 points"},
		{[]string{"score", points, "--orders", "-1"}, "--orders -1 is out of range"},
		{[]string{"cluster"}, "cluster"},
		{[]string{"cluster", filepath.Join(dir, "none.csv")}, "none.csv"},
		{[]string{"score", filepath.Join(dir, "none.csv"), "--labels", "c"}, "none.csv"},
	} {
		stdout, stderr, status := gfncp(test.args...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp %q: status %d, stdout %q, stderr %q; want status 2 and one line with %q",
				test.args, status, stdout, stderr, test.want)
		}
	}
	if string(must.M1(os.ReadFile(kept))) != "precious" {
		t.Error("a refused command overwrote a file")
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 2 {
		t.Errorf("refused commands left files behind: %v", entries)
	}
}

// The line from training to export: each command reads what the one before wrote.
func TestTrainEvalExportDescribe(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	trainTiny(t, dir)
	stdout, _, status := gfncp("eval", "--model", dir, "--sets", "3", "--points", "12", "--sdpp", "1", "--json")
	var quality struct {
		Sets int      `json:"sets"`
		MC   *float64 `json:"mc"`
		SDPP *float64 `json:"sdpp"`
	}
	must.M(json.Unmarshal([]byte(stdout), &quality))
	if status != exitDone || quality.Sets != 3 || quality.MC == nil || quality.SDPP == nil {
		t.Errorf("eval ended with %d: %s", status, stdout)
	}
	out := filepath.Join(t.TempDir(), "m.safetensors")
	if stdout, stderr, status := gfncp("export", "--model", dir, "--out", out); status != exitDone ||
		!strings.Contains(stdout, "43 tensors") {
		t.Errorf("export ended with %d: %s%s", status, stdout, stderr)
	}
	halve := []string{"export", "--model", dir, "--out", out, "--force", "--half"}
	if stdout, stderr, status := gfncp(halve...); status != exitDone ||
		!strings.Contains(stdout, "weights in half precision;") || !must.M1(train.ReadModel(out)).Half {
		t.Errorf("export --half ended with %d: %s%s", status, stdout, stderr)
	}
	if stdout, stderr, status := gfncp("describe", out); status != exitDone || !strings.Contains(stdout, "hidden = 8") {
		t.Errorf("describe ended with %d: %s%s", status, stdout, stderr)
	}
	again, _, status := gfncp("train", "--resume", dir, "--json", "--quiet")
	if status != exitDone || !strings.Contains(again, `"steps": 6`) {
		t.Errorf("a finished run, resumed, ended with %d: %s", status, again)
	}
}

func TestListDescribeDoctor(t *testing.T) {
	t.Parallel()
	stdout, _, status := gfncp("list")
	if status != exitDone || !strings.Contains(stdout, "table3") || !strings.Contains(stdout, "mog-gfncp") {
		t.Errorf("list: %d %s", status, stdout)
	}
	stdout, _, status = gfncp("describe", "table3")
	if status != exitDone || !strings.Contains(stdout, "gfncp reproduce table3") || strings.Count(stdout, "\n") > 60 ||
		!strings.Contains(stdout, "MNIST, GFNCP (warm start)\n") {
		t.Errorf("describe: %d %s", status, stdout)
	}
	stdout, _, status = gfncp("describe", "table3", "--config")
	if status != exitDone || !strings.Contains(stdout, "# paper, MoG, NCP, 3 seeds\n") ||
		!strings.Contains(stdout, "steps = 5000") {
		t.Errorf("describe --config: %d %d bytes", status, len(stdout))
	}
	var described struct {
		ID      string
		Configs map[string][]struct {
			Name   string
			Config train.Config
		}
	}
	stdout, _, status = gfncp("describe", "figure3", "--json")
	must.M(json.Unmarshal([]byte(stdout), &described))
	if cells := described.Configs["small"]; status != exitDone || described.ID != "figure3" ||
		len(cells) != 1 || cells[0].Config.Train.Steps != 800 {
		t.Errorf("describe --json: %d %+v", status, described)
	}
	unvalidated := t.TempDir()
	must.M(os.WriteFile(filepath.Join(unvalidated, "config.toml"), []byte(train.Default(train.NCP).String()), 0o600))
	stdout, _, status = gfncp("describe", unvalidated)
	if status != exitDone || !strings.Contains(stdout, "has not validated yet") ||
		!strings.Contains(stdout, "steps = 5000") {
		t.Errorf("describe of a run that has only begun: %d %s", status, stdout)
	}
	stdout, _, _ = gfncp("reproduce", "--help")
	for _, id := range experiments.IDs() {
		if !strings.Contains(stdout, id) {
			t.Errorf("reproduce --help does not name %s", id)
		}
	}
	stdout, stderr, status := gfncp("doctor", "--backend", "go", "--json")
	var d diagnosis
	must.M(json.Unmarshal([]byte(stdout), &d))
	if status != exitDone || !d.Healthy || d.Backend != "go" || d.Reason == "" || stderr != "" {
		t.Errorf("doctor: %d %+v %s", status, d, stderr)
	}
}

// Ctrl-C in training ends with status 130, leaves a checkpoint, and the run can be resumed to its end.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	args := append([]string{"train", "--out", dir}, tinyRun...)
	args = append(args, "--set", "train.steps=1000000", "--set", "train.checkpoint_every=100000",
		"--set", "train.valid_every=100000")
	cmd := exec.Command(must.M1(os.Executable()), append([]string{"-test.run=TestMainProcess", "--"}, args...)...)
	cmd.Env = append(os.Environ(), "GFNCP_TEST_MAIN=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must.M(cmd.Start())
	for range 600 { // until the first steps are logged
		if log, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl")); err == nil &&
			bytes.Count(log, []byte("\n")) > 3 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	must.M(cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != exitInterrupted {
		t.Fatalf("exit status %d, want 130: %s", status, stderr.String())
	}
	if want := "gfncp: interrupted; gfncp train --resume " + dir +
		" goes on\n"; !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("stderr %q, want %q at its end", stderr.String(), want)
	}
	if found := must.M1(filepath.Glob(filepath.Join(dir, "checkpoints", "step-*"))); len(found) != 1 {
		t.Errorf("checkpoints %v, want the one of the interruption", found)
	}
}

// TestMainProcess is not a test: it is gfncp itself, for TestInterrupt.
func TestMainProcess(t *testing.T) {
	if os.Getenv("GFNCP_TEST_MAIN") == "" {
		t.Skip("it only runs as a child process of TestInterrupt")
	}
	for i, arg := range os.Args {
		if arg == "--" {
			os.Args = append([]string{"gfncp"}, os.Args[i+1:]...)
			os.Exit(run(os.Args, os.Stdout, os.Stderr))
		}
	}
}

// --help explains the program, as help does.
func TestHelpFlag(t *testing.T) {
	flag, stderr, status := gfncp("--help")
	command, _, _ := gfncp("help")
	if status != exitDone || stderr != "" || flag != command || !strings.Contains(flag, "COMMANDS") {
		t.Errorf("status %d, %q, %q", status, flag, stderr)
	}
}

// full is an output that takes nothing, as /dev/full does.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command whose output could not be written has failed, help and version too.
func TestUnwrittenOutputFails(t *testing.T) {
	for _, line := range []string{"--help", "--version", "describe table3", "cluster --help", "list"} {
		args := strings.Fields(line)
		var stderr bytes.Buffer
		status := run(append([]string{"gfncp"}, args...), full{}, &stderr)
		if status != exitFailed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("gfncp %q: status %d, %q", args, status, stderr.String())
		}
	}
}

// A config that is there but cannot be read is not called missing.
func TestUnreadableConfig(t *testing.T) {
	dir := t.TempDir()
	must.M(os.Mkdir(filepath.Join(dir, "config.toml"), 0o755))
	_, stderr, status := gfncp("train", "--resume", dir)
	if status != exitUsage || !strings.Contains(stderr, "config.toml: cannot be read") {
		t.Errorf("status %d, %q", status, stderr)
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
