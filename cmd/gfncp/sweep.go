package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

func sweepCommand() *cli.Command {
	run := slices.Concat(sweepPlanFlags(), sweepPlaceFlags(), executorFlags(), resultFlags(), []cli.Flag{
		&cli.StringFlag{
			Name: "pack", Usage: "local: keep archives of the sweep and its runs in this directory, from which another machine goes on",
		},
		backendFlag(), dataDirFlag(),
	})
	look := slices.Concat(sweepPlanFlags(), sweepPlaceFlags())
	lookJSON := append(slices.Clone(look), asJSON())
	job := &cli.IntFlag{Name: "job", Usage: "number of the job", Required: true}
	return &cli.Command{Name: "sweep", Flags: run, Action: sweepRun, Subcommands: []*cli.Command{
		{Name: "plan", Flags: lookJSON, Action: sweepPlan},
		{Name: "status", Flags: lookJSON, Action: ofSweep(sweepStatus)},
		{Name: "resume", Flags: run, Action: ofSweep(sweepResume)},
		{Name: "retry-failed", Flags: run, Action: ofSweep(sweepRetry)},
		{Name: "cancel", Flags: append(slices.Clone(look), quiet()), Action: ofSweep(sweepCancel)},
		{Name: "results", Flags: slices.Concat(look, resultFlags()), Action: ofSweep(sweepResults)},
		{Name: "work", Flags: []cli.Flag{job, backendFlag(), dataDirFlag()}, Action: sweepWork, Hidden: true},
	}}
}

// sweepPlanFlags say what a sweep file is planned for.
func sweepPlanFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "scale", Value: string(experiments.Small), Usage: "smoke, small or paper"},
		&cli.StringSliceFlag{Name: "set", Usage: "key=value for all settings, beside the file's own [set]"},
		&cli.IntFlag{Name: "seeds", Usage: "number of seeds, in place of the file's (default: smoke 1, small 2, paper 3)"},
	}
}

// sweepPlaceFlags say where things lie.
func sweepPlaceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "runs", Value: "runs", Usage: "directory of the training runs"},
		sweepsFlag(),
	}
}

func resultFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "directory of the table (default results/SCALE)"},
		&cli.BoolFlag{Name: "json", Usage: "print JSON instead of the table"},
		quiet(),
	}
}

// plannedSweep reads a sweep file and plans it as the flags say.
func plannedSweep(c *cli.Context, path string) (*sweep.Spec, *sweep.Plan, error) {
	scale, err := experiments.ParseScale(c.String("scale"))
	if err != nil {
		return nil, nil, err
	}
	spec, err := sweep.ReadSpec(path)
	if err != nil {
		return nil, nil, err
	}
	if err := spec.Set(c.StringSlice("set")...); err != nil {
		return nil, nil, err
	}
	seeds, err := seedCount(c, 0)
	if err != nil {
		return nil, nil, err
	}
	if seeds > 0 {
		spec.Seeds = nil
	}
	for seed := range seeds {
		spec.Seeds = append(spec.Seeds, uint64(seed+1))
	}
	plan, err := spec.Plan(scale)
	return spec, plan, err
}

// ofSweep is an action on the sweep that the argument means.
func ofSweep(do func(c *cli.Context, s *sweep.Sweep) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, err := knownSweep(c)
		if err != nil {
			return err
		}
		return do(c, s)
	}
}

// knownSweep opens the sweep that the argument means: its directory, or the file that it was planned from.
func knownSweep(c *cli.Context) (*sweep.Sweep, error) {
	path := c.Args().First()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		for _, flag := range []string{"scale", "set", "seeds", "runs", "sweeps"} {
			if c.IsSet(flag) {
				return nil, usererr.New("leave it out, or give the sweep file", "--%s has no effect with a sweep's directory", flag)
			}
		}
		return sweep.Open(path)
	}
	_, plan, err := plannedSweep(c, path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(c.String("sweeps"), plan.Directory())
	s, err := sweep.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usererr.File(path, 0, "begin it with `gfncp sweep "+path+"`, or give the flags of the command that did",
			"has not been run as this sweep (no %s)", dir)
	}
	return s, err
}

func sweepsFlag() cli.Flag {
	return &cli.StringFlag{Name: "sweeps", Value: "sweeps", Usage: "directory of the sweeps' plans, states and logs"}
}
