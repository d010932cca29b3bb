package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// Command is what a job runs that is no training: a line of the shell, in which gfncp is the program itself.
type Command struct {
	Line   string   `json:"line"`
	Limit  Duration `json:"limit,omitzero"`   // of one attempt; 0: none
	Expect Duration `json:"expect,omitzero"`  // with a budget, it starts only while this much is left
	Needed bool     `json:"needed,omitempty"` // no later job starts before it is done
}

// Duration is a time that JSON has as text, such as "2m0s".
type Duration struct{ time.Duration }

// MarshalText writes it as time.Duration does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

// stopPatience is how long a command that is told to stop may take; then it is killed.
const stopPatience = 15 * time.Second

// errLimit ends a command whose Limit is over.
var errLimit = errors.New("its limit is over")

// runCommand runs a job's command in a process group of its own, in the working directory, and prints what it prints.
// The line finds these variables:
//
//	BACKEND  the backend, as --backend takes it; gfncp takes it without being told
//	RUNS     the directory of the runs
//	RESULTS  a directory for what it writes: results/ in the sweep's own
//
// The error is train.ErrInterrupted when ctx or the command's limit ended it, or when its exit status says that it can
// be continued.
func (s *Sweep) runCommand(ctx context.Context, j Job) error {
	if limit := j.Command.Limit.Duration; limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%v)", errLimit, limit))
		defer stop()
	}
	env, err := s.commandEnv()
	if err != nil {
		return err
	}
	last := &lastLine{to: os.Stdout}
	cmd := exec.CommandContext(ctx, "sh", "-c", j.Command.Line)
	cmd.Env, cmd.SysProcAttr = env, ownGroup()
	cmd.Stdout, cmd.Stderr = last, last // no file: Wait then waits for all that the shell has started
	cmd.Cancel = func() error { return terminateGroup(cmd.Process) }
	cmd.WaitDelay = stopPatience
	err = cmd.Run()
	if cmd.Process != nil {
		killGroup(cmd.Process) // what is left of it
	}
	var exit *exec.ExitError
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), train.ErrInterrupted)
	case errors.As(err, &exit) && (exit.ExitCode() == ExitLater || exit.ExitCode() == exitInterrupted):
		return fmt.Errorf("%w: %w", err, train.ErrInterrupted)
	case err != nil:
		return fmt.Errorf("%w: %s", err, cmp.Or(last.line(), "it printed nothing"))
	}
	return nil
}

// exitInterrupted is the exit status of a gfncp that a signal has stopped.
const exitInterrupted = 130

// commandEnv is the environment of a command, whose PATH begins with a folder that holds gfncp.
func (s *Sweep) commandEnv() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program of the command: %w", err)
	}
	for _, folder := range []string{"bin", "results"} {
		if err := os.MkdirAll(s.File(folder), 0o755); err != nil {
			return nil, err
		}
	}
	link := s.File("bin", "gfncp")
	if err := os.RemoveAll(link); err != nil {
		return nil, err
	}
	if err := os.Symlink(program, link); err != nil {
		return nil, err
	}
	backend := s.Backend
	if backend == "" || backend == "auto" {
		backend = os.Getenv(engine.BackendEnv)
	}
	if backend == "" || backend == "auto" {
		choice, err := engine.Choose(backend)
		if err != nil {
			return nil, err
		}
		backend = choice.Name
	}
	path := s.File("bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	return append(os.Environ(),
		"PATH="+path, "BACKEND="+backend, engine.BackendEnv+"="+backend, "RUNS="+s.RunDir(Job{}),
		"RESULTS="+s.File("results"),
	), nil
}

// lastLine passes text on and remembers its end.
type lastLine struct {
	to  io.Writer
	end []byte
}

// Write passes text on.
func (l *lastLine) Write(text []byte) (int, error) {
	const most = 500 // bytes
	l.end = append(l.end, text...)
	l.end = l.end[max(0, len(l.end)-most):]
	return l.to.Write(text)
}

func (l *lastLine) line() string {
	lines := bytes.Split(bytes.TrimSpace(l.end), []byte("\n"))
	return strings.ToValidUTF8(string(lines[len(lines)-1]), "")
}
