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

// trial is a model that was tried: what it found, if it takes the points.
type trial struct {
	choice
	found   *clustered
	density float64 // logDensity
}

// clusterChosen clusters what was read with the model that --model names, or with that which explains the points best.
// Where none explains them and the last resort cannot take them, the best of what was found is better than nothing.
func clusterChosen(c *cli.Context, in *files.Input, e files.Options, options clustering.Options) (*clustered, error) {
	known, fallback := waysFor(c, in, options)
	trials, fault := try(c, known, in, e, options)
	if fault != nil && (!usererr.Is(fault) || known[0] == defaultModel && trials[0].found == nil) {
		return nil, fault // what the first model of points of the plane refuses is no choice's to mend
	}
	if best := bestOf(trials, true); best != nil {
		return best.take(c, choicesOf(trials, best)), nil
	}
	found, err := clusterBy(c, fallback, in, e, options, true)
	if best := bestOf(trials, false); err != nil && usererr.Is(err) && best != nil {
		best.Taken, best.Why = true, best.Why+"; but nothing else takes the points"
		return best.take(c, append(choicesOf(trials, best), choice{fallback, false, err.Error()})), nil
	}
	if err != nil {
		return nil, cmp.Or(fault, err)
	}
	if len(trials) > 0 {
		found.choice = append(choicesOf(trials, nil), choice{fallback, true, "no other model explains the points"})
	}
	return found, nil
}

// try clusters by models whose posterior is known; Taken says which of them explain the points. fault is the first
// model's that cannot take them, or what ends the command.
func try(
	c *cli.Context, known []string, in *files.Input, e files.Options, options clustering.Options,
) (trials []*trial, fault error) {
	for _, name := range known {
		t := &trial{choice: choice{Model: name}}
		var err error
		if t.found, err = clusterBy(c, name, in, e, options, false); err == nil {
			t.Why, t.Taken = t.found.result.Refinement.Explains()
			t.density = t.found.logDensity()
		} else if t.Why, t.found = err.Error(), nil; !usererr.Is(err) {
			return nil, err
		}
		trials, fault = append(trials, t), cmp.Or(fault, err)
	}
	return trials, fault
}

// bestOf is the trial, among those that explain the points or among all that found something, whose most probable
// clustering is the most probable; nil if there is none.
func bestOf(trials []*trial, explaining bool) (best *trial) {
	for _, t := range trials {
		if t.found != nil && (t.Taken || !explaining) && (best == nil || t.density > best.density) {
			best = t
		}
	}
	return best
}

// choicesOf says of each trial why it was taken or not; the others that explain the points, too, do so less well.
func choicesOf(trials []*trial, best *trial) (choices []choice) {
	for _, t := range trials {
		if t != best && t.Taken {
			t.Taken = false
			t.Why = fmt.Sprintf("explains the points less well: log p(c,x) is %.1f lower", best.density-t.density)
		}
		choices = append(choices, t.choice)
	}
	return choices
}

// take is the clustering of a trial, whose warnings are still to be printed.
func (t *trial) take(c *cli.Context, choices []choice) *clustered {
	if !c.Bool("json") {
		printWarnings(c, t.found.result.Warnings)
	}
	t.found.choice = choices
	return t.found
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
	plane := isPlane(in)
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
