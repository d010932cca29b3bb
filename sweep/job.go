package sweep

import (
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/train"
)

// Job is the smallest part of a sweep that a process runs: one training, with the evaluations that the sweep wants of
// it, or one command. Settings that differ only in their tests share a job.
type Job struct {
	N       int               `json:"n"`               // 1, 2, … in the plan
	Name    string            `json:"name"`            // for people: the setting and the seed
	Run     string            `json:"run"`             // unique in a plan, and usable as a file name: the run directory's
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

// State is what the files say of a job. The fields beside Status tell of the last attempt; they are empty before the
// first.
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

// The exit statuses of a worker (Sweep.Worker): 0 is a job that is done, any other but these a failed one, which has
// told its reason to its state and its log.
const (
	// ExitLater is a worker that was told to stop (SIGINT, SIGTERM, SIGUSR1 or Cancel) and left a checkpoint, or that
	// found another process at its job: starting it again later is right (EX_TEMPFAIL of sysexits.h).
	ExitLater = 75
)
