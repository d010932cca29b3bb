package main

import (
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
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
	model, points, err := openScored(c, options)
	if err != nil {
		return err
	}
	defer model.Close()
	in := points.Input()
	if !in.IsImages() && in.Labels == nil {
		return usererr.File(in.Path, 0, "name the column that holds them with --labels", "there are no labels to score")
	}
	result, err := model.Score(c.Context, points, nil, options)
	if err != nil {
		return explained(err)
	}
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

// planeColumns is the number of columns that defaultModel takes.
const planeColumns = 2

// openScored reads a file and opens the model that --model names; else, for points that defaultModel does not take, the
// network of tables.
func openScored(c *cli.Context, o *root.Options) (m *root.Model, points *root.Points, err error) {
	read := root.ReadPoints
	if o.Model != "" {
		if m, err = root.Open(o.Model, o); err != nil {
			return nil, nil, err
		}
		read = m.ReadPoints
	}
	if points, err = readPoints(c, c.Args().First(), read); err != nil || m != nil {
		return m, points, err
	}
	name := defaultModel
	if in := points.Input(); !in.IsImages() && !(in.IsPlain() && len(in.Columns) == planeColumns) {
		name = tableModel
	}
	m, err = root.Open(name, o)
	return m, points, err
}
