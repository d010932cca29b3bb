// Package slurm runs the jobs of a sweep on a Slurm cluster: a batch script of a job array (script.go), the queue and
// what was submitted (queue.go). What a job is and how far it is belongs to package sweep.
package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// Executor runs workers as the tasks of job arrays on a cluster (docs/slurm.md). The sweep's directory, that of the
// runs and the program must lie where the nodes see them. The process that submits is not needed any more once it has:
// another one waits for the same arrays.
type Executor struct {
	Request Request       // what it leaves open is as the sweep's last submission said
	Poll    time.Duration // between two looks at the queue while waiting; 0: 15 s

	mutex sync.Mutex
	asked time.Time // when squeue was called last
}

// Name is "slurm".
func (x *Executor) Name() string { return "slurm" }

// Options are the fields of the request.
func (x *Executor) Options() (options []sweep.Option) {
	for _, f := range x.Request.fields() {
		options = append(options, f.Option)
	}
	return options
}

// Check reports what a batch script cannot hold.
func (x *Executor) Check(string) error { return x.Request.Validate() }

// Run submits the jobs that are neither done nor on their way as one job array, and waits until none of jobs is in the
// queue. Cancelling ctx ends the waiting alone.
func (x *Executor) Run(ctx context.Context, s *sweep.Sweep, jobs []sweep.Job) error {
	if err := x.submit(ctx, s, jobs); err != nil {
		return err
	}
	return x.wait(ctx, s, jobs)
}

// Active asks the queue for the tasks of the sweep's arrays.
func (x *Executor) Active(ctx context.Context, s *sweep.Sweep) (map[int]sweep.Status, error) {
	tasks, err := x.tasks(ctx, s)
	return active(tasks), advised(noAnswer, err)
}

// noAnswer is what a user reads when squeue fails.
const noAnswer = "Slurm's queue cannot be asked"

func (x *Executor) tasks(ctx context.Context, s *sweep.Sweep) ([]task, error) {
	known, err := readArrays(s)
	if err != nil {
		return nil, err
	}
	return x.queue(ctx, known)
}

// active is the state of each job that has a task; one that runs counts for more than one that waits.
func active(tasks []task) map[int]sweep.Status {
	jobs := map[int]sweep.Status{}
	for _, t := range tasks {
		if jobs[t.job] != sweep.Running {
			jobs[t.job] = t.status
		}
	}
	return jobs
}

// Cancel takes the sweep's arrays out of the queue. Slurm sends SIGTERM to those that run, and they leave checkpoints.
func (x *Executor) Cancel(ctx context.Context, s *sweep.Sweep) error {
	return whileSubmitting(ctx, s, func() error {
		tasks, err := x.tasks(ctx, s)
		if err != nil {
			return err
		}
		ids := map[string]bool{}
		for _, t := range tasks {
			ids[t.array] = true
		}
		if len(ids) == 0 {
			return nil
		}
		_, err = command(ctx, "scancel", append([]string{"--quiet"}, slices.Sorted(maps.Keys(ids))...)...)
		return err
	})
}

// submit gives Slurm what must still be started. Whatever happens in between, no job is submitted twice: only one
// process at a time submits, and before it does it asks the queue for every array that ever was.
func (x *Executor) submit(ctx context.Context, s *sweep.Sweep, jobs []sweep.Job) error {
	if strings.Contains(filepath.ToSlash(s.Program[0]), "/go-build") {
		return usererr.New("build it where the nodes see it (go build ./cmd/gfncp), and run that",
			"`go run` removes the program before the jobs start")
	}
	if slices.ContainsFunc(s.Plan.Jobs, func(j sweep.Job) bool { return j.Command != nil }) {
		return usererr.New("run it with --executor local", "%s has [[job]] entries, which run in order on one machine",
			s.Plan.Name)
	}
	if _, err := exec.LookPath("sbatch"); err != nil {
		return noSlurm("sbatch", err)
	}
	if err := x.Request.Validate(); err != nil {
		return err
	}
	return whileSubmitting(ctx, s, func() error {
		known, err := readArrays(s)
		if err != nil {
			return err
		}
		tasks, err := x.queue(ctx, known)
		if err != nil {
			return advised(noAnswer, err)
		}
		missing, err := unstarted(s, jobs, active(tasks))
		if err != nil || len(missing) == 0 {
			return err
		}
		options := x.Request.or(known.Options)
		array := known.add(s.Plan.Name, missing, time.Now())
		script, err := x.script(s, missing, options, array.Name)
		if err != nil {
			return err
		}
		if err := atomicfile.WriteFile(s.File(array.Script), []byte(script), 0o755); err != nil {
			return err
		}
		if err := atomicfile.WriteJSON(arraysPath(s), known); err != nil {
			return err
		}
		if array.ID, err = sbatch(ctx, s.File(array.Script)); err != nil {
			return advised("Slurm refused the job array", err)
		}
		known.Options = options // only now: what Slurm refuses must not stay
		s.Narrate("submitted job array %s: %d jobs; they go on when this command is stopped", array.ID, len(missing))
		return atomicfile.WriteJSON(arraysPath(s), known)
	})
}

