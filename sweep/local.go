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
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Local runs workers as processes of this machine.
type Local struct {
	Jobs    int // at the same time; a command always runs alone
	Threads int // of each training (GOMAXPROCS)
	// of a call of Run: then jobs are stopped so that they can go on later; 0: the plan's, if it has one
	Budget    time.Duration
	FailFast  bool // stop all at the first job that fails; else the others go on
	KeepGoing bool // the default in words; not beside FailFast
}

// Name is "local".
func (l *Local) Name() string { return "local" }

// Options are the fields.
func (l *Local) Options() []Option {
	return []Option{
		{"jobs", "jobs at a time (default: cores / threads; 1 on a GPU)", &l.Jobs},
		{"threads", "threads of each job (default: 2, or cores / jobs)", &l.Threads},
		{
			"budget", "time for all jobs, such as 25m: what does not fit is left, what still runs can go on later",
			&l.Budget,
		},
		{"fail-fast", "stop all jobs at the first that fails", &l.FailFast},
		{"keep-going", "go on with the others when a job fails (the default)", &l.KeepGoing},
	}
}

// threadsPerJob suits trainings, whose batches are computed in two parts side by side (train.shards).
const threadsPerJob = 2

// Check divides the machine's cores among the jobs; on a GPU they would share one device.
func (l *Local) Check(backend string) error {
	if l.FailFast && l.KeepGoing {
		return usererr.New("choose one", "--fail-fast and --keep-going exclude each other")
	}
	choice, err := engine.Choose(backend)
	if err != nil {
		return err
	}
	cores := runtime.NumCPU()
	if l.Jobs == 0 && strings.HasPrefix(choice.Name, "xla:cuda") {
		l.Jobs = 1
	}
	switch {
	case l.Jobs == 0:
		if l.Threads == 0 {
			l.Threads = min(threadsPerJob, cores)
		}
		l.Jobs = max(1, cores/l.Threads)
	case l.Threads == 0:
		l.Threads = max(1, cores/l.Jobs)
	}
	return nil
}

// Script is the command line of each worker.
func (l *Local) Script(s *Sweep, jobs []Job) (string, error) {
	var lines strings.Builder
	for _, j := range jobs {
		fmt.Fprintln(&lines, strings.Join(s.Worker(j), " "))
	}
	return lines.String(), nil
}

// Active returns the jobs whose locks are held, also those of a submitter that is gone.
func (l *Local) Active(_ context.Context, s *Sweep) (map[int]Status, error) {
	active := map[int]Status{}
	for _, j := range s.Plan.Jobs {
		held, err := s.held(j)
		if err != nil {
			return nil, err
		}
		if held {
			active[j.N] = Running
		}
	}
	return active, nil
}

// Cancel has nothing to add: the workers read the sweep's directory.
func (l *Local) Cancel(context.Context, *Sweep) error { return nil }

// Run starts the workers, never more than Jobs at once. Cancelling ctx, or the end of the budget, asks the running ones
// to stop, and Run waits for them. What a budget leaves is no error: it shows in the states.
func (l *Local) Run(ctx context.Context, s *Sweep, jobs []Job) error {
	r := &localRun{
		local: l, sweep: s, waiting: slices.Clone(jobs), before: map[int]int{}, ended: make(chan *worker),
		all: len(jobs),
	}
	if budget := cmp.Or(l.Budget, s.Plan.Budget.Duration); budget > 0 {
		r.until = time.Now().Add(budget)
	}
	for _, j := range jobs {
		state, _, err := s.recorded(j)
		if err != nil {
			return err
		}
		r.before[j.N] = state.Attempts
	}
	return r.run(ctx)
}

type localRun struct {
	local    *Local
	sweep    *Sweep
	waiting  []Job
	before   map[int]int // attempts of each job when the call began
	running  []*worker
	ended    chan *worker
	all      int   // jobs of the call
	over     int   // that have ended
	stopping bool  // no more are started
	fault    error // for which none are

	until time.Time // the end of the budget; zero: there is none
}

// worker is a process that this call started.
type worker struct {
	job   Job
	cmd   *exec.Cmd
	began time.Time
	err   error // of the process that has ended
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
			r.fault = err
			r.stop()
		}
		if len(r.running) == 0 && (r.stopping || len(r.waiting) == 0) {
			return cmp.Or(r.fault, ctx.Err())
		}
		select {
		case w := <-r.ended:
			r.reap(w)
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
				_ = w.cmd.Process.Kill()
			}
		case <-tick.C: // a job that another process held may be free now
		}
	}
}

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

// mayStart reports whether the jobs that a job needs are done, and its time fits into what is left, or says why not.
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
	expected := leastTime
	if j.Command != nil {
		expected = cmp.Or(j.Command.Expect.Duration, leastTime)
	}
	left := time.Until(r.until)
	if left >= max(expected, leastTime) {
		return true, nil
	}
	r.sweep.Narrate("job %d (%s) is left: %v expected, %v left", j.N, j.Name, expected, max(left, 0).Round(time.Second))
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
	w := &worker{job: j, cmd: cmd, began: time.Now()}
	r.running = append(r.running, w)
	r.sweep.Narrate("job %d of %d starts: %s", j.N, len(r.sweep.Plan.Jobs), j.Name)
	go func() {
		w.err = cmd.Wait()
		r.ended <- w
	}()
	return nil
}

func (r *localRun) reap(w *worker) {
	r.running = slices.DeleteFunc(r.running, func(one *worker) bool { return one == w })
	j := w.job
	var exit *exec.ExitError
	if errors.As(w.err, &exit) && exit.ExitCode() == ExitLater && !r.stopping {
		if held, err := r.sweep.held(j); err == nil && held { // another process was faster
			r.waiting = append(r.waiting, j)
			return
		}
	}
	r.over++
	if r.sweep.Ended != nil {
		defer r.sweep.Ended()
	}
	took := time.Since(w.began).Round(100 * time.Millisecond)
	if w.err == nil {
		r.sweep.Narrate("job %d is done (%s); %d of %d have ended", j.N, took, r.over, r.all)
		return
	}
	reason := w.err.Error()
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
		terminate(w.cmd.Process)
	}
}
