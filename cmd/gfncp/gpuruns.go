package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// aheadRun is work whose programs are compiled ahead. Its results are those of hollow programs, and nobody's.
type aheadRun struct {
	name string
	do   func(ctx context.Context, backend string) error
}

// Steps in which a paper-scale training meets its programs, before its first validation.
const stepsAhead = 12

// paperRuns are the trainings of benchmarks/gpu/paper-mog.sh and paper-images.sh: all sizes of sets; after them the
// jobs of first.sh, but for XLA's flags, which are part of what a program is compiled to; and one size
// of each other objective and peer.
func paperRuns() []aheadRun {
	var runs []aheadRun
	for _, source := range []string{"mog", "mnist"} {
		for _, model := range []string{train.GFNCP, train.NCP} {
			runs = append(runs, training(source+" "+model, train.DefaultOn(model, source)))
		}
	}
	runs = append(runs, firstRuns()...)
	one := func(name, model string, change func(c *train.Config)) {
		c := train.DefaultOn(model, "mog")
		c.Data.NMin = c.Data.NMax
		change(&c)
		runs = append(runs, training("mog "+name, c))
	}
	for _, balance := range []string{"db", "tb", "subtb"} {
		one(balance, train.GFNCP, func(c *train.Config) { c.Loss.Balance = balance })
	}
	one("free flows", train.GFNCP, func(c *train.Config) { c.Loss = losses.FreeFlows() })
	one("warm start", train.GFNCP, func(c *train.Config) { c.Train.WarmupSteps, c.Loss.NLLWeight = 2, 1 })
	one("online", train.GFNCP, func(c *train.Config) { c.Net.Online = true })
	for _, peer := range train.Models() {
		if !train.KindOf(peer).Energies() {
			one(peer, peer, func(*train.Config) {})
		}
	}
	return runs
}

// firstRuns are the jobs of benchmarks/gpu/first.sh.
func firstRuns() []aheadRun {
	runs := []aheadRun{command("doctor", "", "doctor")}
	for _, name := range []string{
		"energy table", "decode given labels", "train gfncp, data step", "train ncp", "train gfncp, exploration step",
		"decode shipped model", "encoder conv", "augmentation",
	} {
		runs = append(runs, command("parity", "", "doctor", "--parity", "--case", name))
	}
	c := train.Default(train.GFNCP)
	c.Data.NMin, c.Data.NMax = 512, 512
	runs = append(runs, training("train 512", c))
	for _, name := range []string{"energy table", "train gfncp, data step"} {
		runs = append(runs, command("parity tf32", ",tf32=true", "doctor", "--parity", "--case", name))
	}
	bench := []string{"bench", "--only", "step,decode", "--models", "gfncp", "--batches", "64x512", "--repeats", "1"}
	return append(runs, command("bench", "", bench...))
}

// narrowRuns are a training of a narrow network and a product in TF32.
func narrowRuns() []aheadRun {
	c := train.Default(train.GFNCP)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 64, 64, 64
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 8, 64, 64
	return []aheadRun{
		training("narrow", c),
		command("tf32", ",tf32=true", "doctor", "--parity", "--case", "energy table"),
	}
}

// training is a run of the trainer.
func training(name string, c train.Config) aheadRun {
	return aheadRun{name, func(ctx context.Context, name string) error {
		backend, err := openHollow(name)
		if err != nil {
			return err
		}
		defer backend.Finalize()
		folder, err := os.MkdirTemp("", "gfncp-ahead-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		folder = filepath.Join(folder, "run")
		_, err = train.Run(ctx, backend, sources.Source, shortened(c), folder, train.Listener{})
		return err
	}}
}

// command is a command of this program, on a backend with some options. That it ends with an error is the rule: its
// numbers are wrong.
func command(name, options string, line ...string) aheadRun {
	return aheadRun{name, func(ctx context.Context, backend string) error {
		line := append([]string{"gfncp"}, append(line, "--backend", backend+options)...)
		_ = newApp(io.Discard, io.Discard).RunContext(ctx, line)
		return ctx.Err()
	}}
}

// shortened is a training that meets all programs in a few steps. Half of them explore: of the paper's, one in a
// thousand does.
func shortened(c train.Config) train.Config {
	c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = stepsAhead, stepsAhead, stepsAhead
	if c.Loss.Beta < 1 {
		c.Loss.Beta = 0.5
	}
	return c
}
