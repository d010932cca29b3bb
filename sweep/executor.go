package sweep

import "context"

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
	// Check fills in the options that are open, for jobs on a backend as --backend takes it, and reports what is wrong
	// with them.
	Check(backend string) error
	// Script is what Run would start, for people to read. Nothing is written.
	Script(s *Sweep, jobs []Job) (string, error)
	// Run starts a worker for each job, in the given order as far as it can, and returns when all have ended. It starts
	// none whose State is Done, and none twice: what runs or waits already, under this process or another one, it waits
	// for. When ctx is cancelled it returns ctx's error as soon as no worker depends on this process any more. Other
	// errors are the executor's own, such as a missing program; a job that fails is none.
	Run(ctx context.Context, s *Sweep, jobs []Job) error
	// Active returns which jobs, by Job.N, wait (Queued) or run (Running) under it, also when the process that submitted
	// them is gone.
	Active(ctx context.Context, s *Sweep) (map[int]Status, error)
	// Cancel takes back what waits and stops what runs; the workers leave checkpoints. Sweep.Cancel has already told every
	// worker that reads the sweep's directory (Sweep.Cancelled), so an executor without a queue has nothing to do.
	Cancel(ctx context.Context, s *Sweep) error
}

// Option is a setting of an executor.
type Option struct {
	Name  string // of its flag, without dashes
	Usage string
	// Value is where it is kept: a *string, *int (from 1 on; 0 is open), *time.Duration, *bool, or *[]string, whose flag may be
	// repeated.
	Value any
}
