package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/atomicfile"
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
