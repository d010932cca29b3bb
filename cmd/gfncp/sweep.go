package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
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
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print JSON"}
	quiet := &cli.BoolFlag{Name: "quiet", Usage: "no progress on stderr"}
	const which = "FILE|DIR"
	return &cli.Command{
		Name:      "sweep",
		Usage:     "train and compare many settings, on this machine or a Slurm cluster",
		ArgsUsage: "FILE",
		Description: "Runs what is not done yet of the sweep in FILE and prints its table; a sweep that was interrupted or killed\n" +
			"continues. The table is written to DIR/sweep-NAME." + table.Kept(nil).TableFiles() +
			" and .html, with a figure (docs/sweeps.md).\n\nExamples:\n" +
			"  gfncp sweep plan examples/sweeps/beta.toml --scale small      what would run\n" +
			"  gfncp sweep examples/sweeps/beta.toml --scale smoke\n" +
			"  gfncp sweep examples/sweeps/width.toml --jobs 4 --threads 2\n" +
			"  gfncp sweep status sweeps/beta-smoke-1a2b3c4d5e\n\n" +
			"Status 3: some jobs failed. Status 75 or 130: it was stopped, and can be resumed.",
		Flags:  run,
		Action: sweepRun,
		Subcommands: []*cli.Command{
			{
				Name: "plan", Usage: "print the jobs of a sweep file, and run none", ArgsUsage: "FILE",
				Flags: append(slices.Clone(look), asJSON), Action: sweepPlan,
			},
			{
				Name: "status", Usage: "print how far each job is", ArgsUsage: which, Flags: append(slices.Clone(look), asJSON),
				Action: sweepStatus,
			},
			{Name: "resume", Usage: "run what is neither done nor failed", ArgsUsage: which, Flags: run, Action: sweepResume},
			{
				Name: "retry-failed", Usage: "run what failed again, from its last checkpoint", ArgsUsage: which, Flags: run,
				Action: sweepRetry,
			},
			{
				Name: "cancel", Usage: "stop every job, on whatever machine; they leave checkpoints", ArgsUsage: which,
				Flags: append(slices.Clone(look), quiet), Action: sweepCancel,
			},
			{
				Name: "results", Usage: "print and write the table again, of what is done", ArgsUsage: which,
				Flags: slices.Concat(look, resultFlags()), Action: sweepResults,
			},
			{Name: "work", Usage: "run one job in this process", ArgsUsage: "DIR", Hidden: true, Flags: []cli.Flag{
				&cli.IntFlag{Name: "job", Usage: "number of the job", Required: true}, backendFlag(), dataDirFlag(),
			}, Action: sweepWork},
		},
	}
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
		&cli.BoolFlag{Name: "quiet", Usage: "no progress on stderr"},
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
	if c.IsSet("seeds") {
		seeds := c.Int("seeds")
		if seeds < 1 || seeds > 100 {
			return nil, nil, usererr.New("choose 1..100", "--seeds %d is out of range", seeds)
		}
		spec.Seeds = nil
		for seed := range seeds {
			spec.Seeds = append(spec.Seeds, uint64(seed+1))
		}
	}
	plan, err := spec.Plan(scale)
	return spec, plan, err
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
