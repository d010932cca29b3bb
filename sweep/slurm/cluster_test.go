//go:build linux

package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// needSlurm skips a test where no Slurm answers. `.ci/slurm.sh start` makes one of this machine.
func needSlurm(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the tests with Slurm take half a minute")
	}
	if out, err := exec.Command("sinfo", "--noheader").CombinedOutput(); err != nil {
		t.Skipf("no Slurm answers here (.ci/slurm.sh start): %v %s", err, out)
	}
}

// program builds gfncp once for all tests; TestMain removes it.
var program = sync.OnceValues(func() (path string, err error) {
	if programDir, err = os.MkdirTemp("", "gfncp-slurm-test"); err != nil {
		return "", err
	}
	path = filepath.Join(programDir, "gfncp")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path,
		"github.com/gfncp/gfncp/cmd/gfncp").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build gfncp: %w\n%s", err, out)
	}
	return path, nil
})

var programDir string

func TestMain(m *testing.M) {
	status := m.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	os.Exit(status)
}

// slow makes trainings last long enough to be met in the middle.
var slow = []string{"train.steps=600", "train.valid_every=300", "train.checkpoint_every=300"}

// cluster makes a sweep whose workers are a gfncp that was built for it, in an awkward directory.
func cluster(t *testing.T, text string, overrides ...string) *sweep.Sweep {
	t.Helper()
	s := awkward(t, text, overrides...)
	s.Program = []string{must.M1(program())}
	s.Say = func(format string, args ...any) { t.Logf(format, args...) }
	t.Cleanup(func() { _ = (&Executor{}).Cancel(context.Background(), s) })
	return s
}

func quick() *Executor {
	return &Executor{Request: Request{CPUs: 1, Memory: "1G"}, Poll: 300 * time.Millisecond}
}

// until waits for something that other processes bring about.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 600 {
		if holds() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("after a minute it is still not so that %s", what)
}

// runsAt reports whether a job runs and has taken some steps.
func runsAt(s *sweep.Sweep, j sweep.Job, step int) bool {
	state := must.M1(s.State(j))
	return state.Status == sweep.Running && state.Step >= step
}

// logs are what the files in a folder of the sweep's directory say: "slurm", of the tasks' scripts, or "logs", of the
// workers.
func logs(s *sweep.Sweep, folder string) string {
	var all bytes.Buffer
	for _, path := range must.M1(filepath.Glob(filepath.Join(s.File(folder), "*.log"))) {
		fmt.Fprintf(&all, "%s:\n%s", filepath.Base(path), must.M1(os.ReadFile(path)))
	}
	return all.String()
}

// tables are a sweep's results as every file that is written of them, without what a clock says.
func tables(t *testing.T, s *sweep.Sweep) map[string]string {
	t.Helper()
	results, figures, err := s.Results(table.Provenance{})
	must.M(err)
	for i := range results.Cells {
		results.Cells[i].Seconds = 0
	}
	dir := t.TempDir()
	must.M(table.Write(dir, nil, results, figures...))
	files := map[string]string{}
	for _, entry := range must.M1(os.ReadDir(dir)) {
		files[entry.Name()] = string(must.M1(os.ReadFile(filepath.Join(dir, entry.Name()))))
	}
	return files
}

// tellShell sends a signal to the script of a task, its worker's parent, alone. (scancel --batch --signal would repeat
// it: Slurm 22.05 answers that it should try again.)
func tellShell(t *testing.T, s *sweep.Sweep, j sweep.Job, signal os.Signal) {
	t.Helper()
	var name string
	var parent int
	stat := string(must.M1(os.ReadFile(fmt.Sprintf("/proc/%d/stat", must.M1(s.State(j)).PID))))
	must.M1(fmt.Sscanf(stat[strings.LastIndex(stat, ")")+1:], "%s %d", &name, &parent))
	must.M(must.M1(os.FindProcess(parent)).Signal(signal))
}

// TestSlurmSubmitter is not a test: it is a process that submits a sweep and waits, for TestSlurm to kill.
func TestSlurmSubmitter(t *testing.T) {
	dir := os.Getenv("GFNCP_TEST_SUBMIT")
	if dir == "" {
		t.Skip("it only runs as a child process of TestSlurm")
	}
	s := must.M1(sweep.Open(dir))
	s.Program, s.Backend = []string{os.Getenv("GFNCP_TEST_PROGRAM")}, "go"
	must.M(quick().Run(t.Context(), s, s.Plan.Jobs))
}

