package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func reproduce(c *cli.Context) error {
	chosen, err := choose(c.Args().First())
	if err != nil {
		return err
	}
	lab, err := newLab(c)
	if err != nil {
		return err
	}
	out := cmp.Or(c.String("out"), filepath.Join("results", string(lab.Scale)))
	if err := makeDir(out); err != nil {
		return err
	}
	if lab.Backend, lab.BackendName, err = openBackend(c); err != nil {
		return err
	}
	if err := lab.CheckOverrides(chosen); err != nil {
		return err
	}
	if lab.Train == experiments.TrainMissing && lab.Scale != experiments.Paper {
		sayAbsent(c, ", so that their cells are trained")
	}
	var failed error
	for _, e := range chosen {
		if err := reproduceOne(c, e, lab, out); err != nil {
			if errors.Is(err, train.ErrInterrupted) {
				return fmt.Errorf("%w; the same command goes on", err)
			}
			if !errors.Is(err, errPartly) {
				return err
			}
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// newLab returns the lab that the flags describe, without a backend.
func newLab(c *cli.Context) (*experiments.Lab, error) {
	scale, err := experiments.ParseScale(c.String("scale"))
	if err != nil {
		return nil, err
	}
	training, err := experiments.ParseTraining(c.String("train"))
	if err != nil {
		return nil, err
	}
	if len(c.StringSlice("set")) > 0 { // shipped weights were trained without it
		if training == experiments.TrainNever {
			return nil, usererr.New("leave one of them out", "--set changes trainings, but --train never forbids them")
		}
		training = experiments.TrainAlways
	}
	return &experiments.Lab{
		Runs: c.String("runs"), Scale: scale, Provenance: provenance(),
		Seeds: cmp.Or(c.Int("seeds"), scale.Seeds()), Only: c.StringSlice("only"),
		Overrides: c.StringSlice("set"), Train: training, Shipped: shipped, Say: saying(c),
		Hear: func(run string) train.Listener { return progress(c, run) },
	}, experiments.CheckOnly(c.StringSlice("only"))
}

func choose(id string) ([]experiments.Experiment, error) {
	if id == "all" {
		return experiments.All(), nil
	}
	e, err := experiments.Find(id)
	return []experiments.Experiment{e}, err
}

// reproduceOne writes a table into the folder out. A table that lacks numbers of the earlier one in out goes into the
// folder partial below out.
func reproduceOne(c *cli.Context, e experiments.Experiment, lab *experiments.Lab, out string) error {
	earlier, err := readTable(out, e.ID)
	if err != nil {
		return err
	}
	made, failed := e.Reproduce(c.Context, lab)
	if made == nil {
		return failed
	}
	if earlier != nil {
		if lost := made.Lacks(earlier); lost > 0 {
			say(c, "%s stays: it has %s that this run lacks", filepath.Join(out, e.ID+".json"),
				text.Count(lost, "number"))
			out = filepath.Join(out, "partial")
		}
	}
	if err := made.Write(out); err != nil {
		return err
	}
	err = printTable(c, made)
	say(c, "written: %s.%s", filepath.Join(out, made.ID), table.TableFiles())
	for _, f := range made.Figures {
		say(c, "written: %s.%s", filepath.Join(out, f.File), table.FigureFiles())
	}
	if failed != nil {
		return errors.Join(fmt.Errorf("%s: %w", e.ID, errPartly), failed)
	}
	return err
}

// printTable prints a table, with --json as JSON.
func printTable(c *cli.Context, t *table.Table) error {
	if c.Bool("json") {
		return t.JSON(c.App.Writer)
	}
	return t.Text(c.App.Writer)
}

// shipped returns the pretrained weights of a name, if they are embedded and can be read.
func shipped(name string) (*train.Model, bool) {
	if !slices.Contains(root.Models(), name) {
		return nil, false
	}
	m, err := root.Find(name)
	return m, err == nil
}
