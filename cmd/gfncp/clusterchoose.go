package main

import (
	"cmp"
	"fmt"
	"math"
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
	choice []choice
}

// choice says whether a model was taken, and why.
type choice struct {
	Model string `json:"model"`
	Taken bool   `json:"taken"`
	Why   string `json:"why"`
}

// String is a note on the choice.
func (c choice) String() string {
	if c.Taken {
		return fmt.Sprintf("model %s: %s", c.Model, c.Why)
	}
	return fmt.Sprintf("not model %s: %s", c.Model, c.Why)
}

// clusterChosen clusters what was read with the model that --model names, or with that which explains the points best.
func clusterChosen(c *cli.Context, in *files.Input, e files.Options, options clustering.Options) (*clustered, error) {
	known, fallback := waysFor(c, in, options)
	best, choices, fault := explained(c, known, in, e, options)
	if fault != nil && !usererr.Is(fault) {
		return nil, fault
	}
	if best != nil {
		if !c.Bool("json") {
			printWarnings(c, best.result.Warnings)
		}
		best.choice = choices
		return best, nil
	}
	found, err := clusterBy(c, fallback, in, e, options, true)
	if err != nil {
		return nil, cmp.Or(fault, err)
	}
	if len(choices) > 0 {
		found.choice = append(choices, choice{fallback, true, "no other model explains the points"})
	}
	return found, nil
}

// explained clusters by models whose posterior is known, and returns the clustering of that which explains the points,
// of several the one whose most probable clustering is more probable; nil if none does. fault is the first model's that
// cannot take the points.
func explained(
	c *cli.Context, known []string, in *files.Input, e files.Options, options clustering.Options,
) (best *clustered, choices []choice, fault error) {
	densities := make([]float64, len(known))
	for i, name := range known {
		found, err := clusterBy(c, name, in, e, options, false)
		if err != nil {
			if fault = cmp.Or(fault, err); !usererr.Is(err) {
				return nil, nil, err
			}
			choices = append(choices, choice{name, false, err.Error()})
			continue
		}
		why, explains := found.result.Refinement.Explains()
		if densities[i] = found.logDensity(); explains && (best == nil || densities[i] > best.logDensity()) {
			best = found
		}
		choices = append(choices, choice{name, explains, why})
	}
	for i, rival := range choices {
		if rival.Taken && rival.Model != best.result.Model {
			less := best.logDensity() - densities[i]
			choices[i].Taken = false
			choices[i].Why = fmt.Sprintf("explains the points less well: log p(c,x) is %.1f lower", less)
		}
	}
	return best, choices, fault
}

// logDensity is log p(c,x) of the most probable clustering that a refinement drew, of points in the units of the file.
func (f *clustered) logDensity() float64 {
	n, d := f.in.Len(), f.in.D
	if f.result.Subset != nil {
		n = len(f.result.Subset.Points)
	}
	log := float64(n*d) * math.Log(f.result.ScaleFactor)
	if f.in.Encoding != nil {
		for _, column := range f.in.Encoding.Columns {
			if column.Scale > 0 {
				log += float64(n) * math.Log(column.Scale)
			}
		}
	}
	return log + f.result.Samples[0].LogProb
}

// waysFor are the models that suit an input: those whose posterior is known, and the one to take if none of them
// explains the points; this one alone where the user names it or asks for what only a network does.
func waysFor(c *cli.Context, in *files.Input, options clustering.Options) (known []string, fallback string) {
	plane := in.IsPlain() && !in.IsImages() && len(in.Columns) == mixtureColumns
	switch {
	case c.IsSet("model") || in.IsImages() || plane && (c.IsSet("scale") || options.OfNetwork()):
		return nil, c.String("model")
	case plane && in.Len() <= clustering.MaxRefined:
		return []string{defaultModel, root.ModelExact}, tableModel
	case plane:
		return []string{root.ModelExact}, defaultModel
	case options.OfNetwork():
		return nil, tableModel
	}
	return []string{root.ModelExact}, tableModel
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
	switch {
	case exact && in.IsImages():
		return nil, usererr.File(in.Path, 0, "leave --model out, or name a model of images",
			"holds images, but --model exact takes tables")
	case !exact && (in.IsImages() || !ofTables(c)):
		err = in.Points(e.Encoding)
	default:
		_, err = in.Encode(!e.NoStandardize)
	}
	if err != nil {
		return nil, err
	}
	if exact {
		found.result, err = clusterExactly(c, in, options, aloud)
	} else {
		found.result, found.model, err = clusterInput(c, in, options, aloud)
	}
	return found, err
}

// ofTables reports whether --model names a model of tables. openModel tells of errors later.
func ofTables(c *cli.Context) bool {
	m, err := root.Find(c.String("model"))
	return err == nil && m.Config.Data.IsTables()
}