// A sweep over Slurm ends with the same tables, byte for byte, as one on this machine: although one of its tasks is
// requeued in the middle, another is warned of its time limit, the process that submitted it is killed, and another one
// goes on waiting. No job is submitted twice, and the two that were disturbed continue from their checkpoints.
func TestSlurm(t *testing.T) {
	needSlurm(t)
	const text = "seeds = [1, 2]\n[grid]\nloss.beta = [0.9, 0.99]\n"
	s := cluster(t, text, slow...)
	submitter := exec.Command(must.M1(os.Executable()), "-test.run=^TestSlurmSubmitter$")
	submitter.Env = append(os.Environ(), "GFNCP_TEST_SUBMIT="+s.Dir, "GFNCP_TEST_PROGRAM="+s.Program[0])
	must.M(submitter.Start())
	defer func() { _ = submitter.Wait() }()
	defer func() { _ = submitter.Process.Kill() }()

	first, second := s.Plan.Jobs[0], s.Plan.Jobs[1]
	until(t, "two jobs run", func() bool { return runsAt(s, first, 1) && runsAt(s, second, 1) })
	tellShell(t, s, second, syscall.SIGUSR1) // as --signal=B:USR1@90 does before the time limit
	array := must.M1(readArrays(s)).Arrays[0].ID
	must.M1(command(t.Context(), "scontrol", "requeue", fmt.Sprintf("%s_%d", array, first.N)))
	must.M(submitter.Process.Kill())

	must.M(quick().Run(t.Context(), s, s.Plan.Jobs))
	if known := must.M1(readArrays(s)); len(known.Arrays) != 1 {
		t.Errorf("%d job arrays were submitted, want one", len(known.Arrays))
	}
	for _, j := range s.Plan.Jobs {
		attempts := 1
		if j.N == first.N || j.N == second.N {
			attempts = 2
		}
		if state := must.M1(s.State(j)); state.Status != sweep.Done || state.Attempts != attempts {
			t.Errorf("job %d: %+v, want done after %d attempts", j.N, state, attempts)
		}
	}
	if log := logs(s, "slurm"); strings.Count(log, "queued again") != 1 ||
		strings.Count(log, "the worker ended with 75") != 2 {
		t.Errorf("the tasks' logs:\n%s\nthe workers':\n%s", log, logs(s, "logs"))
	}

	local := cluster(t, text, slow...)
	must.M((&sweep.Local{Jobs: 2, Threads: 1}).Run(t.Context(), local, local.Plan.Jobs))
	want, got := tables(t, local), tables(t, s)
	for name := range want {
		if want[name] != got[name] {
			t.Errorf("%s of Slurm is\n%s\nof this machine\n%s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) || len(got) < 5 {
		t.Errorf("%d and %d files", len(got), len(want))
	}
}

// Cancelling stops what runs, with checkpoints, and takes back what waits; nothing comes back by itself. A later run
// continues.
func TestSlurmCancel(t *testing.T) {
	needSlurm(t)
	s := cluster(t, "[grid]\nloss.beta = [0.9, 0.99]\n", slow...)
	x := quick()
	x.Request.AtOnce = 1
	ctx, stop := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() { gaveUp <- x.Run(ctx, s, s.Plan.Jobs) }()
	until(t, "the first job runs", func() bool { return runsAt(s, s.Plan.Jobs[0], 1) })
	stop()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped submitter ends with %v", err)
	}
	if active := must.M1(x.Active(t.Context(), s)); active[1] != sweep.Running || active[2] != sweep.Queued {
		t.Errorf("without its submitter: %v", active)
	}
	must.M(s.Cancel(t.Context(), x))
	first, second := must.M1(s.State(s.Plan.Jobs[0])), must.M1(s.State(s.Plan.Jobs[1]))
	if first.Status != sweep.Interrupted || first.Step < 1 || second.Status != sweep.Planned {
		t.Errorf("cancelled: %+v and %+v", first, second)
	}
	if log := logs(s, "slurm"); strings.Contains(log, "queued again") {
		t.Errorf("a cancelled task came back:\n%s", log)
	}
	must.M(s.Submit(sweep.Submission{Executor: x.Name()})) // what gfncp sweep resume does first
	go func() { gaveUp <- (&Executor{Poll: x.Poll}).Run(t.Context(), s, s.Plan.Jobs[:1]) }()
	until(t, "the first job runs again", func() bool { return runsAt(s, s.Plan.Jobs[0], first.Step+1) })
	// it must not pass that on: Slurm tells the worker, for which a second signal is "at once"
	tellShell(t, s, s.Plan.Jobs[0], syscall.SIGTERM)
	must.M(<-gaveUp)
	if state := must.M1(s.State(s.Plan.Jobs[0])); state.Status != sweep.Done || state.Attempts != 2 {
		t.Errorf("continued: %+v", state)
	}
	known := must.M1(readArrays(s))
	for _, script := range []string{
		string(must.M1(os.ReadFile(s.File(known.Arrays[1].Script)))),
		must.M1((&Executor{}).Script(s, s.Plan.Jobs[:1])),
	} {
		if len(known.Arrays) != 2 || !strings.Contains(script, "--array=1%1\n") ||
			!strings.Contains(script, "--mem=1G") {
			t.Errorf("the second submission forgot the options of the first:\n%s", script)
		}
	}
}

// A task that its user takes back with scancel leaves a checkpoint and stays away; whoever waits for it is told.
func TestSlurmTakenBack(t *testing.T) {
	needSlurm(t)
	s := cluster(t, "[grid]\nloss.beta = [0.9]\n", slow...)
	x := quick()
	ended := make(chan error)
	go func() { ended <- x.Run(t.Context(), s, s.Plan.Jobs) }()
	until(t, "the job runs", func() bool { return runsAt(s, s.Plan.Jobs[0], 1) })
	must.M1(command(t.Context(), "scancel", must.M1(readArrays(s)).Arrays[0].ID))
	must.M(<-ended)
	state, log := must.M1(s.State(s.Plan.Jobs[0])), logs(s, "slurm")
	if state.Status != sweep.Interrupted || state.Step < 1 || strings.Contains(log, "queued again") ||
		!strings.Contains(log, "the worker ended with 75") {
		t.Errorf("%+v\n%s", state, log)
	}
}

// Two processes that submit one sweep at the same time submit each job once, and both wait for all of them.
func TestSlurmTwoSubmitters(t *testing.T) {
	needSlurm(t)
	s := cluster(t, "[grid]\nloss.beta = [0.9, 0.99]\n")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			must.M(quick().Run(t.Context(), s, s.Plan.Jobs))
			for _, j := range s.Plan.Jobs {
				if state := must.M1(s.State(j)); state.Status != sweep.Done || state.Attempts != 1 {
					t.Errorf("job %d: %+v, want done after one attempt", j.N, state)
				}
			}
		})
	}
	both.Wait()
	if known := must.M1(readArrays(s)); len(known.Arrays) != 1 || len(known.Arrays[0].Jobs) != 2 {
		t.Errorf("arrays %+v, want one with both jobs", known.Arrays)
	}
}

