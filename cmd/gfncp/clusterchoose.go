package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// mixtureColumns is the number of columns that the default model, which knows points of the plane, can take. Other
// tables go to root.ModelExact or to tableModel.
const (
	mixtureColumns = 2
	tableModel     = "table"
)

// clustered is an input with its clustering, and the model that found it, nil without one.
type clustered struct {
	in     *files.Input
	result *clustering.Result
	model  *root.Model
	choice []clustering.Choice
}

// Refinement is that of the clustering.
func (f *clustered) Refinement() *clustering.Refinement { return f.result.Refinement }

// LogDensity is what clusterings of the same input are compared by.
func (f *clustered) LogDensity() float64 { return f.result.LogDensity(f.in.D, f.in.Encoding) }

// clusterChosen clusters what was read with the model that --model names, or with that which explains the points best.
func clusterChosen(c *cli.Context, in *files.Input, e files.Options, options clustering.Options) (*clustered, error) {
	ways := waysFor(c, in, options)
	if len(ways.Known) > 0 {
		if err := in.Table().CheckVaries(); err != nil {
			return nil, err
		}
		in.KeepTable() // clusterBy makes points of it
	}
	aloud := false
	found, choices, err := clustering.ChooseBest(ways, isPlane(in),
		func(model string, last bool) (*clustered, error) {
			found, err := clusterBy(c, model, in, e, options, last)
			aloud = last && err == nil
			return found, err
		})
	if err != nil {
		return nil, err
	}
	found.choice = choices
	unsaid := found.result.Warnings
	if aloud {
		unsaid = nil
	}
	if warning := clustering.Unchecked(choices); warning != "" {
		found.result.Warnings = append(found.result.Warnings, warning)
		unsaid = append(slices.Clip(unsaid), warning)
	}
	if !c.Bool("json") {
		printWarnings(c, unsaid)
	}
	return found, nil
}

// waysFor are the models that suit an input, as clustering.Candidates has them; the one alone that the user names, or
// that takes images or a factor.
func waysFor(c *cli.Context, in *files.Input, options clustering.Options) clustering.Ways {
	if c.IsSet("model") || in.IsImages() || isPlane(in) && c.IsSet("scale") {
		return clustering.Ways{Fallback: c.String("model")}
	}
	models := clustering.Candidates{
		Plane: defaultModel, Table: tableModel, Exact: root.ModelExact, TableMost: root.LargestSet(tableModel),
	}
	return models.Ways(isPlane(in), in.Len(), options)
}

// fork is an input of which points can be made while in stays as it was read.
func fork(in *files.Input) *files.Input {
	other := *in
	other.Pool = &data.Pool{
		Name: in.Name, X: in.X, D: in.D, Height: in.Height, Width: in.Width, Labels: in.Labels, Classes: in.Classes,
	}
	other.Notes, other.Warnings = slices.Clip(in.Notes), slices.Clip(in.Warnings)
	return &other
}

// clusterBy makes points of what was read, as a model takes them, and clusters them. Warnings are printed at once if
// aloud.
func clusterBy(
	c *cli.Context, name string, in *files.Input, e files.Options, options clustering.Options, aloud bool,
) (found *clustered, err error) {
	if name != c.String("model") { // images find theirs later
		if err := c.Set("model", name); err != nil {
			return nil, err
		}
	}
	in = fork(in)
	found = &clustered{in: in}
	exact := name == root.ModelExact
	if exact && in.IsImages() {
		return nil, usererr.File(in.Path, 0, "leave --model out, or name a model of images",
			"holds images, but --model exact takes tables")
	}
	if err := makePoints(c, in, e); err != nil {
		return nil, err
	}
	if exact {
		found.result, err = clusterExactly(c, in, options, aloud)
	} else {
		found.result, found.model, err = clusterInput(c, in, options, aloud)
	}
	return found, err
}

// makePoints makes of what was read the points that --model takes: of a table its encoding.
func makePoints(c *cli.Context, in *files.Input, e files.Options) (err error) {
	if in.IsImages() || c.String("model") != root.ModelExact && !ofTables(c) {
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

// isPlane reports whether the points are such as the default model takes.
func isPlane(in *files.Input) bool {
	return in.IsPlain() && !in.IsImages() && len(in.Columns) == mixtureColumns
}

// ofTables reports whether --model names a model of tables. openModel tells of errors later.
func ofTables(c *cli.Context) bool {
	m, err := root.Find(c.String("model"))
	return err == nil && m.Config.Data.IsTables()
}
