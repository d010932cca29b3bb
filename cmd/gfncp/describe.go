package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/pretrained"
	"github.com/gfncp/gfncp/train"
)

func describe(c *cli.Context) error {
	id := c.Args().First()
	if e, err := experiments.Find(id); err == nil {
		return describeExperiment(c, e)
	}
	m, err := root.Find(id)
	if err == nil {
		sum := m.Params.SHA256()
		result := map[string]any{"schema_version": 1, "card": m.Card, "config": m.Config, "weights_sha256": sum}
		return show(c, result, "model", struct {
			*train.Model
			SHA256 string
		}{m, sum})
	}
	if config, fault := train.ReadConfig(id); fault == nil && !exists(train.BestPath(id)) {
		result := map[string]any{"schema_version": 1, "card": nil, "config": config, "weights_sha256": nil}
		return show(c, result, "unvalidated", map[string]any{"Dir": id, "Config": config})
	}
	if !exists(id) && !slices.Contains(pretrained.Names(), id) {
		known := slices.Concat(experiments.IDs(), root.Models(), pretrained.Names())
		return usererr.New(usererr.DidYouMean(id, known, "see gfncp list"),
			"%q is no table, figure, model, run or file", id)
	}
	return err
}

func describeExperiment(c *cli.Context, e experiments.Experiment) error {
	configs := map[experiments.Scale][]experiments.NamedConfig{}
	for _, scale := range experiments.Scales() {
		configs[scale] = e.Configs(scale)
	}
	result := struct {
		SchemaVersion int `json:"schema_version"`
		listed
		Configs map[experiments.Scale][]experiments.NamedConfig `json:"configs"`
	}{1, newListed(e), configs}
	return show(c, result, "experiment", map[string]any{
		"E": e, "Where": place(e),
		"Names": answer.Each(configs[experiments.Small], func(n experiments.NamedConfig) string { return n.Name }),
	})
}

// place says where an experiment stands: "paper, section 5.3", "paper, appendix" or "beyond the paper".
func place(e experiments.Experiment) string {
	switch e.Section {
	case "beyond the paper":
		return e.Section
	case "appendix":
		return "paper, appendix"
	}
	return "paper, section " + e.Section
}

// listed is one experiment in JSON output.
type listed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Built string `json:"built"`
}

func newListed(e experiments.Experiment) listed { return listed{e.ID, e.Title, e.Built} }

func list(c *cli.Context) error {
	all := answer.Each(experiments.All(), newListed)
	var models []*train.Model
	for _, name := range root.Models() {
		m, err := root.Find(name)
		if err != nil {
			return err
		}
		models = append(models, m)
	}
	result := map[string]any{"schema_version": 1, "experiments": all, "models": root.Models()}
	sayAbsent(c, "")
	return show(c, result, "list", map[string]any{"Experiments": all, "Models": models})
}
