package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

func scoreFlags() []cli.Flag {
	orders := clustering.DefaultScoreOptions().Orders
	return append(inputFlags(modelFlag(defaultModel)),
		&cli.IntFlag{Name: "orders", Value: orders}, boolFlag("energies"),
		memoryFlag())
}

func score(c *cli.Context) error {
	options := clustering.ScoreOptions{
		Orders: c.Int("orders"), Seed: c.Uint64("seed"), Scale: c.String("scale"), Energies: c.Bool("energies"),
	}
	if err := options.Validate(); err != nil {
		return withFlags(err)
	}
	if c.String("model") == root.MixtureModel {
		return usererr.New("name a network, or compare labels with the clusters: gfncp cluster --labels",
			"--model %s has no log p(c|x) of given labels: p(x) is not known, and score judges networks",
			root.MixtureModel)
	}
	in, err := inputForScore(c)
	if fault := new(usererr.Error); errors.As(err, &fault) && fault.Line > 0 && !c.IsSet("labels") {
		named := *fault // perhaps it is the labels that are no numbers
		named.Hint = "name the column that holds the labels with --labels"
		return &named
	}
	if err != nil {
		return err
	}
	switch {
	case in.IsImages():
		return usererr.File(in.Path, 0, "give a table or a file of vectors", "images cannot be scored")
	case in.Labels == nil:
		return usererr.File(in.Path, 0, "name the column that holds them with --labels", "there are no labels to score")
	}
	model, err := openModel(c)
	if err != nil {
		return err
	}
	options.Scale = pointScale(c, in, options.Scale)
	result, err := model.Score(c.Context, in.X, in.Labels, options)
	if err != nil {
		return inFile(in.Path, err)
	}
	result.Warnings = append(append([]string{}, in.Warnings...), result.Warnings...) // never null in JSON
	view := map[string]any{"In": in, "R": result}
	view["Mean"], view["Std"] = metrics.Summary(result.LogProb)
	var places []string
	for i := range result.Energies {
		places = append(places, lineOf(in, i+1))
	}
	view["Places"] = places
	if !c.Bool("json") {
		printWarnings(c, result.Warnings)
	}
	return show(c, result, "score", view)
}

// planeColumns is the number of columns that defaultModel takes.
const planeColumns = 2

// inputForScore reads a table of points. One that the default model does not take goes to the network of tables.
func inputForScore(c *cli.Context) (*files.Input, error) {
	in, options, err := readInput(c)
	if err != nil {
		return nil, err
	}
	if !c.IsSet("model") && !in.IsImages() && !(in.IsPlain() && len(in.Columns) == planeColumns) {
		if err := c.Set("model", tableModel); err != nil {
			return nil, err
		}
	}
	return in, makePoints(c, in, options)
}
