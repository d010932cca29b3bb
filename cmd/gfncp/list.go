package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
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