// sbatch submits a script and returns the job's ID. Once begun it is not interrupted: the answer would be lost.
func sbatch(ctx context.Context, script string) (string, error) {
	answer, err := command(context.WithoutCancel(ctx), "sbatch", "--parsable", script)
	id, _, _ := strings.Cut(strings.TrimSpace(answer), ";") // the cluster's name may follow
	if err == nil && id == "" {
		err = errors.New("sbatch printed no job ID")
	}
	return id, err
}

// unstarted returns the jobs that are neither done, nor in the queue, nor run by a process outside of it.
func unstarted(s *sweep.Sweep, jobs []sweep.Job, queued map[int]sweep.Status) (missing []sweep.Job, err error) {
	for _, j := range jobs {
		if _, there := queued[j.N]; there {
			continue
		}
		state, err := s.State(j)
		if err != nil {
			return nil, err
		}
		if state.Status != sweep.Done && state.Status != sweep.Running {
			missing = append(missing, j)
		}
	}
	return missing, nil
}

// wait returns when none of the jobs is in the queue or held by a process.
func (x *Executor) wait(ctx context.Context, s *sweep.Sweep, jobs []sweep.Job) error {
	poll := cmp.Or(x.Poll, 15*time.Second)
	w := &waiting{sweep: s, open: slices.Clone(jobs), gone: map[int]time.Time{}, settle: settlePolls * poll}
	for {
		tasks, err := x.tasks(ctx, s)
		switch {
		case ctx.Err() != nil:
			s.Narrate("the jobs go on in Slurm; see gfncp sweep status %s", s.Dir)
			return ctx.Err()
		case errors.Is(err, exec.ErrNotFound):
			return err
		case err != nil: // a controller that restarts answers again
			w.say(fmt.Sprintf("the queue does not answer (%v); waiting", err))
		default:
			if err := w.look(tasks); err != nil || len(w.open) == 0 {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(poll):
		}
	}
}

// settlePolls is the number of polls for which a job that has left the queue may look unfinished: a shared file system
// shows what another machine wrote up to a minute later.
const settlePolls = 4

// waiting tells what becomes of jobs while it waits for them.
type waiting struct {
	sweep  *sweep.Sweep
	open   []sweep.Job
	gone   map[int]time.Time // since when an open job has been out of the queue
	settle time.Duration
	said   string
}

func (w *waiting) say(line string) {
	if line != w.said {
		w.said = line
		w.sweep.Narrate("%s", line)
	}
}

// look strikes out the jobs that have ended, and says how the others stand.
func (w *waiting) look(tasks []task) error {
	queued := active(tasks)
	var open []sweep.Job
	for _, j := range w.open {
		if _, there := queued[j.N]; there {
			delete(w.gone, j.N)
			open = append(open, j)
			continue
		}
		state, err := w.sweep.State(j)
		if err != nil {
			return err
		}
		if w.gone[j.N].IsZero() {
			w.gone[j.N] = time.Now()
		}
		waited := w.sweep.Cancelled() || time.Since(w.gone[j.N]) >= w.settle
		switch {
		case state.Status == sweep.Done:
			w.sweep.Narrate("job %d is done", j.N)
		case state.Status == sweep.Running || !waited: // by a process outside of Slurm, or not known yet
			open = append(open, j)
		case state.Status == sweep.Failed:
			reason, _, _ := strings.Cut(state.Error, "\n")
			w.sweep.Narrate("job %d failed: %s; see %s", j.N, reason, w.sweep.Log(j))
		default:
			w.sweep.Narrate("job %d is not done and has left the queue; see %s and %s", j.N, w.sweep.Log(j),
				w.sweep.File("slurm"))
		}
	}
	w.open = open
	if len(tasks) > 0 {
		w.say(summary(tasks))
	}
	return nil
}

// summary says how many tasks run and why the others wait.
func summary(tasks []task) string {
	running, reasons := 0, map[string]int{}
	for _, t := range tasks {
		if t.status == sweep.Running {
			running++
		} else {
			reasons[t.reason]++
		}
	}
	parts := []string{fmt.Sprintf("%d running", running)}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("%d waiting (%s)", reasons[reason], reason))
	}
	return "Slurm: " + strings.Join(parts, ", ")
}
