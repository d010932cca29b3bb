package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/sweep"
)

// tinySweep writes a sweep file of three short trainings, with further key=value settings, and makes its folder the
// working directory.
func tinySweep(t *testing.T, sets ...string) {
	t.Helper()
	t.Setenv(asProgram, "1")
	t.Chdir(t.TempDir())
	text := `metrics = ["NMI", "MC", "log-prob"]
[grid]
loss.beta = [0.5, 0.9, 1.0]
[set]
test.sets = 3
test.n = 8
`
	taken := map[string]bool{"--set": true}
	for _, set := range append(sets, tinyRun...) {
		if key, _, _ := strings.Cut(set, "="); !taken[key] {
			text, taken[key] = text+set+"\n", true
		}
	}
	must.M(os.WriteFile("tiny.toml", []byte(text), 0o644))
}

// sweepStates reads the states of the sweep in the working directory.
func sweepStates(t *testing.T) sweepReport {
	t.Helper()
	return result[sweepReport](t, "sweep", "status", "tiny.toml", "--scale", "smoke")
}

// timeless reads a table's JSON without what differs from one run to the next.
func timeless(t *testing.T, path string) string {
	t.Helper()
	read := must.M1(table.ReadJSON(must.M1(os.ReadFile(path))))
	read.Provenance = table.Provenance{}
	for i := range read.Cells {
		read.Cells[i].Seconds = 0
	}
	var text strings.Builder
	must.M(read.JSON(&text))
	return text.String()
}

// Planning prints the jobs and starts nothing; a fault in the file or on the command line is one line and status 2.
func TestSweepPlan(t *testing.T) {
	tinySweep(t)
	stdout, _ := done(t, "sweep", "plan", "tiny.toml", "--scale", "smoke", "--seeds", "2")
	contains(t, stdout, "beta = 0.9, seed 2")
	if n := strings.Count(stdout, "mog-gfncp-cold-"); n != 6 {
		t.Errorf("%d jobs in\n%s", n, stdout)
	}
	plan := result[sweep.Plan](t, "sweep", "plan", "tiny.toml") // small: 2 seeds
	if plan.Hash == "" || len(plan.Jobs) != 6 {
		t.Errorf("%d jobs, hash %q", len(plan.Jobs), plan.Hash)
	}
	if exists("sweeps") || exists("runs") || exists("results") {
		t.Error("planning wrote something")
	}
	must.M(os.WriteFile("broken.toml", []byte("[grid]\nloss.bta = [1.0]\n"), 0o644))
	for line, want := range map[string]string{
		"sweep":                            "takes FILE, but got",
		"sweep none.toml":                  "none.toml: cannot be read",
		"sweep broken.toml":                `broken.toml: unknown key "loss.bta"; did you mean loss.beta`,
		"sweep tiny.toml --scale huge":     `scale "huge"`,
		"sweep tiny.toml --seeds 0":        "for flag --seeds: choose a whole number",
		"sweep tiny.toml --jobs 0":         "for flag --jobs: choose a whole number",
		"sweep tiny.toml --jobs 2 --slurm": "--jobs has no effect with --slurm",
		"sweep status tiny.toml":           "has not been run as this sweep",
		"sweep plan tiny.toml --nonsense":  "see gfncp sweep plan --help",
		"sweep work . --job 1":             "is not a sweep's directory",
	} {
		refused(t, want, strings.Fields(line)...)
	}
}

// A job that fails leaves the others alone, and the same command tries it again.
func TestSweepFailure(t *testing.T) {
	tinySweep(t)
	plan := result[sweep.Plan](t, "sweep", "plan", "tiny.toml", "--scale", "smoke")
	inTheWay := testfiles.Write(t, []byte("seed = 77\n"), "runs", plan.Jobs[1].Run, "config.toml")

	stdout, stderr, status := gfncp("sweep", "tiny.toml", "--scale", "smoke", "--jobs", "2", "--threads", "1",
		"--backend", "go")
	if status != exitPartly || !strings.Contains(stderr, "1 of 3 jobs failed") ||
		!strings.Contains(stdout, "not done") {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	check := func(when string, status sweep.Status, attempts int) {
		t.Helper()
		r := sweepStates(t)
		if r.Counts[sweep.Done]+r.Counts[status] < 3 || r.Jobs[1].Status != status || r.Jobs[1].Attempts != attempts ||
			r.Jobs[0].Attempts != 1 {
			t.Errorf("%s: %+v", when, r)
		}
	}
	check("after the first run", sweep.Failed, 1)
	text, _ := done(t, "sweep", "status", "tiny.toml", "--scale", "smoke")
	contains(t, text, "holds a run with another config", "2 done, 1 failed of 3 jobs")
	must.M(os.Remove(inTheWay))
	printed(t, "sweep", "tiny.toml", "--scale", "smoke", "--quiet", "--backend", "go")
	check("after the second run", sweep.Done, 2)

	before := timeless(t, "results/smoke/sweep-tiny.json")
	stdout, stderr = done(t, "sweep", "tiny.toml", "--scale", "smoke", "--json")
	contains(t, stderr, "3 jobs, 0 to run")
	if !json.Valid([]byte(stdout)) {
		t.Errorf("a finished sweep prints %s", stdout)
	}
	if after := timeless(t, "results/smoke/sweep-tiny.json"); after != before ||
		!strings.Contains(after, `"log-prob"`) ||
		strings.Contains(after, "not done") {
		t.Errorf("the table changed:\n%s\n%s", before, after)
	}
	for _, ext := range []string{".txt", ".md", ".tex", ".json"} {
		if !exists("results/smoke/sweep-tiny" + ext) {
			t.Errorf("there is no sweep-tiny%s", ext)
		}
	}
}
