package main

import (
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/sweep"
)

// trainElsewhere has the executor of --executor train what experiments lack, side by side, before they are computed
// here. It reports whether to go on: not after --dry-run, which prints what would be started.
func trainElsewhere(
	c *cli.Context, id string, chosen []experiments.Experiment, lab *experiments.Lab,
) (goOn bool, err error) {
	runs, err := untrained(c, chosen, lab)
	if err != nil {
		return false, err
	}
	say(c, "%s: %d runs to train", id, len(runs))
	if len(runs) == 0 {
		return !c.Bool("dry-run"), nil
	}
	s, jobs, err := sweep.Trainings(c.String("sweeps"), "reproduce-"+id, lab.Scale, runs)
	if err != nil {
		return false, err
	}
	by, err := prepareSweep(c, s)
	if err != nil {
		return false, err
	}
	if c.Bool("dry-run") {
		return false, printDryRun(c, s, by, jobs)
	}
	if err := submit(c, s, by, jobs); err != nil {
		return false, err
	}
	err = verdict(c, s, by)
	return err == nil, err
}

// untrained lists the runs that experiments lack, each once.
func untrained(
	c *cli.Context, chosen []experiments.Experiment, lab *experiments.Lab,
) (runs []experiments.Run, err error) {
	seen := map[string]bool{}
	for _, e := range chosen {
		missing, err := e.Untrained(c.Context, lab)
		if err != nil {
			return nil, err
		}
		for _, r := range missing {
			if !seen[r.Dir] {
				seen[r.Dir], runs = true, append(runs, r)
			}
		}
	}
	return runs, nil
}
