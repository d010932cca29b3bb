package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// ErrLater ends a worker whose job is not done and may be started again; see ExitLater.
var ErrLater = errors.New("the job is not done; the same command continues it")

const lookEvery = 200 * time.Millisecond

// Work runs a job in this process, from where earlier attempts left it, and keeps its state. It waits while another
// process runs the same job, or trains the same run. It returns ErrLater when ctx is cancelled; any other error is
// written to the job's state as the reason of its failure.
func (s *Sweep) Work(ctx context.Context, j Job, run Train) error {
	lock := flock.New(s.lockPath(j))
	if _, err := lock.TryLockContext(ctx, lookEvery/10); err != nil {
		if ctx.Err() != nil {
			return ErrLater
		}
		return fmt.Errorf("lock job %d: %w", j.N, err)
	}
	defer func() { _ = lock.Unlock() }()
	state, err := s.recorded(j)
	if state.Status == Done || err != nil {
		return err
	}
	host, _ := os.Hostname()
	state = State{Status: Running, Attempts: state.Attempts + 1, Host: host, PID: os.Getpid(), Started: now()}
	if err := s.writeState(j, state); err != nil {
		return err
	}
	tested, failed := s.compute(ctx, j, run)
	state.Ended = now()
	switch {
	case failed == nil:
		state.Status, state.Step, state.Tested = Done, tested.Result.Steps, &tested
	case errors.Is(failed, train.ErrInterrupted) || errors.Is(failed, context.Canceled):
		state.Status, failed = Interrupted, ErrLater
	default:
		state.Status, state.Error = Failed, failed.Error()
	}
	return errors.Join(failed, s.writeState(j, state))
}

// compute trains and evaluates. A panic is a failure like any other.
func (s *Sweep) compute(ctx context.Context, j Job, run Train) (tested evaluation.Tested, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := awaitRun(ctx, s.RunDir(j)); err != nil {
		return tested, err
	}
	return run(ctx, s.RunDir(j), j.Config, j.Test)
}

// awaitRun waits while another process, of another sweep or of `gfncp reproduce`, trains the same run.
func awaitRun(ctx context.Context, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return nil // nobody has begun it
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if _, err := lock.TryLockContext(ctx, lookEvery); err != nil {
		return fmt.Errorf("wait for the process that trains %s: %w", dir, err)
	}
	return lock.Unlock()
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// State reads how far a job is, and whether a process runs it.
func (s *Sweep) State(j Job) (State, error) {
	held, err := s.held(j) // first: who lets go of the lock has written how the attempt ended
	if err != nil {
		return State{}, err
	}
	state, err := s.recorded(j)
	if state.Status == Done || err != nil {
		return state, err
	}
	if last, ok := train.LastStep(s.RunDir(j)); ok {
		state.Step = last.Step
	}
	switch {
	case held:
		state.Status = Running
	case state.Status == Running: // it died
		state.Status = Interrupted
	}
	return state, nil
}

// recorded returns the state that a job's last attempt wrote, without a look at its lock: if it is Running, the process
// may have died. A job without an attempt, or whose run directory has been removed since it was done, is Planned.
func (s *Sweep) recorded(j Job) (State, error) {
	state := State{Status: Planned}
	text, err := fileio.ReadFile(s.statePath(j))
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return state, fmt.Errorf("read the state of job %d: %w", j.N, err)
	}
	fault := json.Unmarshal(text, &state)
	if fault == nil && !slices.Contains([]Status{Planned, Running, Interrupted, Failed, Done}, state.Status) {
		fault = fmt.Errorf("status %q", state.Status)
	}
	if fault != nil {
		return state, usererr.File(s.statePath(j), 0, "move it away", "is damaged: %v", fault)
	}
	if state.Status == Done {
		_, err := train.ReadResult(s.RunDir(j))
		if err != nil || state.Tested == nil || state.Tested.Scores.Sets == 0 {
			state.Status, state.Tested = Planned, nil
		}
	}
	return state, nil
}

// States returns the states of all jobs of the plan, in its order.
func (s *Sweep) States() ([]State, error) {
	var states []State
	for _, j := range s.Plan.Jobs {
		state, err := s.State(j)
		if err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

// held reports whether a process runs a job. It takes a shared lock for a moment; a worker that starts just then waits
// for it.
func (s *Sweep) held(j Job) (bool, error) {
	lock := flock.New(s.lockPath(j))
	free, err := lock.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look at the lock of job %d: %w", j.N, err)
	case !free:
		return true, nil
	}
	return false, lock.Unlock()
}

func (s *Sweep) lockPath(j Job) string { return s.file("locks", j.Run) }

func (s *Sweep) statePath(j Job) string { return s.file("state", j.Run+".json") }

func (s *Sweep) writeState(j Job, state State) error {
	return atomicfile.WriteJSON(s.statePath(j), state)
}
