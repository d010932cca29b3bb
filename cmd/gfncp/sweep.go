package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

func sweepCommand() *cli.Command {
	const look, results = "set seeds runs sweeps ", "out json quiet "
	return &cli.Command{
		Name: "sweep", Action: sweepRun, Flags: flags(scaleFlag(), look+workerFlags+results+"backend data-dir"),
		Subcommands: []*cli.Command{
			{Name: "plan", Flags: flags(scaleFlag(), look+"json"), Action: sweepPlan},
			{Name: "status", Flags: flags(scaleFlag(), look+"json"), Action: ofStates(showStates)},
			{Name: "results", Flags: flags(scaleFlag(), look+results), Action: ofStates(showResults)},
			{
				Name: "work", Flags: flags(&cli.IntFlag{Name: "job", Required: true}, "backend data-dir"),
				Action: sweepWork, Hidden: true,
			},
		},
	}
}

// workersOf reads the flags of workers.
func workersOf(c *cli.Context) (sweep.Workers, error) {
	w := sweep.Workers{Backend: c.String("backend"), Jobs: c.Int("jobs"), Threads: c.Int("threads")}
	for _, flag := range []string{"jobs", "threads"} {
		if n := c.Int(flag); c.IsSet(flag) && (n < 1 || n > 65535) {
			return w, usererr.New("choose 1..65535", "--%s %d is out of range", flag, n)
		}
		if c.IsSet(flag) && c.Bool("slurm") {
			return w, usererr.New("give sbatch its own options", "--%s has no effect with --slurm", flag)
		}
	}
	program, err := os.Executable()
	w.Program = []string{program}
	return w, errors.Join(err, w.Divide())
}

// tableBases are the models on data sets that the tables of a scale train.
func tableBases(scale experiments.Scale) sweep.Bases {
	return func(model, data, start string) (sweep.Base, error) {
		b, err := experiments.Base{Model: model, Data: data, Start: start}.Filled()
		if err != nil {
			return sweep.Base{}, err
		}
		base := sweep.Base{HalfWarm: b.Start == experiments.StartWarm, Run: b.Run}
		base.Data, base.Model = b.Names()
		base.Test = func(c train.Config) (evaluation.Test, error) { return b.Test(scale, c) }
		base.Config, err = b.Config(scale)
		return base, err
	}
}

// trainAndTest is how a lab trains a job of a sweep.
func trainAndTest(lab *experiments.Lab) sweep.Train {
	return func(ctx context.Context, dir string, c train.Config, tests []evaluation.Test) (sweep.Tested, error) {
		tested, err := lab.TrainAndTest(ctx, dir, c, tests)
		return sweep.Tested(tested), err
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
	seeds := seedCount(c, scale.Seeds())
	if c.IsSet("seeds") {
		spec.Seeds = nil
	}
	plan, err := spec.Plan(string(scale), seeds, tableBases(scale))
	return spec, plan, err
}

// openSweep opens the sweep in the directory that is the argument; ok is false where the argument is a file.
func openSweep(c *cli.Context) (s *sweep.Sweep, ok bool, err error) {
	path := c.Args().First()
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, false, nil
	}
	for _, flag := range []string{"scale", "set", "seeds", "runs", "sweeps"} {
		if c.IsSet(flag) {
			return nil, true, usererr.New("leave it out, or give the sweep file",
				"--%s has no effect with a sweep's directory", flag)
		}
	}
	s, err = sweep.Open(path)
	return s, true, err
}

// knownSweep opens the sweep that the argument means: its directory, or the file that it was planned from.
func knownSweep(c *cli.Context) (*sweep.Sweep, error) {
	if s, ok, err := openSweep(c); ok {
		return s, err
	}
	path := c.Args().First()
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
