// Package sweep trains and compares many settings: a file names the keys to vary (ReadFile), a plan lists the jobs that
// this takes (Spec.Plan), an executor runs each job in a process of its own (Executor, Work), and a table sets the
// settings side by side (Sweep.Results).
//
// A sweep has no memory but its files. A job is done when its run directory holds what the plan asks for; it runs while
// a process holds its lock; a lock that its process dropped without an end is an interrupted job. So any process may be
// killed at any time, and another one picks the sweep up.
//
// How a model is trained and judged belongs to package experiments, what a table looks like to package report.
package sweep

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Sweep is a planned sweep with the directory that holds all that is known of it:
//
//	plan.json       the jobs, resolved; it never changes
//	sweep.toml      the file it was planned from
//	submitted.json  the last command that ran it
//	state/RUN.json  what a job's last attempt said; locks/RUN is held while one lasts
//	logs/RUN.log    what its workers printed
//	cancelled       there while workers are to stop
//
// RUN is Job.Run. The trainings themselves lie in the directory of all runs, where other sweeps and `gfncp reproduce`
// find them.
type Sweep struct {
	Dir     string // absolute
	Plan    *Plan
	Program []string                         // the command line that starts gfncp, without its arguments
	Backend string                           // that workers compute on, as --backend takes it
	Say     func(format string, args ...any) // narration; may be nil
	// hears that a worker has ended; may be nil, and not every executor calls it
	Ended func()

	unsaved *Spec // what it was planned from, until Save
}

// Job returns a job by its number.
func (s *Sweep) Job(n int) (Job, error) {
	if n < 1 || n > len(s.Plan.Jobs) {
		return Job{}, usererr.New(fmt.Sprintf("choose 1..%d", len(s.Plan.Jobs)), "%s has no job %d", s.Plan.Name, n)
	}
	return s.Plan.Jobs[n-1], nil
}

// Worker is the command line of the process that runs a job, program first; the job's number is its last word.
func (s *Sweep) Worker(j Job) []string {
	return append(append([]string{}, s.Program...), "sweep", "work", s.Dir, "--backend", s.Backend, "--job",
		strconv.Itoa(j.N))
}

// File is a path in the sweep's directory.
func (s *Sweep) File(name ...string) string {
	return filepath.Join(append([]string{s.Dir}, name...)...)
}

// Log is the file that a job's workers append what they print to.
func (s *Sweep) Log(j Job) string { return s.File("logs", j.Run+".log") }

// RunDir is the directory of a job's training.
func (s *Sweep) RunDir(j Job) string {
	if filepath.IsAbs(s.Plan.Runs) {
		return filepath.Join(s.Plan.Runs, j.Run)
	}
	return s.File(filepath.FromSlash(s.Plan.Runs), j.Run)
}

// Narrate calls Say, if there is one.
func (s *Sweep) Narrate(format string, args ...any) {
	if s.Say != nil {
		s.Say(format, args...)
	}
}

// Job is the smallest part of a sweep that a process runs: one training, with the evaluations that the sweep wants of
// it, or one command. Settings that differ only in their tests share a job.
type Job struct {
	N    int    `json:"n"`    // 1, 2, … in the plan
	Name string `json:"name"` // for people: the setting and the seed
	// unique in a plan, and usable as a file name: the run directory's
	Run     string            `json:"run"`
	Config  train.Config      `json:"config,omitzero"` // of the training, seed included
	Tests   []evaluation.Test `json:"tests"`
	Command *Command          `json:"command,omitempty"` // in place of a training
}

// Status says how far a job is.
type Status string

// The states of a job.
const (
	Planned     Status = "planned"     // no process has run it
	Queued      Status = "queued"      // an executor will start it
	Running     Status = "running"     // a process holds its lock
	Interrupted Status = "interrupted" // a process began and did not end it; it continues from its last checkpoint
	Failed      Status = "failed"      // it ended with an error, and only RetryFailed runs it again
	Done        Status = "done"        // its run directory holds all that the plan asks for; its command ended with 0
)

// State is what the files say of a job. All but Status tell of the last attempt, and are empty before the first.
type State struct {
	Status   Status `json:"status"`
	Attempts int    `json:"attempts,omitzero"` // processes that began it
	Error    string `json:"error,omitempty"`   // why it failed
	Host     string `json:"host,omitempty"`
	PID      int    `json:"pid,omitzero"`
	Started  string `json:"started,omitempty"` // RFC 3339
	Ended    string `json:"ended,omitempty"`
	Step     int    `json:"step,omitzero"` // the last step in the training's log
}

// ExitLater is the exit status of a worker (Sweep.Worker) that was told to stop (SIGINT, SIGTERM, SIGUSR1 or Cancel)
// and left a checkpoint, or that found another process at its job: starting it again later is right (EX_TEMPFAIL of
// sysexits.h). 0 is a job that is done, any other a failed one, which has told its reason to its state and its log.
const ExitLater = 75

// Executor starts the workers of a sweep's jobs and knows which are still on their way. It keeps what it must remember
// beyond its own process in files of the sweep's directory (Sweep.File). What became of a job it need not report: that
// is read from the files (Sweep.State).
//
// An executor is a package with this type, and a line in the list of executors of cmd/gfncp.
type Executor interface {
	// Name is the word that chooses it: "local" or "slurm".
	Name() string
	// Options are its settings, which gfncp offers as flags. They are set before anything else is called.
	Options() []Option
	// Check fills in the options that are open, for jobs on a backend as --backend takes it, or reports their faults.
	Check(backend string) error
	// Script is what Run would start, for people to read. Nothing is written.
	Script(s *Sweep, jobs []Job) (string, error)
	// Run starts a worker for each job, in the given order as far as it can, and returns when all have ended. It starts
	// none whose State is Done, and none twice: what runs or waits already, under this process or another one, it waits
	// for. When ctx is cancelled it returns ctx's error as soon as no worker depends on this process any more. Other
	// errors are the executor's own, such as a missing program; a job that fails is none.
	Run(ctx context.Context, s *Sweep, jobs []Job) error
	// Active returns which jobs, by Job.N, wait (Queued) or run (Running) under it, also when the process that
	// submitted them is gone.
	Active(ctx context.Context, s *Sweep) (map[int]Status, error)
	// Cancel takes back what waits and stops what runs; the workers leave checkpoints. Sweep.Cancel has already told
	// every worker that reads the sweep's directory (Sweep.Cancelled), so an executor without a queue has nothing to
	// do.
	Cancel(ctx context.Context, s *Sweep) error
}

// Option is a setting of an executor.
type Option struct {
	Name  string // of its flag, without dashes
	Usage string
	// Value is where it is kept: a *string, *int (from 1 on; 0 is open), *time.Duration, *bool, or *[]string, whose
	// flag may be repeated.
	Value any
}
