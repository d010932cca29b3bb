package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// asProgram is the environment variable under which this test binary is gfncp itself.
const asProgram = "GFNCP_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// process returns gfncp with a command line, as a process of its own that has not started.
func process(args ...string) *exec.Cmd {
	cmd := exec.Command(must.M1(os.Executable()), args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// executable writes a script that is gfncp into a folder, and returns its path.
func executable(folder string) string {
	path := filepath.Join(folder, "gfncp")
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, must.M1(os.Executable()))
	must.M(os.WriteFile(path, []byte(script), 0o755))
	return path
}

// gfncp runs a command line in this process.
func gfncp(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = run(append([]string{"gfncp"}, args...), &out, &errs)
	return out.String(), errs.String(), status
}

// done runs a command line, which must succeed.
func done(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, status := gfncp(args...)
	if status != exitDone {
		t.Fatalf("gfncp %q: status %d, %s", args, status, stderr)
	}
	return stdout, stderr
}

// printed runs a command line, which must succeed without a word on stderr, and returns what it prints.
func printed(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	stdout, stderr := done(t, args...)
	if stderr != "" {
		t.Errorf("gfncp %q: stderr %q", args, stderr)
	}
	return stdout
}

// result is what a command line with --json prints.
func result[T any](t *testing.T, args ...string) (value T) {
	t.Helper()
	must.M(json.Unmarshal([]byte(printed(t, append(args, "--json")...)), &value))
	return value
}

// refused runs a command line that is at fault, and returns its stderr: one line that contains want. The status is 2,
// and nothing is on stdout.
func refused(t *testing.T, want string, args ...string) (stderr string) {
	t.Helper()
	stdout, stderr, status := gfncp(args...)
	if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("gfncp %.300q: status %d, stdout %.300q, stderr %.1000q; want status 2 and one line with %q",
			args, status, stdout, stderr, want)
	}
	return stderr
}

// stopped sends a signal to a process that has begun, and returns its exit status.
func stopped(cmd *exec.Cmd, how os.Signal) (status int) {
	must.M(cmd.Process.Signal(how))
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// await waits until something has become true, for two minutes at most.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("in vain for %s", what)
		}
	}
}

// example is the path of a file in examples.
func example(name string) string { return filepath.Join(docsRoot, "examples", name) }

// contains fails the test for each of some words that a text lacks.
func contains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, want := range words {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// readCSV returns the records of a CSV file.
func readCSV(path string) [][]string {
	return must.M1(csv.NewReader(bytes.NewReader(must.M1(os.ReadFile(path)))).ReadAll())
}

// tinyRun are overrides under which a run takes well under a second.
var tinyRun = []string{
	"--set", "net.hidden=8", "--set", "net.embed=4", "--set", "net.global=4",
	"--set", "data.batch=4", "--set", "data.n_min=5",
	"--set", "data.n_max=10", "--set", "train.steps=6", "--set", "train.valid_every=3",
	"--set", "train.valid_sets=4", "--set", "train.checkpoint_every=2",
}

// tiny is the command line of such a run.
func tiny(args ...string) []string { return slices.Concat([]string{"train"}, args, tinyRun) }

func trainTiny(t *testing.T, dir string) {
	t.Helper()
	done(t, tiny("--model", "gfncp", "--out", dir, "--quiet")...)
}
