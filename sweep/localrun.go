package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// localRun is one call of Run.
type localRun struct {
	local    *Local
	sweep    *Sweep
	waiting  []Job
	before   map[int]int // attempts of each job when the call began
	running  []*worker
	ended    chan ended
	all      int  // jobs of the call
	over     int  // that have ended
	stopping bool // no more are started

	until time.Time // the end of the budget; zero: there is none
}

// worker is a process that this call started.
type worker struct {
	job     Job
	process *os.Process
	began   time.Time
}

type ended struct {
	w   *worker
	err error // of its process
}

func (r *localRun) run(ctx context.Context) error {
	cancelled := ctx.Done()
	var spent, late <-chan time.Time
	if !r.until.IsZero() {
		spent = time.After(time.Until(r.until))
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := r.fill(); err != nil {
			r.stop()
			for len(r.running) > 0 {
				r.reap(<-r.ended)
			}
			return err
		}
		if len(r.running) == 0 && (r.stopping || len(r.waiting) == 0) {
			return ctx.Err()
		}
		select {
		case e := <-r.ended:
			r.reap(e)
		case <-cancelled:
			cancelled = nil
			if len(r.running) > 0 {
				r.sweep.Narrate("stopping %d jobs, which leave checkpoints", len(r.running))
			}
			r.stop()
		case <-spent:
			r.sweep.Narrate("the budget is spent; stopping %d jobs, which can go on later", len(r.running))
			r.stop()
			late = time.After(stopPatience + latePatience)
		case <-late:
			for _, w := range r.running {
				_ = w.process.Kill()
			}
		case <-tick.C: // a job that another process held may be free now
		}
	}
}

// fill starts workers while there is room and a job that may start.
func (r *localRun) fill() error {
	if r.sweep.Cancelled() {
		r.stopping = true
	}
	for !r.stopping && len(r.running) < r.local.Jobs {
		j, ok, err := r.next()
		if err != nil || !ok {
			return err
		}
		if err := r.start(j); err != nil {
			return err
		}
	}
	return nil
}

// latePatience is what a worker has beyond stopPatience, that of its command, before the end of a budget kills it.
const latePatience = 5 * time.Second

// next takes the first waiting job out that no process holds and that may start, and drops those that have ended
// elsewhere or that the budget leaves. Commands keep their place: nothing overtakes one.
func (r *localRun) next() (Job, bool, error) {
	for i := 0; i < len(r.waiting); {
		j := r.waiting[i]
		state, err := r.sweep.State(j)
		if err != nil {
			return Job{}, false, err
		}
		elsewhere := state.Status == Failed && state.Attempts > r.before[j.N]
		switch {
		case state.Status == Done || elsewhere:
			r.waiting = slices.Delete(r.waiting, i, i+1)
			r.over++
		case r.mustWait(j, state):
			return Job{}, false, nil
		case state.Status == Running:
			i++
		default:
			r.waiting = slices.Delete(r.waiting, i, i+1)
			if starts, err := r.mayStart(j); starts || err != nil {
				return j, starts, err
			}
		}
	}
	return Job{}, false, nil
}

// mustWait reports whether a job and all after it wait for a command to end, or for their turn to run one.
func (r *localRun) mustWait(j Job, state State) bool {
	if j.Command != nil {
		return len(r.running) > 0 || state.Status == Running
	}
	return len(r.running) > 0 && r.running[0].job.Command != nil
}

// leastTime is what must be left of a budget for any job to start.
const leastTime = 2 * time.Second

// mayStart reports whether the jobs that a job needs are done, and its time fits into the rest of the budget; if not,
// it says so.
func (r *localRun) mayStart(j Job) (bool, error) {
	missing, err := r.sweep.needed(j)
	if err != nil {
		return false, err
	}
	if missing != nil {
		r.sweep.Narrate("job %d (%s) is not done: no job after it starts", missing.N, missing.Name)
		r.waiting = nil
		return false, nil
	}
	if r.until.IsZero() {
		return true, nil
	}
	var expected time.Duration
	if j.Command != nil {
		expected = j.Command.Expect.Duration
	}
	left := time.Until(r.until)
	if left >= max(expected, leastTime) {
		return true, nil
	}
	r.sweep.Narrate("job %d (%s) is left: %v expected, %v left", j.N, j.Name, cmp.Or(expected, leastTime),
		max(left, 0).Round(time.Second))
	return false, nil
}

// start runs a worker in a process group of its own, so that a terminal's Ctrl-C reaches it once: through this process.
func (r *localRun) start(j Job) error {
	line := r.sweep.Worker(j)
	cmd := exec.Command(line[0], line[1:]...)
	if j.Command == nil { // a command runs alone, and has all cores
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", r.local.Threads))
	}
	cmd.SysProcAttr = ownGroup()
	log, err := os.OpenFile(r.sweep.Log(j), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of job %d: %w", j.N, err)
	}
	defer func() { _ = log.Close() }() // the process has its own
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start job %d: %w", j.N, err)
	}
	w := &worker{j, cmd.Process, time.Now()}
	r.running = append(r.running, w)
	r.sweep.Narrate("job %d of %d starts: %s", j.N, len(r.sweep.Plan.Jobs), j.Name)
	go func() { r.ended <- ended{w, cmd.Wait()} }()
	return nil
}

// reap takes note of a worker that has ended.
func (r *localRun) reap(e ended) {
	r.running = slices.DeleteFunc(r.running, func(w *worker) bool { return w == e.w })
	j := e.w.job
	var exit *exec.ExitError
	if errors.As(e.err, &exit) && exit.ExitCode() == ExitLater && !r.stopping {
		if held, err := r.sweep.held(j); err == nil && held { // another process was faster
			r.waiting = append(r.waiting, j)
			return
		}
	}
	r.over++
	if r.sweep.Ended != nil {
		defer r.sweep.Ended()
	}
	took := time.Since(e.w.began).Round(100 * time.Millisecond)
	if e.err == nil {
		r.sweep.Narrate("job %d is done (%s); %d of %d have ended", j.N, took, r.over, r.all)
		return
	}
	reason := e.err.Error()
	if state, err := r.sweep.State(j); err == nil && state.Error != "" {
		reason, _, _ = strings.Cut(state.Error, "\n")
	}
	r.sweep.Narrate("job %d is not done (%s): %s; see %s", j.N, took, reason, r.sweep.Log(j))
	if r.local.FailFast && !r.stopping && exit != nil && exit.ExitCode() != ExitLater {
		r.sweep.Narrate("stopping the others (--fail-fast)")
		r.stop()
	}
}

// stop starts no more workers and asks those that run to leave checkpoints.
func (r *localRun) stop() {
	r.stopping = true
	for _, w := range r.running {
		terminate(w.process)
	}
}
