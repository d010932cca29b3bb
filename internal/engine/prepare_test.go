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
)

// runHelper starts this test binary as a program that calls Prepare first, with GODEBUG as given (nil: not set).
func runHelper(t *testing.T, godebug []string) (helperReport, int) {
	t.Helper()
	// The time-out guards against a program that restarts itself for ever; it says nothing about speed.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "first argument", "--flag=√2", "")
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "GODEBUG=") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	cmd.Env = append(append(cmd.Env, helperEnv+"=1"), godebug...)
	cmd.Stdin = strings.NewReader("line one\nline two\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("helper: %v\n%s", err, &stderr)
	}
	var report helperReport
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("helper printed %q: %v", &stdout, err)
	}
	return report, cmd.Process.Pid
}

// Trap 2: a simd build restarts with asyncpreemptoff=1, keeps every other setting, and leaves the user's own choice
// alone. Other builds do not restart.
func TestPrepare(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot replace itself on Windows")
	}
	for _, test := range []struct {
		name        string
		godebug     []string
		simd, plain []string // GODEBUG after Prepare, in simd builds and in others
	}{
		{"unset", nil, []string{"asyncpreemptoff=1"}, nil},
		{"empty", []string{"GODEBUG="}, []string{"asyncpreemptoff=1"}, []string{""}},
		{
			"other setting",
			[]string{"GODEBUG=http2client=0"},
			[]string{"http2client=0,asyncpreemptoff=1"},
			[]string{"http2client=0"},
		},
		{"set", []string{"GODEBUG=asyncpreemptoff=1"}, []string{"asyncpreemptoff=1"}, []string{"asyncpreemptoff=1"}},
		{
			"user says no",
			[]string{"GODEBUG=http2client=0,asyncpreemptoff=0"},
			[]string{"http2client=0,asyncpreemptoff=0"},
			[]string{"http2client=0,asyncpreemptoff=0"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, pid := runHelper(t, test.godebug)
			want := test.plain
			if SIMD() {
				want = test.simd
			}
			if !slices.Equal(report.Settings, want) {
				t.Errorf("GODEBUG settings after Prepare: %q, want %q", report.Settings, want)
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
			if !report.Safe {
				t.Error("PreemptionSafe() = false after Prepare")
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

func TestWithSetting(t *testing.T) {
	env := []string{"A=1", "GODEBUG=x=1", "GODEBUGGER=2", "GODEBUG=y=2", "B=GODEBUG=3"}
	got := withSetting(env, "GODEBUG", "z=3")
	if want := []string{"A=1", "GODEBUGGER=2", "B=GODEBUG=3", "GODEBUG=z=3"}; !slices.Equal(got, want) {
		t.Errorf("withSetting = %q, want %q", got, want)
	}
	if env[1] != "GODEBUG=x=1" {
		t.Error("withSetting changed its argument")
	}
}
