package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// mixtureColumns is the number of columns that the default model, which knows points of the plane, can take. Other
// tables go to tableModel.
const (
	mixtureColumns = 2
	tableModel     = "table"
)

// openForClusters reads what is to be clustered: a table that goes to a model of tables, or without a network, is
// encoded, all else is as for openInput.
func openForClusters(c *cli.Context) (in *files.Input, exact bool, err error) {
	in, options, err := readInput(c)
	if err != nil {
		return nil, false, err
	}
	if !c.IsSet("model") && !in.IsImages() && (!in.IsPlain() || len(in.Columns) != mixtureColumns) {
		if err := c.Set("model", tableModel); err != nil {
			return nil, false, err
		}
	}
	exact = c.String("model") == root.ModelExact
	switch {
	case exact && in.IsImages():
		return nil, false, usererr.File(in.Path, 0, "leave --model out, or name a model of images",
			"holds images, but --model exact takes tables")
	case !exact && (in.IsImages() || !ofTables(c)):
		return in, false, in.Points(options.Encoding)
	}
	_, err = in.Encode(!options.NoStandardize)
	return in, exact, err
}

// ofTables reports whether --model names a model of tables. openModel tells of errors later.
func ofTables(c *cli.Context) bool {
	m, err := root.Find(c.String("model"))
	return err == nil && m.Config.Data.IsTables()
}

// clusterExactly clusters an encoded table without a network.
func clusterExactly(c *cli.Context, in *files.Input, options clustering.Options) (*clustering.Result, error) {
	if options.Scale != "auto" && options.Scale != "none" {
		return nil, usererr.New("leave --scale out", "--scale %s has no meaning for --model exact", options.Scale)
	}
	options.Scale = "none" // the encoding has standardized what is to be
	if !c.Bool("json") {
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
	if !c.Bool("json") {
		printWarnings(c, result.Warnings)
	}
	result.Model = root.ModelExact
	result.Warnings = slices.Concat([]string{}, in.Warnings, result.Warnings) // never null in JSON
	return result, nil
}
