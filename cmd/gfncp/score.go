package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

func score(c *cli.Context) error {
	options, err := optionsOf(c)
	if err != nil {
		return err
	}
	if options.Model == root.MixtureModel {
		return usererr.New("name a network, or compare labels with the clusters: gfncp cluster --labels",
			"--model %s has no log p(c|x) of given labels: p(x) is not known, and score judges networks",
			root.MixtureModel)
	}
	chosen := options.Model != ""
	model, err := root.Open(cmp.Or(options.Model, defaultModel), options)
	if err != nil {
		return err
	}
	defer model.Close()
	points, err := readPoints(c, c.Args().First(), model.ReadPoints)
	if err != nil {
		return err
	}
	in := points.Input()
	if d := len(in.Columns); !chosen && in.Labels != nil && d != model.Dim() {
		return usererr.File(in.Path, 0, "choose two with --columns, or name a network of yours with --model",
			"has %s to score, but the shipped networks score points in the plane", text.Count(d, "column"))
	}
	result, err := model.Score(c.Context, points, nil, options)
	if err != nil {
		return err
	}
	result.Warnings = answer.AllFlags(result.Warnings)
	mean, std := metrics.Summary(result.LogProb)
	var places []string
	for i := range result.Energies {
		places = append(places, answer.LineOf(in, i+1))
	}
	if !c.Bool("json") {
		printWarnings(c, result.Warnings)
	}
	view := map[string]any{"In": in, "R": result, "Mean": mean, "Std": std, "Places": places}
	return show(c, result, "score", view)
}
