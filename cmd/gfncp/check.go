package main

import (
	"bytes"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/evaluation"
)

func checkFlags() []cli.Flag {
	defaults := evaluation.DefaultCheck()
	return []cli.Flag{
		&cli.IntFlag{Name: "points", DefaultText: "50, or the nearest number that the model was trained on"},
		&cli.IntFlag{Name: "sets", Value: defaults.Sets},
		&cli.IntFlag{Name: "draws", Value: defaults.Draws},
		&cli.IntFlag{Name: "chains", Value: defaults.Chains},
		&cli.Uint64Flag{Name: "seed", Value: defaults.Seed},
		backendFlag(), boolFlag("json"), boolFlag("quiet"),
	}
}

// checked is what check prints as JSON.
type checked struct {
	SchemaVersion int    `json:"schema_version"`
	Model         string `json:"model"`
	Backend       string `json:"backend"`
	*evaluation.CheckReport
}

func check(c *cli.Context) error {
	name := c.Args().First()
	m, err := root.Find(name)
	if err != nil {
		return err
	}
	backend, where, err := openBackend(c)
	if err != nil {
		return err
	}
	settings := evaluation.CheckSettings{
		Points: c.Int("points"), Sets: c.Int("sets"), Draws: c.Int("draws"), Chains: c.Int("chains"), Seed: c.Uint64("seed"),
	}
	if !c.Bool("quiet") {
		settings.Progress = counter(c, true)
	}
	report, err := evaluation.CheckModel(c.Context, backend, m, settings)
	if err != nil {
		return err
	}
	return show(c, checked{1, m.Card.Name, where, report}, func(b *bytes.Buffer) { writeCheck(b, m.Card.Name, report) })
}
