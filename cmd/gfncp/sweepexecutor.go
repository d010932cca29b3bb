package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// The words of --executor.
const (
	onThisMachine = "local"
	onSlurm       = "slurm"
)

// executorFlags choose who runs a sweep's jobs, and how many at a time.
func executorFlags() []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "executor", Value: onThisMachine, Usage: "local: processes on this machine; slurm: a job array on a cluster (docs/slurm.md)"},
		&cli.BoolFlag{Name: "dry-run", Usage: "plan the sweep, print what would be started (on Slurm: the batch script), and start nothing"},
	}
	return append(append(flags, localFlags()...), slurmFlags()...)
}

func localFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "jobs", Usage: "local: jobs at a time (default: cores / threads; 1 on a GPU)"},
		&cli.IntFlag{Name: "threads", Usage: "local: threads of each job (default: 2, or cores / jobs)"},
		&cli.BoolFlag{Name: "fail-fast", Usage: "local: stop all jobs at the first that fails"},
		&cli.BoolFlag{Name: "keep-going", Usage: "local: go on with the others when a job fails (the default)"},
	}
}

// slurmFlags are the fields of sweep.SlurmOptions, which says what each means.
func slurmFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "partition", Usage: "slurm: partition"},
		&cli.StringFlag{Name: "account", Usage: "slurm: account"},
		&cli.StringFlag{Name: "time", Usage: "slurm: limit of one attempt, such as 2:00:00; a job that meets it continues in another"},
		&cli.IntFlag{Name: "cpus", Usage: "slurm: cores of each job"},
		&cli.StringFlag{Name: "gpus", Usage: "slurm: GPUs of each job, such as 1 or a100:1"},
		&cli.StringFlag{Name: "memory", Usage: "slurm: memory of each job, such as 8G"},
		&cli.IntFlag{Name: "at-once", Usage: "slurm: jobs that may run at the same time"},
		&cli.IntFlag{Name: "requeues", Usage: "slurm: how often a job may continue after its time was up (default 10)"},
		&cli.IntFlag{Name: "warn-ahead", Usage: "slurm: seconds before the limit at which a job leaves a checkpoint (default 90)"},
		&cli.GenericFlag{Name: "sbatch", Value: &words{}, Usage: "slurm: a further option of sbatch, such as --sbatch=--constraint=ib; may be repeated"},
		&cli.GenericFlag{Name: "setup", Value: &words{}, Usage: "slurm: a shell line before each job, such as \"module load cuda\"; may be repeated"},
	}
}

// words are the values of a flag that may be repeated, with their commas.
type words []string

// Set takes a value in.
func (w *words) Set(value string) error {
	*w = append(*w, value)
	return nil
}

// String lists the values.
func (w *words) String() string { return strings.Join(*w, " ") }

// executor returns the executor of a name as the flags set it up, for jobs on a backend. Flags of another executor are refused.
func executor(c *cli.Context, name, backend string) (sweep.Executor, error) {
	foreign := map[string][]cli.Flag{onThisMachine: slurmFlags(), onSlurm: localFlags()}
	for _, f := range foreign[name] {
		if flag := f.Names()[0]; c.IsSet(flag) {
			return nil, usererr.New("leave it out, or choose the other executor", "--%s has no effect with --executor %s", flag, name)
		}
	}
	switch name {
	case onThisMachine:
		return localExecutor(c, backend)
	case onSlurm:
		return slurmExecutor(c)
	default:
		return nil, usererr.Unknown(name, []string{onThisMachine, onSlurm}, "--executor %q is not known", name)
	}
}

// onlooker returns the executor of a name to ask and to cancel, not to run.
func onlooker(name string) sweep.Executor {
	if name == onSlurm {
		return &sweep.Slurm{}
	}
	return &sweep.Local{}
}

// threadsPerJob suits trainings, whose batches are computed in two parts side by side (train.shards).
const threadsPerJob = 2

func localExecutor(c *cli.Context, backend string) (sweep.Executor, error) {
	if c.Bool("fail-fast") && c.Bool("keep-going") {
		return nil, usererr.New("choose one", "--fail-fast and --keep-going exclude each other")
	}
	for _, flag := range []string{"jobs", "threads"} {
		if n := c.Int(flag); c.IsSet(flag) && (n < 1 || n > 1024) {
			return nil, usererr.New("choose 1..1024", "--%s %d is out of range", flag, n)
		}
	}
	choice, err := engine.Choose(backend)
	if err != nil {
		return nil, err
	}
	jobs, threads, cores := c.Int("jobs"), c.Int("threads"), runtime.NumCPU()
	if jobs == 0 && strings.HasPrefix(choice.Name, "xla:cuda") {
		jobs = 1 // they would share one device
	}
	switch {
	case jobs == 0:
		if threads == 0 {
			threads = min(threadsPerJob, cores)
		}
		jobs = max(1, cores/threads)
	case threads == 0:
		threads = max(1, cores/jobs)
	}
	return &sweep.Local{Jobs: jobs, Threads: threads, FailFast: c.Bool("fail-fast")}, nil
}

func slurmExecutor(c *cli.Context) (sweep.Executor, error) {
	o := sweep.SlurmOptions{
		Partition: c.String("partition"), Account: c.String("account"), Time: c.String("time"), CPUs: c.Int("cpus"), GPUs: c.String("gpus"),
		Memory: c.String("memory"), AtOnce: c.Int("at-once"), Requeues: c.Int("requeues"), WarnAhead: c.Int("warn-ahead"),
		Extra: *c.Generic("sbatch").(*words), Setup: *c.Generic("setup").(*words),
	}
	return &sweep.Slurm{Options: o}, o.Validate()
}

// printDryRun prints what an executor would start.
func printDryRun(c *cli.Context, s *sweep.Sweep, by sweep.Executor, jobs []sweep.Job) error {
	if cluster, ok := by.(*sweep.Slurm); ok {
		script, err := cluster.Script(s, jobs)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(c.App.Writer, script)
		return err
	}
	for _, j := range jobs {
		if _, err := fmt.Fprintln(c.App.Writer, strings.Join(s.Worker(j), " ")); err != nil {
			return err
		}
	}
	return nil
}
