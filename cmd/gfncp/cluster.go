package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/internal/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

func clusterCommand() *cli.Command {
	defaults := clustering.DefaultOptions()
	return &cli.Command{
		Name:      "cluster",
		Usage:     "cluster the points of a CSV or TSV file, with probabilities",
		ArgsUsage: "INPUT",
		UsageText: "gfncp cluster INPUT [options]        INPUT is a CSV or TSV file, or - for standard input",
		Description: "Prints labels, their uncertainty and P(K). Clusters are numbered from 0 by first appearance in the file.\n" +
			"The points are centred on their median and, with --scale auto, brought to the model's training range; the\n" +
			"factor is reported. They are decoded in one random order, drawn from the seed. Log-probabilities leave out the\n" +
			"constant log 1/N! of that order.\n\n" +
			"Examples:\n" +
			"  gfncp cluster examples/points.csv\n" +
			"  gfncp cluster examples/points.csv --out clusters.csv --plot clusters.svg\n" +
			"  gfncp cluster points.csv --columns x,y --labels species      compare with known labels\n" +
			"  gfncp cluster points.csv --samples 500 --decode sample --json > result.json\n" +
			"  gfncp cluster points.csv --model runs/mine --co-clustering matrix.csv",
		Flags: append(append(modelFlags(calibratedDefault), inputFlags()...),
			&cli.IntFlag{Name: "samples", Value: defaults.Samples, Usage: "partitions to draw for the probabilities"},
			&cli.StringFlag{Name: "decode", Value: defaults.Decode, Usage: "greedy; sample: the sample nearest to all others; beam: the most probable of a search"},
			&cli.StringFlag{Name: "out", Usage: "write points, clusters and probabilities to this CSV `FILE`"},
			&cli.StringFlag{Name: "co-clustering", Usage: "write how often two points share a cluster to this CSV `FILE`"},
			&cli.StringFlag{Name: "plot", Usage: "draw the clusters to this .svg or .png `FILE`"},
		),
		Action: cluster,
	}
}

// inputFlags say how to read and prepare the points; cluster and score share them.
func inputFlags() []cli.Flag {
	defaults := clustering.DefaultOptions()
	return []cli.Flag{
		&cli.StringFlag{Name: "columns", Usage: "names or numbers of the coordinate columns, separated by commas (default: all but the labels)"},
		&cli.StringFlag{Name: "labels", Usage: "name or number of the `COLUMN` that holds known labels"},
		&cli.StringFlag{Name: "header", Value: "auto", Usage: "auto, yes or no: does the first line hold column names"},
		&cli.StringFlag{Name: "scale", Value: defaults.Scale, Usage: "auto, none, or a factor for the centred points"},
		&cli.Uint64Flag{Name: "seed", Value: defaults.Seed, Usage: "seed of the data orders and the samples"},
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.BoolFlag{Name: "quiet", Usage: "print no warnings"},
	}
}

// readInput reads the points that the command line names.
func readInput(c *cli.Context) (*tabular.Table, error) {
	path, err := oneArgument(c, "INPUT")
	if err != nil {
		return nil, err
	}
	options := tabular.Options{LabelColumn: c.String("labels"), Header: c.String("header")}
	if list := c.String("columns"); list != "" {
		options.Columns = strings.Split(list, ",")
	}
	return tabular.Read(path, options)
}

func cluster(c *cli.Context) error {
	files := outputs{table: c.String("out"), matrix: c.String("co-clustering"), plot: c.String("plot")}
	options := clustering.Options{
		Samples: c.Int("samples"), Decode: c.String("decode"), Seed: c.Uint64("seed"), Scale: c.String("scale"),
		CoClustering: files.matrix != "",
	}
	if err := options.Validate(); err != nil {
		return err
	}
	table, err := readInput(c)
	if err != nil {
		return err
	}
	if err := files.check(table.Path); err != nil {
		return err
	}
	model, net, err := openModel(c)
	if err != nil {
		return err
	}
	var result *clustering.Result
	err = interruptible(c.Context, func() (err error) {
		result, err = clustering.Cluster(net, model.Config.Data, table.X, table.N, table.D, options)
		return err
	})
	if err != nil {
		return inFile(table.Path, err)
	}
	result.Model = model.Card.Name
	result.Warnings = append(append([]string{}, table.Warnings...), result.Warnings...)
	if err := files.write(table, result); err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, result)
	}
	printWarnings(c, result.Warnings)
	return writeClusterReport(c.App.Writer, table, result)
}

// interruptible runs work beside the command, so that Ctrl-C ends it: nothing has been written by then.
func interruptible(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// printWarnings prints warnings on stderr unless --quiet.
func printWarnings(c *cli.Context, warnings []string) {
	for _, w := range warnings {
		say(c, "gfncp: warning: %s", w)
	}
}

// inFile names the input in a fault of its points.
func inFile(path string, err error) error {
	var fault *usererr.Error
	if errors.As(err, &fault) && fault.Path == "" {
		named := *fault
		named.Path = path
		return &named
	}
	return err
}
