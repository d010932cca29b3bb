package main

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/memory"
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
