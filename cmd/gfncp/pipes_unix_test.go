//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"
)

// pipe makes a named pipe that nobody writes to.
func pipe(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "pipe")
	must.M(syscall.Mkfifo(path, 0o600))
	return path
}

// The first signal ends a command that waits for its input.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{
		{"cluster"}, {"score", "--labels", "c"}, {"predict", newWorkplace(t).saved(t)},
	} {
		path := pipe(t)
		cmd := process(append(command, path)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		must.M(cmd.Start())
		writer := must.M1(os.OpenFile(path, os.O_WRONLY, 0)) // waits until the command has opened it
		status := stopped(cmd, os.Interrupt)
		must.M(writer.Close())
		if contains(t, stderr.String(), "gfncp: interrupted"); status != exitInterrupted {
			t.Errorf("%s: exit status %d", command[0], status)
		}
	}
}

// New points may come through a pipe, which can be read only once: their columns are found on the way.
func TestPredictFromAPipe(t *testing.T) {
	w := newWorkplace(t)
	c, path := w.saved(t), pipe(t)
	const points = "what,y,x,id\nred,0.2,0.5,1\ngreen,1,8,2\n"
	go func() { must.M(os.WriteFile(path, []byte(points), 0o600)) }()
	got, _ := done(t, predictions("--json", c, path)...)
	want, _ := done(t, predictions("--json", c, w.write("points.csv", points))...)
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Where a pipe cannot be what is wanted, it is refused instead of waited for.
func TestPipesAreRefused(t *testing.T) {
	path := pipe(t)
	for _, args := range [][]string{
		{"export", "--model", path, "--out", path + ".safetensors"},
		{"eval", "--model", path},
		{"train", "--data", path, "--out", path + ".run"},
		{"train", "--config", path},
	} {
		refused(t, "gfncp: "+path+": is ", args...)
	}
}
