package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

// addKnown adds --together, --apart, --given and --weights to k; in is the table that was read.
func addKnown(c *cli.Context, in *files.Input, k *root.Known) (err error) {
	if k.Together, err = in.ReadPairs(c.String("together"), false); err != nil {
		return err
	}
	if k.Apart, err = in.ReadPairs(c.String("apart"), true); err != nil {
		return err
	}
	if len(in.Aside) < len(asideFlags(c)) {
		return usererr.File(in.Path, 0, "give a table", "--given and --weights name columns, but there are none")
	}
	aside := in.Aside
	if c.String("given") != "" {
		if k.Given = files.LabelsOf(aside[0]); slices.Max(k.Given) < 0 {
			return usererr.File(in.Path, 0, "leave --given out, or name the clusters of some rows in it",
				"column %s of --given is empty", aside[0].Name)
		}
		aside = aside[1:]
	}
	if c.String("weights") != "" {
		if k.Weights = aside[0].Values; aside[0].Kind != tabular.Number {
			return usererr.File(in.Path, 0, "give whole numbers", "column %s of --weights holds no numbers",
				aside[0].Name)
		}
	}
	return nil
}

// asideFlags are the columns that --given and --weights name, in this order.
func asideFlags(c *cli.Context) []string {
	columns := []string{c.String("given"), c.String("weights")}
	return slices.DeleteFunc(columns, func(name string) bool { return name == "" })
}
