package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func listCommand() *cli.Command {
	return &cli.Command{
		Name:   "list",
		Usage:  "list the paper's tables and figures, and the pretrained models",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: list,
	}
}

// listed is one experiment in JSON output.
type listed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Built string `json:"built"`
}

func list(c *cli.Context) error {
	if c.Bool("json") {
		var all []listed
		for _, e := range experiments.All() {
			all = append(all, listed{e.ID, e.Title, e.Built})
		}
		return printJSON(c.App.Writer, map[string]any{"schema_version": 1, "experiments": all, "models": root.Names()})
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	for _, e := range experiments.All() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.ID, e.Title, e.Built)
	}
	for _, name := range root.Names() {
		m, err := root.Find(name)
		if err != nil {
			return err
		}
		points := fmt.Sprintf("points in %d dimensions", m.Config.Net.Dim)
		if m.Config.Data.IsImages() {
			points = "images of 28×28 pixels"
		}
		fmt.Fprintf(w, "%s\tpretrained model\t%d steps, %s\n", name, m.Card.Steps, points)
	}
	return w.Flush()
}

func describeCommand() *cli.Command {
	return &cli.Command{
		Name:      "describe",
		Usage:     "describe a table, a figure, a pretrained model, or a run with its whole config",
		ArgsUsage: "ID",
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action:    describe,
	}
}

func describe(c *cli.Context) error {
	id := c.Args().First()
	e, err := experiments.Find(id)
	if err != nil {
		m, missing := root.Find(id)
		if missing != nil && !exists(id) {
			known := append(experimentIDs(), root.Names()...)
			return usererr.New(usererr.DidYouMean(id, known, "see gfncp list"), "%q is no table, figure, model, run or file", id)
		}
		if missing != nil {
			return missing
		}
		return describeModel(c, m)
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, struct {
			SchemaVersion int `json:"schema_version"`
			listed
		}{1, listed{e.ID, e.Title, e.Built}})
	}
	out := c.App.Writer
	fmt.Fprintf(out, "%s: %s (paper, section %s)\n  shows    %s\n", e.ID, e.Title, e.Section, e.Shows)
	fmt.Fprintf(out, "  built    %s\n  expect   %s\n  command  gfncp reproduce %s --scale smoke|small|paper\n", e.Built, e.Expect, e.ID)
	for _, scale := range []experiments.Scale{experiments.Smoke, experiments.Small, experiments.Paper} {
		for _, c := range e.Configs(scale) {
			fmt.Fprintf(out, "\n# %s, %s, %d seeds\n%s", scale, c.Name, scale.Seeds(), c.Config)
		}
	}
	return nil
}

// describeModel prints a model's card and config.
func describeModel(c *cli.Context, m *train.Model) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"schema_version": 1, "card": m.Card, "config": m.Config})
	}
	out := c.App.Writer
	fmt.Fprintf(out, "%s: %s network, %d weights\n", m.Card.Name, strings.ToUpper(m.Config.Model), m.Params.Size())
	fmt.Fprintf(out, "  trained   %d steps in %.0f s on %s (%s)\n", m.Card.Steps, m.Card.Seconds, orUnknown(m.Card.Machine), orUnknown(m.Card.Backend))
	fmt.Fprintf(out, "  selected  %s (%.4g)\n", m.Card.Selected, m.Card.Loss)
	for _, name := range slices.Sorted(maps.Keys(m.Card.Metrics)) {
		fmt.Fprintf(out, "  %-34s %.4g\n", name, m.Card.Metrics[name])
	}
	for _, note := range m.Card.Notes {
		fmt.Fprintf(out, "  note      %s\n", note)
	}
	_, err := fmt.Fprintf(out, "\n%s", m.Config)
	return err
}