// The script of a dry run is what Slurm takes. A submission that it refuses is one line with Slurm's own words and a
// remedy.
func TestSlurmRefusals(t *testing.T) {
	needSlurm(t)
	s := cluster(t, "[grid]\nloss.beta = [0.9, 0.99]\n")
	path := filepath.Join(t.TempDir(), "script.sh")
	must.M(os.WriteFile(path, []byte(must.M1(quick().Script(s, s.Plan.Jobs))), 0o755))
	if out, err := exec.Command("sbatch", "--test-only", path).CombinedOutput(); err != nil {
		t.Errorf("sbatch --test-only: %v\n%s", err, out)
	}
	for _, test := range []struct {
		options      Request
		says, remedy string
	}{
		{Request{Partition: "nonesuch"}, "invalid partition specified: nonesuch", "sinfo -s"},
		{Request{GPUs: "1"}, "gres", "--gpus"},
		{Request{Memory: "999T"}, "Memory specification can not be satisfied", "--memory"},
		{Request{Extra: []string{"--constraint=nonesuch"}}, "Invalid feature specification", "--constraint"},
		{Request{Extra: []string{"--nonesuch"}}, "unrecognized option '--nonesuch'", "man sbatch"},
	} {
		err := (&Executor{Request: test.options}).Run(t.Context(), s, s.Plan.Jobs)
		if !usererr.Is(err) || !strings.Contains(err.Error(), test.says) ||
			!strings.Contains(err.Error(), test.remedy) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v; want %q and %q", test.options, err, test.says, test.remedy)
		}
	}
	if active := must.M1(quick().Active(t.Context(), s)); len(active) > 0 {
		t.Errorf("refused, but active: %v", active)
	}
}
