package main

import (
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// aheadRun is a training whose programs are compiled ahead.
type aheadRun struct {
	name   string
	config train.Config
}

// Steps in which a paper-scale training meets its programs, before its first validation.
const stepsAhead = 12

// paperRuns are the trainings of benchmarks/gpu/paper-mog.toml and paper-images.toml: all sizes of sets; and after them
// one size of each other objective of GFNCP.
func paperRuns() []aheadRun {
	var runs []aheadRun
	for _, source := range []string{"mog", "mnist"} {
		for _, model := range []string{train.GFNCP, train.NCP} {
			runs = append(runs, aheadRun{source + " " + model, shortened(train.DefaultOn(model, source))})
		}
	}
	one := func(name, model string, change func(c *train.Config)) {
		c := train.DefaultOn(model, "mog")
		c.Data.NMin = c.Data.NMax
		change(&c)
		runs = append(runs, aheadRun{"mog " + name, shortened(c)})
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

// narrowRuns is one training of a narrow network.
func narrowRuns() []aheadRun {
	c := train.Default(train.GFNCP)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 64, 64, 64
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 8, 64, 64
	return []aheadRun{{"narrow", shortened(c)}}
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
