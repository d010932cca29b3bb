package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gfncp/gfncp/internal/engine"
)

// Workers says how the workers of a sweep are started.
type Workers struct {
	Program []string // the command line that starts gfncp, without its arguments
	Backend string   // that they compute on, as --backend takes it
	Jobs    int      // workers at a time on this machine
	Threads int      // of each (GOMAXPROCS)
}

// threadsPerJob suits trainings, whose batches are computed in two parts side by side (train.shards).
const threadsPerJob = 2

// Divide fills in Jobs and Threads where they are 0: all cores are used, and a GPU by only one worker.
func (w *Workers) Divide() error {
	choice, err := engine.Choose(w.Backend)
	if err != nil {
		return err
	}
	cores := runtime.NumCPU()
	if w.Jobs == 0 && strings.HasPrefix(choice.Name, "xla:cuda") {
		w.Jobs = 1
	}
	if w.Jobs == 0 {
		w.Threads = cmp.Or(w.Threads, min(threadsPerJob, cores))
		w.Jobs = max(1, cores/w.Threads)
	}
	w.Threads = cmp.Or(w.Threads, max(1, cores/w.Jobs))
	return nil
}

func (w *Workers) command(s *Sweep, job string) []string {
	return append(slices.Clone(w.Program), "sweep", "work", s.Dir, "--backend", w.Backend, "--job", job)
}

// Run starts a worker for each job that is not done, never more than w.Jobs at once, and returns when all have ended. A
// failed job does not stop others; its state has the error. When ctx is cancelled the workers leave checkpoints, and
// Run waits for them and returns ctx's error. Another Run of the same sweep, also of another process, shares the work:
// jobs that it runs come last, and their workers wait for it.
func (s *Sweep) Run(ctx context.Context, w Workers, jobs []Job) error {
	elsewhere, err := s.runEach(ctx, w, jobs, false)
	if err == nil {
		_, err = s.runEach(ctx, w, elsewhere, true)
	}
	return err
}

// runEach runs the jobs that are not done. Without wait it leaves out those that other processes run, and returns them.
func (s *Sweep) runEach(ctx context.Context, w Workers, jobs []Job, wait bool) (elsewhere []Job, err error) {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(w.Jobs)
	for _, j := range jobs {
		group.Go(func() error {
			state, err := s.State(j)
			switch {
			case err != nil || inner.Err() != nil || state.Status == Done:
				return cmp.Or(err, inner.Err())
			case state.Status == Running && !wait:
				s.mutex.Lock()
				defer s.mutex.Unlock()
				elsewhere = append(elsewhere, j)
				return nil
			}
			return s.runWorker(inner, w, j)
		})
	}
	err = group.Wait()
	return elsewhere, err
}

// runWorker runs a worker to its end, in a process group of its own, so that a terminal's Ctrl-C reaches it once:
// through this process. It returns only errors of ctx, and of starting the process.
func (s *Sweep) runWorker(ctx context.Context, w Workers, j Job) error {
	line := w.command(s, strconv.Itoa(j.N))
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", w.Threads))
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	log, err := os.OpenFile(s.Log(j), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of job %d: %w", j.N, err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start job %d: %w", j.N, err)
	}
	s.say("job %d of %d starts: %s", j.N, len(s.Plan.Jobs), j.Name)
	err = cmd.Wait()
	s.ended(j, err, time.Since(began).Round(100*time.Millisecond))
	return ctx.Err()
}

func (s *Sweep) ended(j Job, err error, took time.Duration) {
	if err == nil {
		s.say("job %d is done (%s)", j.N, took)
		return
	}
	reason := err.Error()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == ExitLater {
		reason = "it was told to stop"
	}
	if state, err := s.State(j); err == nil && state.Error != "" {
		reason, _, _ = strings.Cut(state.Error, "\n")
	}
	s.say("job %d is not done (%s): %s; see %s", j.N, took, reason, s.Log(j))
}

func (s *Sweep) say(format string, args ...any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.Say != nil {
		s.Say(format, args...)
	}
}
