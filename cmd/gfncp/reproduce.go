package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "compute a table of the paper and set it beside the paper's numbers",
		ArgsUsage: "ID|all",
		Description: "ID is one of\n" + strings.Join(text.Wrap(strings.Join(experiments.IDs(), ", ")+" or all.", 100, utf8.RuneCountInString), "\n") +
			"\n\nFinished runs are reused, interrupted ones continue. The table is printed and written to\nDIR/ID." + table.Kept(nil).TableFiles() + ", figures beside it; \"all\" also writes DIR/report.html.\n\nExamples:\n" +
			"  gfncp reproduce table3 --scale smoke\n" +
			"  gfncp reproduce table3 --scale paper --only mog,gfncp,ncp\n" +
			"  gfncp reproduce table3 --scale small --seeds 1 --out results/small\n" +
			"  gfncp reproduce table4 --scale paper --executor slurm --gpus 1 --time 4:00:00     what is not trained, on a cluster",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "scale", Value: string(experiments.Small), Usage: "smoke, small or paper"},
			&cli.IntFlag{Name: "seeds", Usage: "number of seeds (default: smoke 1, small 2, paper 3)"},
			&cli.StringSliceFlag{Name: "only", Usage: "limit cells to these data sets and models, such as mog,gfncp,ncp; of every table and figure but fixed-point"},
			&cli.StringSliceFlag{Name: "set", Usage: "key=value for every training config; the table says so"},
			&cli.StringFlag{Name: "train", Value: string(experiments.TrainMissing), Usage: "missing: train cells that have no shipped weights; always: train every cell; never"},
			dataDirFlag(),
			&cli.StringFlag{Name: "out", Usage: "directory of the results (default results/SCALE)"},
			formatsFlag("write these files only"),
			&cli.StringFlag{Name: "runs", Value: "runs", Usage: "directory of the training runs"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of the table"},
			&cli.BoolFlag{Name: "quiet", Usage: "no progress on stderr"},
			backendFlag(),
			sweepsFlag(),
		}, executorFlags()...),
		Action: reproduce,
	}
}

// formatsFlag takes extensions for table.ParseKept.
func formatsFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "formats", Usage: usage + ", such as md,json,png (default: all)"}
}

func reproduce(c *cli.Context) error {
	id := c.Args().First()
	chosen, err := choose(id)
	if err != nil {
		return err
	}
	scale, err := experiments.ParseScale(c.String("scale"))
	if err != nil {
		return err
	}
	training, err := experiments.ParseTraining(c.String("train"))
	if err != nil {
		return err
	}
	if err := experiments.CheckOnly(c.StringSlice("only")); err != nil {
		return err
	}
	kept, err := table.ParseKept(c.String("formats"))
	if err != nil {
		return err
	}
	seeds := scale.Seeds()
	if c.IsSet("seeds") {
		if seeds = c.Int("seeds"); seeds < 1 || seeds > 100 {
			return usererr.New("choose 1..100", "--seeds %d is out of range", seeds)
		}
	}
	out := c.String("out")
	if out == "" {
		out = filepath.Join("results", string(scale))
	}
	if !c.Bool("dry-run") {
		if err := makeDir(out); err != nil {
			return err
		}
	}
	backend, name, err := openBackend(c)
	if err != nil {
		return err
	}
	lab := &experiments.Lab{
		Backend: backend, BackendName: name, Runs: c.String("runs"), Scale: scale, Seeds: seeds, Provenance: provenance(),
		Only: c.StringSlice("only"), Overrides: c.StringSlice("set"), Train: training, Shipped: shipped,
		Hear: func(run string) train.Listener { return progress(c, run) },
		Say:  func(format string, args ...any) { say(c, format, args...) },
	}
	if c.IsSet("executor") {
		if goOn, err := trainElsewhere(c, id, chosen, lab); !goOn {
			return err
		}
	}
	var failed error
	for _, e := range chosen {
		if err := reproduceOne(c, e, lab, out, kept); err != nil {
			if errors.Is(err, train.ErrInterrupted) {
				return fmt.Errorf("%w; the same command goes on", err)
			}
			if !errors.Is(err, errPartly) {
				return err
			}
			failed = errors.Join(failed, err)
		}
	}
	if id == "all" {
		failed = errors.Join(failed, writeReport(c, reportOf{results: out, runs: c.String("runs"), scale: scale}))
	}
	return failed
}

// choose returns the experiments meant by an ID.
func choose(id string) ([]experiments.Experiment, error) {
	if id == "all" {
		return experiments.All(), nil
	}
	e, err := experiments.Find(id)
	return []experiments.Experiment{e}, err
}

func reproduceOne(c *cli.Context, e experiments.Experiment, lab *experiments.Lab, out string, kept table.Kept) error {
	product, failed := e.Reproduce(c.Context, lab)
	if product == nil {
		return failed
	}
	made := product.Table
	if err := table.Write(out, kept, made, product.Figures...); err != nil {
		return err
	}
	var err error
	if c.Bool("json") {
		err = made.JSON(c.App.Writer)
	} else {
		err = made.Text(c.App.Writer, table.TextOptions{Color: colour(c)})
	}
	say(c, "written: %s.%s", filepath.Join(out, made.ID), kept.TableFiles())
	for _, f := range made.Figures {
		say(c, "written: %s.%s", filepath.Join(out, f.File), kept.FigureFiles())
	}
	if failed != nil {
		return errors.Join(fmt.Errorf("%s: %w", e.ID, errPartly), failed)
	}
	return err
}

// shipped returns the pretrained weights of a name, if they are embedded and can be read.
func shipped(name string) (*train.Model, bool) {
	if !slices.Contains(root.Names(), name) {
		return nil, false
	}
	m, err := root.Find(name)
	return m, err == nil
}

// colour reports whether stdout is a terminal that wants colours.
func colour(c *cli.Context) bool {
	return os.Getenv("NO_COLOR") == "" && isTerminal(c.App.Writer)
}

// makeDir creates an output directory and makes sure that files can be written in it.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &usererr.Error{Path: dir, Msg: "cannot be created (" + err.Error() + ")", Hint: "choose another directory with --out", Err: err}
	}
	return atomicfile.CheckWritable(filepath.Join(dir, "x"))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// provenance says when, from which commit and on which machine a result was made.
func provenance() table.Provenance {
	p := table.Provenance{Created: time.Now().UTC().Format(time.RFC3339), Machine: machine()}
	if info, ok := debug.ReadBuildInfo(); ok {
		p.Commit = buildSetting(info, "vcs.revision")
	}
	if p.Commit == "" {
		p.Commit = gitCommit()
	}
	return p
}
