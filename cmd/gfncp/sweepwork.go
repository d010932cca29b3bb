package main

import (
	"fmt"
	"os/signal"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

// sweepWork is a worker: it runs one job of a sweep. An executor starts it (sweep.Sweep.Worker).
func sweepWork(c *cli.Context) error {
	dir := c.Args().First()
	s, err := sweep.Open(dir)
	if err != nil {
		return err
	}
	s.Backend = c.String("backend")
	job, err := s.Job(c.Int("job"))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, warnings()...)
	defer stop()
	what := job.Name + ", in " + s.RunDir(job)
	if job.Command != nil {
		what = job.Command.Line
	}
	say(c, "%s: job %d of sweep %s, %s", time.Now().UTC().Format(time.RFC3339), job.N, s.Plan.Name, what)
	err = s.Work(ctx, job, func() (*experiments.Lab, error) {
		backend, name, err := openBackend(c)
		return &experiments.Lab{
			Backend: backend, BackendName: name,
			Hear: func(string) train.Listener { return progress(c, "") },
			Say:  saying(c),
		}, err
	})
	if err != nil {
		return fmt.Errorf("job %d: %w", job.N, err)
	}
	say(c, "job %d is done", job.N)
	return nil
}
