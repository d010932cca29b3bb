package main

import (
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/evaluation"
)

func checkCommand() *cli.Command {
	defaults := evaluation.DefaultCheck()
	return &cli.Command{
		Name:      "check",
		Usage:     "test a model's posterior: simulation-based calibration and Geweke's joint distribution test",
		ArgsUsage: "RUN",
		Description: "RUN is a pretrained name, a run directory or a model file of a gfncp, ncp or ccp model that was trained on mixtures of\n" +
			"Gaussians, whose law is known. If the model drew from the exact posterior, the true value of any statistic would have a\n" +
			"uniform rank among its draws (Cook et al. 2006, Talts et al. 2018), and partitions from the model in turn with points\n" +
			"given them would follow the law of the data (Geweke 2004).\n\n" +
			"The exit status is 0 when the check ran: a difference is a result, not a failure. Scripts read `differ` of --json.\n\n" +
			"Examples:\n" +
			"  gfncp check mog-ncp\n" +
			"  gfncp check runs/mine --points 20 --sets 500 --json",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "points", Usage: "points a set", DefaultText: "50, or the nearest number that the model was trained on"},
			&cli.IntFlag{Name: "sets", Value: defaults.Sets, Usage: "sets of the calibration"},
			&cli.IntFlag{Name: "draws", Value: defaults.Draws, Usage: "draws from the model for each of these sets"},
			&cli.IntFlag{Name: "chains", Value: defaults.Chains, Usage: "chains of the joint test; each takes as many steps that count, after a quarter as many"},
			&cli.Uint64Flag{Name: "seed", Value: defaults.Seed, Usage: "seed of all random choices"},
			backendFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "quiet", Usage: "no progress on stderr"},
		},
		Action: check,
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
	if c.Bool("json") {
		return printJSON(c.App.Writer, checked{1, m.Card.Name, where, report})
	}
	return writeCheck(c.App.Writer, m.Card.Name, report)
}
