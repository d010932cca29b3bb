package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// clusterExactly clusters an encoded table without a network.
func clusterExactly(
	c *cli.Context, in *files.Input, options clustering.Options, aloud bool,
) (*clustering.Result, error) {
	if options.Scale != "auto" && options.Scale != "none" {
		return nil, usererr.New("leave --scale out", "--scale %s has no meaning for --model exact", options.Scale)
	}
	options.Scale = "none" // the encoding has standardized what is to be
	aloud = aloud && !c.Bool("json")
	if aloud {
		printWarnings(c, in.Warnings)
	}
	if !c.IsSet("subset") {
		options.Subset = clustering.ExactSubset
	}
	if !c.Bool("quiet") {
		count := counter(c, false)
		options.Progress = func(done, total int) { count("subsets tried:", done, total) }
		options.Assigned = func(done, total int) { count("points assigned to the clusters:", done, total) }
	}
	result, err := clustering.Exact(c.Context, in.X, in.Len(), in.D, options)
	if options.Assigned != nil {
		options.Assigned(1, 1) // the line goes, also after an error
	}
	if err != nil {
		return nil, inFile(in.Path, err)
	}
	if aloud {
		printWarnings(c, result.Warnings)
	}
	result.Model = root.ModelExact
	result.Warnings = slices.Concat([]string{}, in.Warnings, result.Warnings) // never null in JSON
	return result, nil
}
