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
	look := []cli.Flag{
		scaleFlag(), &cli.StringSliceFlag{Name: "set"}, &cli.IntFlag{Name: "seeds"}, runsFlag(), sweepsFlag(),
	}
	results := []cli.Flag{stringFlag("out"), boolFlag("json"), boolFlag("quiet")}
	run := slices.Concat(look, executorFlags(), results, []cli.Flag{stringFlag("pack"), backendFlag(), dataDirFlag()})
	lookJSON := append(slices.Clone(look), boolFlag("json"))
	job := &cli.IntFlag{Name: "job", Required: true}
	return &cli.Command{Name: "sweep", Flags: run, Action: sweepRun, Subcommands: []*cli.Command{
		{Name: "plan", Flags: lookJSON, Action: sweepPlan},
		{Name: "status", Flags: lookJSON, Action: ofSweep(sweepStatus)},
		{Name: "resume", Flags: run, Action: ofSweep(sweepResume)},
		{Name: "retry-failed", Flags: run, Action: ofSweep(sweepRetry)},
		{Name: "cancel", Flags: append(slices.Clone(look), boolFlag("quiet")), Action: ofSweep(sweepCancel)},
		{Name: "results", Flags: slices.Concat(look, results), Action: ofSweep(sweepResults)},
		{Name: "work", Flags: []cli.Flag{job, backendFlag(), dataDirFlag()}, Action: sweepWork, Hidden: true},
	}}
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
	seeds := seedCount(c, 0)
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
				return nil, usererr.New("leave it out, or give the sweep file",
					"--%s has no effect with a sweep's directory", flag)
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
		return nil, usererr.File(
			path, 0, "begin it with `gfncp sweep "+path+"`, or give the flags of the command that did",
			"has not been run as this sweep (no %s)", dir)
	}
	return s, err
}
