package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/metrics"
)

func score(c *cli.Context) error {
	options, err := optionsOf(c)
	if err != nil {
		return err
	}
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
