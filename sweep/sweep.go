// Package sweep trains and compares many settings: a file names the keys to vary (ReadSpec), a plan lists the jobs that
// this takes (Spec.Plan), each job runs in a process of its own (Sweep.Run here, Sweep.Script on Slurm, Sweep.Work in
// the process), and a table compares the settings (Sweep.Results).
//
// The files hold all state of a sweep. A job runs while a process holds its lock. If that process ends without a
// result, the job is interrupted, and another process can continue it. The caller trains and evaluates models (Bases,
// Train).
package sweep

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Sweep is a planned sweep with its directory:
//
//	plan.json       the jobs, resolved; it never changes
//	sweep.toml      the file it was planned from
//	state/RUN.json  how a job's last attempt ended; locks/RUN is held while one lasts
//	logs/RUN.log    what its workers printed
//	slurm.sh        the last batch script
//
// RUN is Job.Run. The trainings themselves lie in the directory of all runs, where other sweeps and `gfncp reproduce`
// find them.
type Sweep struct {
	Dir  string // absolute
	Plan *Plan
	Say  func(format string, args ...any) // narration, one call at a time; may be nil

	mutex sync.Mutex // of Say and of lists that several workers fill
}

// Job returns a job by its number.
func (s *Sweep) Job(n int) (Job, error) {
	if n < 1 || n > len(s.Plan.Jobs) {
		return Job{}, usererr.New(fmt.Sprintf("choose 1..%d", len(s.Plan.Jobs)), "%s has no job %d", s.Plan.Name, n)
	}
	return s.Plan.Jobs[n-1], nil
}

// Log returns the file to which a job's workers append their output.
func (s *Sweep) Log(j Job) string { return s.file("logs", j.Run+".log") }

// RunDir is the directory of a job's training.
func (s *Sweep) RunDir(j Job) string { return filepath.Join(s.Plan.Runs, j.Run) }

func (s *Sweep) file(name ...string) string {
	return filepath.Join(append([]string{s.Dir}, name...)...)
}

// Job is the smallest part of a sweep that a process runs: one training, with its evaluation.
type Job struct {
	N    int    `json:"n"`    // 1, 2, … in the plan
	Name string `json:"name"` // for people: the setting and the seed
	// unique in a plan, and usable as a file name: the run directory's
	Run    string          `json:"run"`
	Config train.Config    `json:"config,omitzero"` // of the training, seed included
	Test   evaluation.Test `json:"test"`
}

// Train trains a config in a run directory, or continues the run of an earlier process, and evaluates its best weights
// on a test. It computes no result twice. When ctx ends it leaves a checkpoint and returns train.ErrInterrupted.
type Train func(ctx context.Context, dir string, c train.Config, t evaluation.Test) (evaluation.Tested, error)

// Status says how far a job is.
type Status string

// The states of a job.
const (
	Planned     Status = "planned"     // no process has run it
	Running     Status = "running"     // a process holds its lock
	Interrupted Status = "interrupted" // a process began and did not end it; it continues from its last checkpoint
	Failed      Status = "failed"      // it ended with an error
	Done        Status = "done"        // its results are known, and its run directory is there
)

// State is the state of a job in its files. All fields but Status are about the last attempt, and are empty before the
// first.
type State struct {
	Status   Status             `json:"status"`
	Attempts int                `json:"attempts,omitzero"` // processes that began it
	Error    string             `json:"error,omitempty"`   // why it failed
	Host     string             `json:"host,omitempty"`
	PID      int                `json:"pid,omitzero"`
	Started  string             `json:"started,omitempty"` // RFC 3339
	Ended    string             `json:"ended,omitempty"`
	Step     int                `json:"step,omitzero"`   // the last step in the training's log
	Tested   *evaluation.Tested `json:"tested,omitzero"` // of a job that is done
}

// ExitLater is the exit status of a worker that was told to stop (SIGINT, SIGTERM or SIGUSR1) and left a checkpoint:
// starting it again later is right (EX_TEMPFAIL of sysexits.h). 0 is a job that is done, any other a failed one, which
// has written its reason to its state and its log.
const ExitLater = 75
