package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gfncp/gfncp/sweep"
)

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
