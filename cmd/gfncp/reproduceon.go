package main

import (
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/sweep"
)

// trainElsewhere trains what experiments lack in processes of their own (--jobs), before they are computed here, or
// prints the path of a batch script that does so (--slurm). It reports whether to go on: not after the script.
func trainElsewhere(
	c *cli.Context, id string, chosen []experiments.Experiment, lab *experiments.Lab,
) (goOn bool, err error) {
	workers, err := workersOf(c)
	if err != nil {
		return false, err
	}
	runs, err := untrained(c, chosen, lab)
	if err != nil {
		return false, err
	}
	say(c, "%s: %d runs to train", id, len(runs))
	if len(runs) == 0 {
		return !c.Bool("slurm"), nil
	}
	var trainings []sweep.Training
	for _, r := range runs {
		trainings = append(trainings, sweep.Training{Name: r.Name, Dir: r.Dir, Config: r.Config})
	}
	s, jobs, err := sweep.Trainings(c.String("sweeps"), "reproduce-"+id, string(lab.Scale), trainings)
	if err != nil {
		return false, err
	}
	s.Say = saying(c)
	ran, err := runJobs(c, s, workers, jobs)
	if err != nil || !ran {
		return false, err
	}
	states, err := s.States()
	if err == nil {
		err = verdict(s, states)
	}
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
