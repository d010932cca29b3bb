package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

// sweepRun runs what is not done of a sweep and shows the results.
func sweepRun(c *cli.Context) error {
	workers, err := workersOf(c) // before anything is written
	if err != nil {
		return err
	}
	s, ok, err := openSweep(c)
	if !ok {
		spec, plan, fault := plannedSweep(c, c.Args().First())
		if fault != nil {
			return fault
		}
		if err := makeDir(resultDir(c, plan)); err != nil {
			return err
		}
		s, err = sweep.New(c.String("sweeps"), c.String("runs"), spec.Text, plan)
	}
	if err != nil {
		return err
	}
	s.Say = saying(c)
	done, err := runJobs(c, s, workers, s.Plan.Jobs)
	if err != nil || !done {
		return err
	}
	states, err := s.States()
	if err != nil {
		return err
	}
	if err := showResults(c, s, states); err != nil {
		return err
	}
	return verdict(s, states)
}

// runJobs runs those jobs that are not done, here, or prints the path of a batch script that does so. It reports
// whether jobs have run. If the user ends it, the error says how to go on.
func runJobs(c *cli.Context, s *sweep.Sweep, workers sweep.Workers, jobs []sweep.Job) (ran bool, err error) {
	var left []sweep.Job
	for _, j := range jobs {
		state, err := s.State(j)
		if err != nil {
			return false, err
		}
		if state.Status != sweep.Done {
			left = append(left, j)
		}
	}
	if c.Bool("slurm") {
		path, err := s.Script(workers, left)
		if err == nil {
			_, err = fmt.Fprintln(c.App.Writer, path)
		}
		return false, err
	}
	say(c, "sweep %s: %d jobs, %d to run, in %s", s.Plan.Name, len(s.Plan.Jobs), len(left), s.Dir)
	err = s.Run(c.Context, workers, left)
	if err != nil && c.Context.Err() != nil {
		err = fmt.Errorf("%s: continue with gfncp sweep %s: %w", s.Plan.Name, s.Dir, train.ErrInterrupted)
	}
	return true, err
}

// verdict is nil when every job is done, else an error that counts the others.
func verdict(s *sweep.Sweep, states []sweep.State) error {
	count := map[sweep.Status]int{}
	for _, state := range states {
		count[state.Status]++
	}
	var faults error
	if n := len(states) - count[sweep.Done] - count[sweep.Failed]; n > 0 {
		faults = fmt.Errorf("%d of %d jobs are not done; continue with gfncp sweep %s: %w", n, len(states), s.Dir,
			sweep.ErrLater)
	}
	if n := count[sweep.Failed]; n > 0 {
		faults = errors.Join(
			fmt.Errorf("%d of %d jobs failed; see gfncp sweep status %s; the same command tries them again: %w",
				n, len(states), s.Dir, errPartly), faults)
	}
	return faults
}

// resultDir is where the table goes.
func resultDir(c *cli.Context, plan *sweep.Plan) string {
	return cmp.Or(c.String("out"), filepath.Join("results", plan.Scale))
}

// showResults prints the table of the jobs' states, and writes it with its figure. A sweep of trainings
// alone has none: the states are printed.
func showResults(c *cli.Context, s *sweep.Sweep, states []sweep.State) error {
	if len(s.Plan.Settings) == 0 {
		return showStates(c, s, states)
	}
	out := resultDir(c, s.Plan)
	if err := makeDir(out); err != nil {
		return err
	}
	origin := provenance()
	results, figures := s.Results(states, origin)
	if err := table.Write(out, nil, results, figures...); err != nil {
		return err
	}
	err := printTable(c, results)
	say(c, "written: %s.%s", filepath.Join(out, results.ID), table.Kept(nil).TableFiles())
	return err
}
