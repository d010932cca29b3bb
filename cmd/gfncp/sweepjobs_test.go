//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/sweep"
)

// endless is a training that no test waits for, in a list.
const endless = `[[job]]
name = "endless"
run = 'gfncp train --out "$RUNS/endless" --quiet --set net.hidden=8 --set net.embed=4 --set net.global=4 --set data.batch=4 --set data.n_min=5 --set data.n_max=10 --set train.valid_sets=4 --set train.steps=100000000 --set train.valid_every=100000000 --set train.checkpoint_every=%d'
`

// inList writes a list and makes its folder the working directory.
func inList(t *testing.T, list string) {
	t.Helper()
	t.Setenv(asProgram, "1")
	t.Chdir(t.TempDir())
	must.M(os.WriteFile("list.toml", []byte(list), 0o644))
}

// statesByName are the states in the JSON of gfncp sweep status, by the jobs' names.
func statesByName(t *testing.T, text string) map[string]sweep.Status {
	t.Helper()
	var r sweepReport
	must.M(json.Unmarshal([]byte(text), &r))
	states := map[string]sweep.Status{}
	for _, j := range r.Jobs {
		states[j.Name] = j.Status
	}
	return states
}

// elsewhere runs a command line in a process of its own, in a folder.
func elsewhere(t *testing.T, folder string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(must.M1(os.Executable()), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, append(os.Environ(), asProgram+"=1"), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A list runs within its budget: what fails stops nothing unless it is needed, a training that the budget ends leaves a
// checkpoint, and what comes back in the archives goes on elsewhere, where what is done is not done again.
func TestSweepOfJobs(t *testing.T) {
	const before = `budget = "1h"
[[job]]
name = "doctor"
run = "test ! -e broken && gfncp doctor"
needed = true

[[job]]
name = "listed"
run = 'gfncp list >"$RESULTS/list.txt" && echo once >>"$RESULTS/times.txt"'

[[job]]
name = "wrong"
run = "gfncp train --model nonsense"

`
	t.Parallel() // it waits for the ends of budgets
	here := t.TempDir()
	must.M(os.WriteFile(filepath.Join(here, "list.toml"), []byte(before+fmt.Sprintf(endless, 100000000)), 0o644))
	must.M(os.WriteFile(filepath.Join(here, "broken"), nil, 0o644))
	states := func() map[string]sweep.Status {
		stdout, _, _ := elsewhere(t, here, "sweep", "status", "list.toml", "--json")
		return statesByName(t, stdout)
	}
	stdout, stderr, status := elsewhere(t, here, "sweep", "list.toml",
		"--backend", "go", "--budget", "6s", "--pack", "out")
	if got := states(); status != exitPartly || got["doctor"] != sweep.Failed || got["listed"] != sweep.Planned {
		t.Errorf("a broken machine ends with %d, %v: %s%s", status, got, stdout, stderr)
	}
	must.M(os.Remove(filepath.Join(here, "broken")))
	stdout, stderr, status = elsewhere(t, here, "sweep", "list.toml", "--budget", "6s", "--pack", "out")
	got := states()
	if status != exitPartly || got["doctor"] != sweep.Done || got["listed"] != sweep.Done ||
		got["wrong"] != sweep.Failed || got["endless"] != sweep.Interrupted {
		t.Errorf("status %d, %v: %s%s", status, got, stdout, stderr)
	}
	if !strings.Contains(stdout, "2 done, 1 interrupted, 1 failed of 4 jobs (local)") ||
		!strings.Contains(stdout, `"nonsense" is not known`) {
		t.Errorf("it prints %s", stdout)
	}
	if exists(filepath.Join(here, "results")) {
		t.Error("there is no table, but a folder for it")
	}

	there := t.TempDir()
	for _, name := range []string{"sweep", "runs-0"} {
		if text, err := exec.Command("tar", "-C", there, "-xzf",
			filepath.Join(here, "out", name+".tar.gz")).CombinedOutput(); err != nil {
			t.Fatalf("tar: %v\n%s", err, text)
		}
	}
	came := must.M1(filepath.Glob(filepath.Join(there, "sweeps", "*")))[0]
	log, _ := os.ReadFile(filepath.Join(came, "logs", "doctor.log"))
	if !strings.Contains(string(log), "float64 reference") {
		t.Errorf("the log of doctor came back as %q", log)
	}
	checkpoints := func() []string { return must.M1(filepath.Glob(filepath.Join(there, "runs/endless/checkpoints/*"))) }
	checkpoint := checkpoints()
	if len(checkpoint) != 1 {
		t.Fatalf("checkpoints %v, want one", checkpoint)
	}
	_, stderr, status = elsewhere(t, there, "sweep", "resume", filepath.Join("sweeps", filepath.Base(came)),
		"--budget", "3s")
	if status != exitPartly || !strings.Contains(stderr, "1 to run") {
		t.Errorf("resumed with %d: %s", status, stderr)
	}
	times := must.M1(os.ReadFile(filepath.Join(came, "results", "times.txt")))
	if later := checkpoints(); string(times) != "once\n" || later[len(later)-1] <= checkpoint[0] {
		t.Errorf("listed ran %q; the training was at %v and is at %v", times, checkpoint, later)
	}
}

// A call that is killed leaves the archives of its last copy; a training in them can be gone on with.
func TestKilledCallLeavesACopy(t *testing.T) {
	inList(t, "[[job]]\nname = \"quick\"\nrun = \"true\"\n"+fmt.Sprintf(endless,
		50)+"[[job]]\nname = \"never\"\nrun = \"true\"\n")
	cmd, out := startSweep(t, "list.toml", "--backend", "go", "--pack", "out")
	for range 600 {
		if found, _ := filepath.Glob("runs/endless/checkpoints/*"); len(found) > 0 && exists("out/sweep.tar.gz") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	worker := sweepStates(t).Jobs[1].PID
	must.M(cmd.Process.Kill())
	_ = cmd.Wait()
	must.M(syscall.Kill(worker, syscall.SIGTERM)) // it outlives its submitter
	list, err := exec.Command("tar", "-tzf", "out/sweep.tar.gz").CombinedOutput()
	if err != nil || !strings.Contains(string(list), "/state/quick.json") {
		t.Errorf("the copy holds %s %v; said %s", list, err, out)
	}
	for range 200 {
		stdout, _, _ := swept("status", onlySweep(t), "--json")
		if statesByName(t, stdout)["endless"] == sweep.Interrupted {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("told to stop, the worker leaves %+v", sweepStates(t))
}
