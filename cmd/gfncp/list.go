package main

import (
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/train"
)

// listed is one experiment in JSON output.
type listed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Built string `json:"built"`
}

func list(c *cli.Context) error {
	var all []listed
	for _, e := range experiments.All() {
		all = append(all, listed{e.ID, e.Title, e.Built})
	}
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
