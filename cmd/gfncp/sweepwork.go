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

// sweepWork is a worker: it runs one job of a sweep (sweep.Sweep.Run and Script start it).
func sweepWork(c *cli.Context) error {
	s, err := sweep.Open(c.Args().First())
	if err != nil {
		return err
	}
	job, err := s.Job(c.Int("job"))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, warnings()...)
	defer stop()
	say(c, "%s: job %d of sweep %s, %s, in %s", time.Now().UTC().Format(time.RFC3339), job.N, s.Plan.Name, job.Name,
		s.RunDir(job))
	backend, name, err := openBackend(c)
	if err != nil {
		return err
	}
	lab := &experiments.Lab{
		Backend: backend, BackendName: name, Hear: func(string) train.Listener { return progress(c, "") },
		Say: saying(c),
	}
	if err := s.Work(ctx, job, trainAndTest(lab)); err != nil {
		return fmt.Errorf("job %d: %w", job.N, err)
	}
	say(c, "job %d is done", job.N)
	return nil
}
