package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// unset stands for an environment without GODEBUG.
const unset = "unset"

// runHelper starts this test binary as a program that calls Prepare first, with GODEBUG as given.
func runHelper(t *testing.T, godebug string) (helperReport, int) {
	t.Helper()
	// The time-out guards against a program that restarts itself for ever; it says nothing about speed.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "first argument", "--flag=√2", "")
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool { return strings.HasPrefix(s, "GODEBUG=") })
	if godebug != unset {
		cmd.Env = append(cmd.Env, "GODEBUG="+godebug)
	}
	cmd.Stdin = strings.NewReader("line one\nline two\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("helper: %v\n%s", err, &stderr)
	}
	var report helperReport
	must.M(json.Unmarshal(stdout.Bytes(), &report))
	return report, cmd.Process.Pid
}

// Trap 2: a simd build restarts with asyncpreemptoff=1, keeps every other setting, and leaves the user's own choice
// alone. Other builds do not restart.
func TestPrepare(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot replace itself on Windows")
	}
	for given, want := range map[string]string{ // GODEBUG before Prepare, and after it in a simd build
		unset:                             "asyncpreemptoff=1",
		"":                                "asyncpreemptoff=1",
		"http2client=0":                   "http2client=0,asyncpreemptoff=1",
		"asyncpreemptoff=1":               "asyncpreemptoff=1",
		"http2client=0,asyncpreemptoff=0": "http2client=0,asyncpreemptoff=0", // the user says no
	} {
		t.Run(given, func(t *testing.T) {
			report, pid := runHelper(t, given)
			settings := []string{want}
			if !SIMD() {
				settings = slices.DeleteFunc([]string{given}, func(s string) bool { return s == unset })
			}
			if !slices.Equal(report.Settings, settings) {
				t.Errorf("GODEBUG settings after Prepare: %q, want %q", report.Settings, settings)
			}
			if args := []string{"first argument", "--flag=√2", ""}; !slices.Equal(report.Args, args) {
				t.Errorf("arguments after Prepare: %q, want %q", report.Args, args)
			}
			if report.Stdin != "line one\nline two\n" {
				t.Errorf("standard input after Prepare: %q", report.Stdin)
			}
			if report.PID != pid {
				t.Errorf("process %d after Prepare, want the one that was started, %d", report.PID, pid)
			}
		})
	}
}

func TestPreemptionSafe(t *testing.T) {
	for godebug, want := range map[string]bool{
		"":                                 false,
		"asyncpreemptoff=1":                true,
		"asyncpreemptoff=0":                true, // the user's word stands
		"gctrace=1,asyncpreemptoff=1,x=y":  true,
		"gctrace=1":                        false,
		"notasyncpreemptoff=1":             false,
		"gctrace=1,myasyncpreemptoff=1,":   false,
		"asyncpreemptoffset=1,gcpacertr=1": false,
	} {
		if got := preemptionSafe(godebug); got != want {
			t.Errorf("preemptionSafe(%q) = %v, want %v", godebug, got, want)
		}
	}
}
