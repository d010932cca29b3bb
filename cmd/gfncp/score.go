package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

func scoreFlags() []cli.Flag {
	orders := clustering.DefaultScoreOptions().Orders
	return append(inputFlags(), &cli.IntFlag{Name: "orders", Value: orders}, boolFlag("energies"))
}

func score(c *cli.Context) error {
	options := clustering.ScoreOptions{
		Orders: c.Int("orders"), Seed: c.Uint64("seed"), Scale: c.String("scale"), Energies: c.Bool("energies"),
	}
	if err := options.Validate(); err != nil {
		return withFlags(err)
	}
	in, err := openInput(c)
	if fault := new(usererr.Error); errors.As(err, &fault) && fault.Line > 0 && !c.IsSet("labels") {
		named := *fault // perhaps it is the labels that are no numbers
		named.Hint = "name the column that holds the labels with --labels"
		return &named
	}
	if err != nil {
		return err
	}
	switch {
	case in.IsImages():
		return usererr.File(in.Path, 0, "give a table or a file of vectors", "images cannot be scored")
	case in.Labels == nil:
		return usererr.File(in.Path, 0, "name the column that holds them with --labels", "there are no labels to score")
	}
	model, err := openModel(c)
	if err != nil {
		return err
	}
	result, err := model.Score(c.Context, in.X, in.Labels, options)
	if err != nil {
		return inFile(in.Path, err)
	}
	result.Warnings = append(append([]string{}, in.Warnings...), result.Warnings...) // never null in JSON
	return show(c, result, func(b *bytes.Buffer) {
		printWarnings(c, result.Warnings)
		writeScoreReport(b, in, result)
	})
}

// writeScoreReport prints what a person wants to know of scored labels.
func writeScoreReport(b *bytes.Buffer, in *files.Input, r *clustering.ScoreResult) {
	fmt.Fprintf(b, "%s: %d points in %d dimensions, labels of %s\n", in.Path, in.Len(), in.D, text.Count(r.K, "cluster"))
	fmt.Fprintf(b, "model %s, seed %d, scale factor %.4g\n\n", r.Model, r.Seed, r.ScaleFactor)
	if len(r.LogProb) > 0 {
		mean, std := metrics.Summary(r.LogProb)
		fmt.Fprintf(b, "  log p(c|x)   %.3f ± %.3f over %s\n", mean, std, text.Count(len(r.LogProb), "random order"))
	}
	line := func(name string, v *float64, meaning string) {
		if v != nil {
			fmt.Fprintf(b, "  %-11s  %.4g   %s\n", name, *v, meaning)
		}
	}
	line("SDPP", r.SDPP, "relative spread of p(c|x) over the orders; 0 is order-free")
	line("MC", r.MC, "marginal-consistency loss, summed, in the file's order; 0 is consistent")
	line("MC per step", r.MCEps, "mean over the steps, clamped as in the published code")
	if len(r.Energies) > 0 {
		fmt.Fprintf(b, "\nenergies in the file's order (each cluster so far, then a new one)\n")
	}
	for i, row := range r.Energies {
		at := fmt.Sprintf("point %d", i+1)
		if in.Lines != nil {
			at = fmt.Sprintf("line %d", in.Lines[i+1])
		}
		fmt.Fprintf(b, "  %s:", at)
		for _, e := range row {
			fmt.Fprintf(b, " %.6g", e)
		}
		b.WriteByte('\n')
	}
}
