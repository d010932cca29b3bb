package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// tableFlags are the flags about how to read a table.
const tableFlags = " columns ignore ignore-text labels header "

// flags lists the flags of a command. A text holds names of flags that flagNamed declares, with blanks between them.
func flags(parts ...any) (all []cli.Flag) {
	for _, part := range parts {
		switch part := part.(type) {
		case cli.Flag:
			all = append(all, part)
		case string:
			for _, name := range strings.Fields(part) {
				all = append(all, flagNamed(name))
			}
		}
	}
	return all
}

// flagNamed declares a flag that is alike in all commands: a text, unless it is listed here. help.txt explains it.
func flagNamed(name string) cli.Flag {
	switch name {
	case "energies", "force", "half", "ignore-text", "json", "no-standardize", "offline", "quiet",
		"show-config", "slurm", "stdio", "strict", "tensorboard":
		return &cli.BoolFlag{Name: name}
	case "only", "set":
		return &cli.StringSliceFlag{Name: name}
	case "backend", "header", "invert", "scale":
		return &cli.StringFlag{Name: name, Value: "auto"}
	case "runs", "sweeps":
		return &cli.StringFlag{Name: name, Value: name}
	case "data-dir":
		return &cli.StringFlag{
			Name: name, EnvVars: []string{sources.DirEnv},
			Action: func(_ *cli.Context, dir string) error { return os.Setenv(sources.DirEnv, dir) },
		}
	case "memory-limit":
		return &cli.StringFlag{
			Name: name, DefaultText: "nine tenths of the machine's",
			Action: func(_ *cli.Context, size string) error {
				if size == "" {
					return nil
				}
				return memory.SetLimit(size)
			},
		}
	}
	if _, is := numbers[name]; is {
		return number(name, "")
	}
	return &cli.StringFlag{Name: name}
}

// modelFlag chooses a trained model, by default the given one.
func modelFlag(model string) cli.Flag { return &cli.StringFlag{Name: "model", Value: model} }

func scaleFlag() cli.Flag { return &cli.StringFlag{Name: "scale", Value: string(experiments.Small)} }

// whole is the value of a flag that takes a whole number within bounds.
type whole struct{ value, least, most uint64 }

// String returns the number in decimal digits.
func (w *whole) String() string { return strconv.FormatUint(w.value, 10) }

// Set reads decimal digits. It fails for other texts and for numbers out of bounds.
func (w *whole) Set(text string) error {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil || v < w.least || v > w.most || strconv.FormatUint(v, 10) != text {
		return fmt.Errorf("choose a whole number from %d to %d", w.least, w.most)
	}
	w.value = v
	return nil
}

// numbers are the flags that take a whole number, with default, least and largest value. Larger numbers would take
// years or overflow. The code that does the work estimates its memory.
var numbers = map[string]whole{
	"clusters": {0, 0, 100_000},
	"job":      {0, 0, 1_000_000},
	"jobs":     {0, 1, 65535},
	"orders":   {uint64(root.DefaultOptions().Orders), 0, 1_000_000},
	"points":   {300, 2, 1_000_000},
	"port":     {8017, 0, 65535},
	"repeats":  {5, 1, 1_000_000},
	"samples":  {uint64(root.DefaultOptions().Samples), 0, 1_000_000},
	"sdpp":     {0, 0, 1_000_000},
	"seed":     {root.DefaultOptions().Seed, 0, math.MaxUint64},
	"seeds":    {0, 1, 100},
	"sets":     {500, 1, 1_000_000},
	"threads":  {0, 1, 65535},
}

// number declares a flag of numbers. defaults describes its default, if that is not its default value.
func number(name, defaults string) *cli.GenericFlag {
	of := numbers[name]
	return &cli.GenericFlag{Name: name, Value: &of, DefaultText: defaults}
}

// optionsOf returns the options that flags set; addKnown adds the others. Flags that a command lacks are zero.
func optionsOf(c *cli.Context) (*root.Options, error) {
	o := &root.Options{
		Model: c.String("model"), Backend: c.String("backend"), Seed: c.Uint64("seed"),
		Samples: c.Int("samples"), Time: c.Duration("time"), CoClustering: c.String("co-clustering") != "",
		Orders: c.Int("orders"), Energies: c.Bool("energies"),
	}
	var err error
	if o.Least, o.Most, err = answer.ParseNumber(c.String("k")); err != nil {
		return nil, err
	}
	if o.Scale, err = parseScale(c.String("scale")); err == nil {
		err = o.Validate()
	}
	return o, err
}

// parseScale reads a scale as people write it: "auto", "none" or a factor.
func parseScale(text string) (float64, error) {
	if factor, is := map[string]float64{"": 0, "auto": 0, "none": 1}[text]; is {
		return factor, nil
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor > 0) || math.IsInf(factor, 0) {
		return 0, usererr.Option("Scale", "use auto, none or a factor above 0", "%q is unknown", text)
	}
	return factor, nil
}

// listen shows progress. ended must be called after the work.
func listen(c *cli.Context, o *root.Options) (ended func()) {
	if c.Bool("quiet") {
		return func() {}
	}
	o.Progress = counter(c)
	return func() { o.Progress("", 1, 1) } // the line goes, also after an error
}

func printWarnings(c *cli.Context, warnings []string) {
	for _, w := range warnings {
		say(c, "gfncp: warning: %s", w)
	}
}

func split(c *cli.Context, flag string) []string {
	if value := c.String(flag); value != "" {
		return strings.Split(value, ",")
	}
	return nil
}

// fileOptions are the options that the command line gives for reading a file.
func fileOptions(c *cli.Context) *root.FileOptions {
	header := c.String("header")
	if header == "auto" {
		header = "" // the config of a training leaves it out
	}
	return &root.FileOptions{
		LabelColumn: c.String("labels"), Header: header, Invert: c.String("invert"),
		Columns: split(c, "columns"), Ignore: split(c, "ignore"), IgnoreText: c.Bool("ignore-text"),
		Categorical: split(c, "categorical"), Missing: split(c, "missing"),
		NoStandardize: c.Bool("no-standardize"), Aside: asideFlags(c),
	}
}

// readPoints reads the file or folder at path, as the library does or as a model needs it. The first signal ends a wait
// for a pipe.
func readPoints(
	c *cli.Context, path string, read func(string, *root.FileOptions) (*root.Points, error),
) (*root.Points, error) {
	return beside.Do(c.Context, func() (*root.Points, error) { return read(path, fileOptions(c)) })
}
