package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/report/page"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

// sweepRun runs what is not done of a sweep file.
func sweepRun(c *cli.Context) error {
	path := c.Args().First()
	spec, plan, err := plannedSweep(c, path)
	if err != nil {
		return err
	}
	if _, err := executor(c, c.String("executor"), c.String("backend")); err != nil {
		return err // before anything is written
	}
	s, err := sweep.New(c.String("sweeps"), c.String("runs"), spec, plan)
	if err != nil {
		return err
	}
	return runJobs(c, s, s.Left)
}

func sweepResume(c *cli.Context, s *sweep.Sweep) error { return runJobs(c, s, s.Left) }

func sweepRetry(c *cli.Context, s *sweep.Sweep) error {
	return runJobs(c, s, func(ctx context.Context, by sweep.Executor) ([]sweep.Job, error) {
		return s.Jobs(ctx, by, sweep.Failed)
	})
}

// runJobs gives the jobs that which chooses to the executor, waits for them and shows the results.
func runJobs(c *cli.Context, s *sweep.Sweep, which func(context.Context, sweep.Executor) ([]sweep.Job, error)) error {
	out, err := resultDir(c, s)
	if err != nil {
		return err
	}
	by, err := prepareSweep(c, s)
	if err != nil {
		return err
	}
	jobs, err := which(c.Context, by)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return printDryRun(c, s, by, jobs)
	}
	say(c, "sweep %s: %d jobs, %d to run, in %s", s.Plan.Name, len(s.Plan.Jobs), len(jobs), s.Dir)
	if len(jobs) > 0 {
		if err := submit(c, s, by, jobs); err != nil {
			return err
		}
	}
	return conclude(c, s, by, out)
}

// conclude shows the results and returns the verdict. That is found first: jobs that nobody waits for here may end
// meanwhile, and when all are said to be done, the table has them all.
func conclude(c *cli.Context, s *sweep.Sweep, by sweep.Executor, out string) error {
	end := verdict(c, s, by)
	show := func() error { return writeSweepResults(c, s, out) }
	if len(s.Plan.Settings) == 0 {
		show = func() error { return showStates(c, s, by) }
	}
	if err := show(); err != nil {
		return err
	}
	return end
}

// submit records the command that runs a sweep and has its executor run jobs, with the archives of --pack renewed
// meanwhile. If the user ends it, the error says how to go on.
func submit(c *cli.Context, s *sweep.Sweep, by sweep.Executor, jobs []sweep.Job) error {
	host, _ := os.Hostname()
	err := s.Submit(sweep.Submission{
		Executor: by.Name(), Backend: s.Backend, Command: os.Args, Host: host, PID: os.Getpid(),
		Started: time.Now().UTC().Format(time.RFC3339),
	})
	if err != nil {
		return err
	}
	lastPack := func() error { return nil }
	if dir := c.String("pack"); dir != "" {
		if err := makeDir(dir); err != nil {
			return err
		}
		if lastPack, err = s.KeepPacked(dir, time.Minute); err != nil {
			return err
		}
	}
	err = errors.Join(by.Run(c.Context, s, jobs), lastPack())
	if err != nil && c.Context.Err() != nil {
		return fmt.Errorf("%s: continue with gfncp sweep resume %s: %w", s.Plan.Name, s.Dir, train.ErrInterrupted)
	}
	return err
}

// verdict is nil when every job is done, else an error that counts the others.
func verdict(c *cli.Context, s *sweep.Sweep, by sweep.Executor) error {
	states, err := s.States(c.Context, by)
	if err != nil {
		return err
	}
	count := map[sweep.Status]int{}
	for _, state := range states {
		count[state.Status]++
	}
	var faults error
	if n := len(states) - count[sweep.Done] - count[sweep.Failed]; n > 0 {
		faults = fmt.Errorf("%d of %d jobs are not done; continue with gfncp sweep resume %s: %w", n, len(s.Plan.Jobs),
			s.Dir, sweep.ErrLater)
	}
	if n := count[sweep.Failed]; n > 0 {
		faults = errors.Join(
			fmt.Errorf("%d of %d jobs failed; see gfncp sweep status %s, and run them again with retry-failed: %w",
				n, len(s.Plan.Jobs), s.Dir, errPartly), faults)
	}
	return faults
}

// prepareSweep gives a sweep what it needs to start workers, by default as its last submission did, and returns its
// executor.
func prepareSweep(c *cli.Context, s *sweep.Sweep) (sweep.Executor, error) {
	last, known, err := s.Submitted()
	if err != nil {
		return nil, err
	}
	s.Say = saying(c)
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program of the workers: %w", err)
	}
	s.Program = []string{program}
	name := c.String("executor")
	s.Backend = c.String("backend")
	if known && !c.IsSet("executor") {
		name = last.Executor
	}
	if known && !c.IsSet("backend") {
		s.Backend = last.Backend
	}
	return executor(c, name, s.Backend)
}

// submitter is the executor that ran a sweep last, to ask and to cancel; the first one before that.
func submitter(s *sweep.Sweep) (sweep.Executor, error) {
	last, known, err := s.Submitted()
	if err != nil || !known {
		return executors()[0], err
	}
	return executorNamed(last.Executor)
}

func sweepResults(c *cli.Context, s *sweep.Sweep) error {
	if len(s.Plan.Settings) == 0 {
		return usererr.File(s.Dir, 0, "see gfncp sweep status, and its folders logs and results",
			"has jobs alone, and no table")
	}
	out, err := resultDir(c, s)
	if err != nil {
		return err
	}
	return writeSweepResults(c, s, out)
}

// resultDir is where the table goes; that it can be written is known before anything runs.
func resultDir(c *cli.Context, s *sweep.Sweep) (string, error) {
	out := cmp.Or(c.String("out"), filepath.Join("results", string(s.Plan.Scale)))
	if c.Bool("dry-run") || len(s.Plan.Settings) == 0 {
		return out, nil
	}
	return out, makeDir(out)
}

// writeSweepResults prints the table of what is done, and writes it with its figure and its page.
func writeSweepResults(c *cli.Context, s *sweep.Sweep, out string) error {
	origin := provenance()
	results, figures, err := s.Results(origin)
	if err != nil {
		return err
	}
	if err := table.Write(out, nil, results, figures...); err != nil {
		return err
	}
	html := &page.Page{
		Title: results.Title, Lead: results.Caption, Scale: string(s.Plan.Scale),
		Sections: []page.Section{{
			ID: results.ID, Title: results.Title, Beyond: true,
			Command: "gfncp sweep " + s.Plan.Name + ".toml --scale " + string(s.Plan.Scale),
		}},
		Environment: []page.Fact{{Name: "version", Value: version()}, {Name: "machine", Value: origin.Machine}},
	}
	if err := html.Sections[0].Read(out, "."); err != nil {
		return err
	}
	if err := html.Save(filepath.Join(out, results.ID+".html")); err != nil {
		return err
	}
	err = printTable(c, results)
	say(c, "written: %s.%s and .html", filepath.Join(out, results.ID), table.Kept(nil).TableFiles())
	return err
}
