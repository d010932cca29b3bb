package sweep

import (
	"cmp"
	"context"
	"fmt"
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
		{"budget", "time for all jobs, such as 25m: what does not fit is left, what still runs can go on later", &l.Budget},
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
		local: l, sweep: s, waiting: slices.Clone(jobs), before: map[int]int{}, ended: make(chan ended),
		all: len(jobs),
	}
	if budget := cmp.Or(l.Budget, s.Plan.Budget.Duration); budget > 0 {
		r.until = time.Now().Add(budget)
	}
	for _, j := range jobs {
		state, err := s.readState(j)
		if err != nil {
			return err
		}
		r.before[j.N] = state.Attempts
	}
	return r.run(ctx)
}
