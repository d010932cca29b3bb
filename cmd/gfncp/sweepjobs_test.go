//go:build unix

package main

import (
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

// jobStates are the states by the jobs' names.
func jobStates(t *testing.T) map[string]sweep.Status {
	t.Helper()
	states := map[string]sweep.Status{}
	for _, j := range sweepStates(t).Jobs {
		states[j.Name] = j.Status
	}
	return states
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
	inList(t, before+fmt.Sprintf(endless, 100000000))
	must.M(os.WriteFile("broken", nil, 0o644))
	stdout, stderr, status := swept("list.toml", "--backend", "go", "--budget", "6s", "--pack", "out")
	if got := jobStates(t); status != exitPartly || got["doctor"] != sweep.Failed || got["listed"] != sweep.Planned {
		t.Errorf("a broken machine ends with %d, %v: %s%s", status, got, stdout, stderr)
	}
	must.M(os.Remove("broken"))
	stdout, stderr, status = swept("list.toml", "--budget", "6s", "--pack", "out")
	got := jobStates(t)
	if status != exitPartly || got["doctor"] != sweep.Done || got["listed"] != sweep.Done ||
		got["wrong"] != sweep.Failed || got["endless"] != sweep.Interrupted {
		t.Errorf("status %d, %v: %s%s", status, got, stdout, stderr)
	}
	if !strings.Contains(stdout, "2 done, 1 interrupted, 1 failed of 4 jobs (local)") ||
		!strings.Contains(stdout, `"nonsense" is not known`) {
		t.Errorf("it prints %s", stdout)
	}
	if exists("results") {
		t.Error("there is no table, but a folder for it")
	}

	out := must.M1(filepath.Abs("out"))
	t.Chdir(t.TempDir())
	for _, name := range []string{"sweep", "runs-0"} {
		if text, err := exec.Command("tar", "-xzf", filepath.Join(out, name+".tar.gz")).CombinedOutput(); err != nil {
			t.Fatalf("tar: %v\n%s", err, text)
		}
	}
	log, _ := os.ReadFile(filepath.Join(onlySweep(t), "logs", "doctor.log"))
	if !strings.Contains(string(log), "float64 reference") {
		t.Errorf("the log of doctor came back as %q", log)
	}
	checkpoint := must.M1(filepath.Glob("runs/endless/checkpoints/*"))
	if len(checkpoint) != 1 {
		t.Fatalf("checkpoints %v, want one", checkpoint)
	}
	_, stderr, status = swept("resume", onlySweep(t), "--budget", "3s")
	if status != exitPartly || !strings.Contains(stderr, "1 to run") {
		t.Errorf("resumed with %d: %s", status, stderr)
	}
	times := must.M1(os.ReadFile(filepath.Join(onlySweep(t), "results", "times.txt")))
	if later := must.M1(filepath.Glob("runs/endless/checkpoints/*")); string(times) != "once\n" ||
		later[len(later)-1] <= checkpoint[0] {
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
		if jobStates(t)["endless"] == sweep.Interrupted {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("told to stop, the worker leaves %v", jobStates(t))
}
