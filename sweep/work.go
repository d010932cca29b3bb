package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// ErrLater ends a worker whose job is not done and may be started again; see ExitLater.
var ErrLater = errors.New("the job is not done; `gfncp sweep resume` continues it")

// How long a worker waits for others, and how often anybody looks at a file.
const (
	lockPatience = 2 * time.Second // somebody may look at the lock just now (Sweep.State)
	lookEvery    = 200 * time.Millisecond
)

// Work runs a job in this process, from where earlier attempts left it, and keeps its state. open starts the lab when
// there is something to compute. It returns ErrLater when ctx is cancelled, when the sweep is (Cancel), or when another
// process runs the job; any other error is written to the job's state as the reason of its failure.
func (s *Sweep) Work(ctx context.Context, j Job, open func() (*experiments.Lab, error)) error {
	if err := os.MkdirAll(s.File("locks"), 0o755); err != nil { // a packed sweep has none
		return err
	}
	lock := flock.New(s.lockPath(j))
	patient, stop := context.WithTimeout(ctx, lockPatience)
	defer stop()
	if ok, err := lock.TryLockContext(patient, lookEvery/10); !ok {
		if err != nil && patient.Err() == nil {
			return fmt.Errorf("lock job %d: %w", j.N, err)
		}
		return fmt.Errorf("another process runs job %d: %w", j.N, ErrLater)
	}
	defer func() { _ = lock.Unlock() }()
	state, done, err := s.recorded(j)
	if done || err != nil {
		return err
	}
	if s.Cancelled() || ctx.Err() != nil {
		return ErrLater
	}
	ctx, release := context.WithCancel(ctx)
	defer release()
	go func() {
		_ = await(ctx, func() (bool, error) { return s.Cancelled(), nil })
		release()
	}()
	host, _ := os.Hostname()
	state = State{Status: Running, Attempts: state.Attempts + 1, Host: host, PID: os.Getpid(), Started: now()}
	if err := s.writeState(j, state); err != nil {
		return err
	}
	failed := s.compute(ctx, j, open)
	state.Ended = now()
	switch {
	case failed == nil:
		state.Status = Done
	case errors.Is(failed, train.ErrInterrupted) || errors.Is(failed, context.Canceled):
		state.Status = Interrupted
		if errors.Is(failed, errLimit) {
			state.Error = errLimit.Error()
		}
		failed = ErrLater
	default:
		state.Status, state.Error = Failed, failed.Error()
	}
	return errors.Join(failed, s.writeState(j, state))
}

