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

// sayAbsent says how to get the published models that are not on this machine, if there are any.
func sayAbsent(c *cli.Context, so string) {
	here := root.Models()
	absent := slices.DeleteFunc(pretrained.Names(), func(name string) bool { return slices.Contains(here, name) })
	if n := len(absent); n > 0 {
		say(c, "pretrained models that are not on this machine: %d%s; gfncp fetch weights brings them", n, so)
	}
}
