package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// clustered is an input with its clustering, and the model that found it; nil for a table's.
type clustered struct {
	in     *files.Input
	result *clustering.Result
	model  *root.Model
}

// clusterWith clusters what was read by the model that --model names, images by imageDefault if it names none, and
// tables without one.
func clusterWith(c *cli.Context, in *files.Input, e files.Options, options clustering.Options) (*clustered, error) {
	var result *clustering.Result
	var model *root.Model
	var err error
	switch name := c.String("model"); {
	case in.IsImages() && name == root.MixtureModel:
		return nil, usererr.File(in.Path, 0, "leave --model out, or name a model of images",
			"holds images, but --model %s takes tables", name)
	case in.IsImages() || name != "" && name != root.MixtureModel:
		result, model, err = clusterByModel(c, in, e, options)
	default:
		result, err = clusterTable(c, in, options)
	}
	if err != nil {
		return nil, inFile(in.Path, err)
	}
	result.Warnings = slices.Concat([]string{}, result.Warnings, in.Warnings) // never null in JSON
	return &clustered{in, result, model}, nil
}

// clusterTable clusters a table by its posterior, and makes of it points to draw.
func clusterTable(c *cli.Context, in *files.Input, options clustering.Options) (*clustering.Result, error) {
	if !c.Bool("quiet") {
		count := counter(c, false)
		options.Progress = func(done, total int) { count("sweeps of the chains, at most:", done, total) }
	}
	result, err := root.ClusterTable(c.Context, in.Table(), options)
	if options.Progress != nil {
		options.Progress(1, 1) // the line goes, also after an error
	}
	if err != nil {
		return nil, err
	}
	return result, in.ToDraw()
}

// clusterByModel makes points of what was read, as the model that --model names takes them, and clusters them.
func clusterByModel(
	c *cli.Context, in *files.Input, e files.Options, options clustering.Options,
) (*clustering.Result, *root.Model, error) {
	if err := chooseModel(c, in); err != nil {
		return nil, nil, err
	}
	model, err := openModel(c)
	if err != nil {
		return nil, nil, err
	}
	if err := makePoints(c, in, e); err != nil {
		return nil, nil, err
	}
	if err := checkKind(in, model); err != nil {
		return nil, nil, err
	}
	options.Scale = pointScale(c, in, options.Scale)
	said := 0 // of the model's warnings
	aloud := !c.Bool("json")
	if aloud {
		printWarnings(c, in.Warnings)
		options.Warn = func(warning string) {
			said++
			printWarnings(c, []string{warning})
		}
	}
	if !c.Bool("quiet") {
		count := counter(c, false)
		options.Progress = func(done, total int) { count(noun(in)+"s placed in the samples:", done, total) }
		options.Assigned = func(done, total int) { count(noun(in)+"s assigned to the clusters:", done, total) }
	}
	result, err := model.Cluster(c.Context, in.X, in.Len(), options)
	if options.Progress != nil {
		options.Progress(1, 1) // the line goes, also after an error
	}
	if err == nil && aloud {
		printWarnings(c, result.Warnings[said:])
	}
	return result, model, err
}

// makePoints makes of what was read the points that --model takes: of a table its encoding.
func makePoints(c *cli.Context, in *files.Input, e files.Options) (err error) {
	if in.IsImages() || !ofTables(c) {
		return in.Points(e.Encoding)
	}
	_, err = in.Encode(!e.NoStandardize)
	return err
}

// pointScale is what --scale auto means for points: an encoding has standardized what is to be.
func pointScale(c *cli.Context, in *files.Input, scale string) string {
	if in.Encoding != nil && ofTables(c) && scale == "auto" {
		return "none"
	}
	return scale
}

// ofTables reports whether --model names a model of tables. openModel tells of errors later.
func ofTables(c *cli.Context) bool {
	m, err := root.Find(c.String("model"))
	return err == nil && m.Config.Data.IsTables()
}