// compute trains and evaluates. A panic is a failure like any other.
func (s *Sweep) compute(ctx context.Context, j Job, open func() (*experiments.Lab, error)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if j.Command != nil {
		return s.runCommand(ctx, j)
	}
	lab, err := open()
	if err != nil {
		return err
	}
	if err := awaitRun(ctx, s.RunDir(j)); err != nil {
		return err
	}
	_, err = lab.TrainAndTest(ctx, s.RunDir(j), j.Config, j.Tests)
	return err
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

// await looks at an interval until something is over.
func await(ctx context.Context, over func() (bool, error)) error {
	for {
		if over, err := over(); over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// Cancel tells every worker of the sweep, on whatever machine, to leave a checkpoint and stop, and takes back what an
// executor has queued. It returns when none runs any more. Submit lifts it.
func (s *Sweep) Cancel(ctx context.Context, by Executor) error {
	if err := atomicfile.WriteFile(s.cancelPath(), []byte(now()+"\n"), 0o644); err != nil {
		return err
	}
	if err := by.Cancel(ctx, s); err != nil {
		return err
	}
	return await(ctx, func() (bool, error) {
		active, err := by.Active(ctx, s)
		return len(active) == 0, err
	})
}

// Cancelled reports whether the sweep's workers are to stop.
func (s *Sweep) Cancelled() bool {
	_, err := os.Lstat(s.cancelPath())
	return !errors.Is(err, fs.ErrNotExist)
}

func (s *Sweep) cancelPath() string { return s.File("cancelled") }

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// State reads how far a job is. Queued it cannot know: that is the executor's (Executor.Active).
func (s *Sweep) State(j Job) (State, error) {
	state, done, err := s.recorded(j)
	if done || err != nil {
		return state, err
	}
	held, err := s.held(j)
	if err != nil {
		return state, err
	}
	state.Step = lastStep(filepath.Join(s.RunDir(j), "metrics.jsonl"))
	switch {
	case held:
		state.Status = Running
	case state.Status == Done: // its results have been removed since
		state.Status = Planned
	case state.Status == Running: // it died
		state.Status = Interrupted
	}
	return state, nil
}

// recorded reads what a job's last attempt wrote, or a State that is Planned. A training is done when its run directory
// holds its results, a command when its state says so.
func (s *Sweep) recorded(j Job) (state State, done bool, err error) {
	state = State{Status: Planned}
	if _, err := s.Read(&state, "state", j.Run+".json"); err != nil {
		return state, false, err
	}
	if !slices.Contains([]Status{Planned, Queued, Running, Interrupted, Failed, Done}, state.Status) {
		return state, false, usererr.File(s.statePath(j), 0, "move it away", "is damaged: status %q", state.Status)
	}
	if j.Command != nil {
		return state, state.Status == Done, nil
	}
	tested, done, err := experiments.ReadTested(s.RunDir(j), j.Tests)
	if done {
		state.Status, state.Error, state.Step = Done, "", tested.Result.Steps
	}
	return state, done, err
}

// States returns the states of all jobs of the plan, in its order, with what the executor knows of them.
func (s *Sweep) States(ctx context.Context, by Executor) ([]State, error) {
	active, err := by.Active(ctx, s)
	if err != nil {
		return nil, err
	}
	var states []State
	for _, j := range s.Plan.Jobs {
		state, err := s.State(j)
		if err != nil {
			return nil, err
		}
		if status, ok := active[j.N]; ok && state.Status != Done && state.Status != Running {
			state.Status = status
		}
		states = append(states, state)
	}
	return states, nil
}

// Left returns the jobs that a call of an executor is to run: those that are neither done nor failed, and the failed
// ones that later jobs need.
func (s *Sweep) Left(ctx context.Context, by Executor) ([]Job, error) {
	return s.chosen(ctx, by, func(j Job, status Status) bool {
		return status != Done && (status != Failed || j.Command != nil && j.Command.Needed)
	})
}

// Jobs returns the jobs of the plan in one of the given states.
func (s *Sweep) Jobs(ctx context.Context, by Executor, in ...Status) ([]Job, error) {
	return s.chosen(ctx, by, func(_ Job, status Status) bool { return slices.Contains(in, status) })
}

func (s *Sweep) chosen(ctx context.Context, by Executor, wanted func(Job, Status) bool) (jobs []Job, err error) {
	states, err := s.States(ctx, by)
	if err != nil {
		return nil, err
	}
	for i, j := range s.Plan.Jobs {
		if wanted(j, states[i].Status) {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// held reports whether a process runs a job. Looking takes a shared lock for a moment, for which a worker that starts
// just then waits.
func (s *Sweep) held(j Job) (bool, error) {
	lock := flock.New(s.lockPath(j))
	free, err := lock.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the lock of job %d: %w", j.N, err)
	}
	if !free {
		return true, nil
	}
	return false, lock.Unlock()
}

func (s *Sweep) lockPath(j Job) string { return s.File("locks", j.Run) }

func (s *Sweep) statePath(j Job) string { return s.File("state", j.Run+".json") }

func (s *Sweep) writeState(j Job, state State) error {
	return atomicfile.WriteJSON(s.statePath(j), state)
}

// lastStep is the step of the last whole line of a training's log, 0 without one.
func lastStep(path string) int {
	const tail = 4096 // bytes; a line has a few hundred
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	size, _ := f.Seek(0, io.SeekEnd)
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, size-tail), tail))
	var last struct {
		Step int `json:"step"`
	}
	for line := range bytes.Lines(text) {
		_ = json.Unmarshal(line, &last) // a line that is cut off leaves the one before
	}
	return last.Step
}
