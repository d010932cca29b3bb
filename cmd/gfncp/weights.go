package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/pretrained"
)

func fetchWeights(c *cli.Context) error {
	return pretrained.Fetch(c.Context, c.Args().Slice(), pretrained.FetchOptions{
		From: c.String("from"), To: c.String("to"), Say: saying(c),
	})
}

// absentModels are the published models that are not on this machine.
func absentModels() []string {
	here := root.Models()
	return slices.DeleteFunc(pretrained.Names(), func(name string) bool { return slices.Contains(here, name) })
}

// sayAbsent says how to get the models that are not on this machine, if there are any.
func sayAbsent(c *cli.Context, so string) {
	if n := len(absentModels()); n > 0 {
		say(c, "pretrained models that are not on this machine: %d%s; gfncp fetch weights brings them", n, so)
	}
}
