//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/sweep"
)

// startSweep starts gfncp sweep as a process of its own.
func startSweep(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := process(append([]string{"sweep"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must.M(cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, &out
}

// atStep waits until the log of a job's run has reached a step, and returns the process that trains it.
func atStep(t *testing.T, job, step int) int {
	t.Helper()
	pid := 0
	await(t, fmt.Sprintf("step %d of job %d", step, job), func() bool {
		if len(must.M1(filepath.Glob("sweeps/*/plan.json"))) == 0 {
			return false
		}
		j := sweepStates(t).Jobs[job-1]
		pid = j.PID
		return j.Status == sweep.Running && j.Step >= step
	})
	return pid
}

// stepsOf lists what each step of each run did, without its time.
func stepsOf(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, path := range must.M1(filepath.Glob("runs/*/metrics.jsonl")) {
		fmt.Fprintln(&all, path)
		for line := range strings.Lines(string(must.M1(os.ReadFile(path)))) {
			before, after, found := strings.Cut(line, `"seconds":`)
			if found {
				_, after, _ = strings.Cut(after, ",")
			}
			all.WriteString(before + after)
		}
	}
	return all.String()
}

// Killing workers and submitters at any time loses nothing and runs nothing twice: the table and every step of every
// run are those of a sweep that nobody disturbed.
func TestSweepSurvivesKilling(t *testing.T) {
	short.Skip(t, "kills sweeps")
	sets := []string{"train.steps=60", "train.checkpoint_every=8", "train.valid_every=20"}
	flags := []string{"--scale", "smoke", "--jobs", "2", "--threads", "1", "--backend", "go"}
	tinySweep(t, sets...)
	done(t, append([]string{"sweep", "tiny.toml"}, flags...)...)
	wantTable, wantSteps := timeless(t, "results/smoke/sweep-tiny.json"), stepsOf(t)
	if n := strings.Count(wantSteps, `"kind"`); n != 3*60 {
		t.Fatalf("the undisturbed runs have %d steps", n)
	}

	tinySweep(t, sets...)
	first, _ := startSweep(t, append([]string{"tiny.toml"}, flags...)...)
	must.M(syscall.Kill(atStep(t, 1, 5), syscall.SIGKILL)) // a worker, of which its submitter learns
	must.M(syscall.Kill(atStep(t, 2, 30), syscall.SIGKILL))
	atStep(t, 3, 10)
	must.M(first.Process.Kill()) // the submitter; its last worker goes on
	_ = first.Wait()
	var both sync.WaitGroup
	for range 2 { // two at once: no job may run in both
		second, out := startSweep(t, append([]string{"tiny.toml"}, flags...)...)
		both.Go(func() {
			if err := second.Wait(); err != nil {
				t.Errorf("going on: %v: %s", err, out)
			}
		})
	}
	both.Wait()
	for i, want := range []int{2, 2, 1} {
		if j := sweepStates(t).Jobs[i]; j.Attempts != want || j.Status != sweep.Done {
			t.Errorf("job %d is %s after %d attempts, want done after %d", i+1, j.Status, j.Attempts, want)
		}
	}
	if got := timeless(t, "results/smoke/sweep-tiny.json"); got != wantTable {
		t.Errorf("the table is\n%s\nwant\n%s", got, wantTable)
	}
	if got := stepsOf(t); got != wantSteps {
		t.Errorf("the steps differ from the undisturbed ones (%d and %d bytes)", len(got), len(wantSteps))
	}
}

// Ctrl-C stops the submitter and its workers, which leave checkpoints: status 130. A signal to a worker alone stops
// that: status 75. Either way the job continues where it was.
func TestSweepInterrupted(t *testing.T) {
	tinySweep(t, "train.steps=1000000", "train.checkpoint_every=1000000", "train.valid_every=1000000")
	must.M(os.WriteFile("tiny.toml", bytes.Replace(must.M1(os.ReadFile("tiny.toml")), []byte("[0.5, 0.9, 1.0]"),
		[]byte("[0.5]"), 1), 0o644))
	first, out := startSweep(t, "tiny.toml", "--scale", "smoke", "--threads", "1", "--backend", "go")
	worker := atStep(t, 1, 3)
	status := stopped(first, os.Interrupt)
	if contains(t, out.String(), "the same command continues it"); status != exitInterrupted {
		t.Errorf("interrupted with status %d", status)
	}
	j := sweepStates(t).Jobs[0]
	if j.Status != sweep.Interrupted || j.Attempts != 1 || syscall.Kill(worker, 0) == nil {
		t.Errorf("after Ctrl-C: %+v", j)
	}

	second, out := startSweep(t, "tiny.toml", "--scale", "smoke", "--threads", "1", "--backend", "go")
	must.M(syscall.Kill(atStep(t, 1, j.Step+3), syscall.SIGTERM)) // the worker alone
	_ = second.Wait()
	if status := second.ProcessState.ExitCode(); status != exitLater {
		t.Errorf("a stopped worker gives status %d: %s", status, out)
	}
	k := sweepStates(t).Jobs[0]
	if k.Status != sweep.Interrupted || k.Attempts != 2 || k.Step <= j.Step {
		t.Errorf("after SIGTERM to the worker: %+v", k)
	}
	contains(t, string(must.M1(os.ReadFile(k.Log))), fmt.Sprintf("resumed at step %d of 1000000", j.Step))
}
