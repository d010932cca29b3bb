package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Names of flags that several commands share.
const (
	tableFlags  = " columns ignore ignore-text categorical no-standardize labels header " // how to read a table
	workerFlags = " jobs threads slurm "                                                  // processes that train
)

// flags lists the flags of a command. A text holds names of flags that flagNamed declares, with blanks between them.
func flags(parts ...any) (all []cli.Flag) {
	for _, part := range parts {
		switch part := part.(type) {
		case cli.Flag:
			all = append(all, part)
		case string:
			for _, name := range strings.Fields(part) {
				all = append(all, flagNamed(name))
			}
		}
	}
	return all
}

// flagNamed declares the flags that are alike in all commands. A name that is not listed is a text, by default empty.
// help.txt explains them.
func flagNamed(name string) cli.Flag {
	switch name {
	case "energies", "force", "half", "ignore-text", "json", "no-standardize", "offline", "parity", "quiet",
		"show-config", "slurm", "stdio", "strict", "tensorboard":
		return &cli.BoolFlag{Name: name}
	case "clusters", "jobs", "sdpp", "seeds", "threads":
		return &cli.IntFlag{Name: name}
	case "batches", "models", "only", "set":
		return &cli.StringSliceFlag{Name: name}
	case "backend", "header", "invert", "scale":
		return &cli.StringFlag{Name: name, Value: "auto"}
	case "runs", "sweeps":
		return &cli.StringFlag{Name: name, Value: name}
	case "orders":
		return &cli.IntFlag{Name: name, Value: root.DefaultOptions().Orders}
	case "samples":
		return &cli.IntFlag{Name: name, Value: root.DefaultOptions().Samples}
	case "seed":
		return &cli.Uint64Flag{Name: name, Value: root.DefaultOptions().Seed}
	case "data-dir":
		return &cli.StringFlag{
			Name: name, EnvVars: []string{sources.DirEnv},
			Action: func(_ *cli.Context, dir string) error { return os.Setenv(sources.DirEnv, dir) },
		}
	case "memory-limit":
		return &cli.StringFlag{
			Name: name, DefaultText: "nine tenths of the machine's",
			Action: func(_ *cli.Context, size string) error {
				if size == "" {
					return nil
				}
				return memory.SetLimit(size)
			},
		}
	}
	return &cli.StringFlag{Name: name}
}

// modelFlag chooses a trained model, by default the given one.
func modelFlag(model string) cli.Flag { return &cli.StringFlag{Name: "model", Value: model} }

// scaleFlag chooses the scale of experiments.
func scaleFlag() cli.Flag { return &cli.StringFlag{Name: "scale", Value: string(experiments.Small)} }

// bound is the range of a number that a user gives.
type bound struct{ least, most int }

// bounds are the ranges of the flags that take a whole number, by their names. More would take years or overflow; what
// a number within them takes of memory is estimated where the work is done.
var bounds = map[string]bound{
	"clusters": {0, 100_000}, "job": {0, 1_000_000}, "orders": {0, 1_000_000}, "points": {2, 1_000_000},
	"port": {0, 65535}, "repeats": {1, 1_000_000}, "samples": {0, 1_000_000}, "sdpp": {0, 1_000_000}, "seeds": {1, 100},
	"sets": {1, 1_000_000},
}

// checkBounds refuses numbers out of their ranges.
func checkBounds(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		within, known := bounds[name]
		if v := c.Int(name); known && c.IsSet(name) && (v < within.least || v > within.most) {
			return usererr.New(fmt.Sprintf("choose a number from %d to %d", within.least, within.most),
				"--%s %d is out of range", name, v)
		}
	}
	return nil
}
