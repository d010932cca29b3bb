package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
)

// optionsOf are the library's options that the flags of a command set, without what is known of the clusters. An option
// whose flag the command lacks is not read.
func optionsOf(c *cli.Context) (*root.Options, error) {
	o := &root.Options{
		Model: c.String("model"), Backend: c.String("backend"), Seed: c.Uint64("seed"),
		Samples: c.Int("samples"), Time: c.Duration("time"), CoClustering: c.String("co-clustering") != "",
		Orders: c.Int("orders"), Energies: c.Bool("energies"), KeepUnits: c.Bool("no-standardize"),
	}
	var err error
	if o.Least, o.Most, err = answer.ParseNumber(c.String("k")); err != nil {
		return nil, err
	}
	if o.Scale, err = clustering.ParseScale(c.String("scale")); err == nil {
		err = o.Validate()
	}
	return o, explained(err)
}

// listen lets progress and warnings be seen. ended is to be called after the work; it returns the warnings among all
// that were not printed yet.
func listen(c *cli.Context, o *root.Options) (ended func(all []string) []string) {
	var said []string
	if !c.Bool("json") {
		o.Warn = func(warning string) {
			said = append(said, warning)
			printWarnings(c, []string{warning})
		}
	}
	if !c.Bool("quiet") {
		o.Progress = counter(c)
	}
	return func(all []string) []string {
		if o.Progress != nil {
			o.Progress("", 1, 1) // the line goes, also after an error
		}
		return slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(said, w) })
	}
}

// printWarnings prints warnings on stderr unless --quiet.
func printWarnings(c *cli.Context, warnings []string) {
	for _, w := range warnings {
		say(c, "gfncp: warning: %s", w)
	}
}

// explained says what went wrong in the command's words: flags where the library names options.
func explained(err error) error {
	if errors.Is(err, context.Canceled) {
		return errNothingWritten
	}
	return answer.WithFlags(err)
}

// errNothingWritten is what a person hears who interrupts a command before it writes.
var errNothingWritten = fmt.Errorf("%w; nothing was written", errInterrupted)

// split is the comma-separated values of a flag.
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
		header = "" // a training keeps what was said
	}
	return &root.FileOptions{
		LabelColumn: c.String("labels"), Header: header, Invert: c.String("invert"),
		Columns: split(c, "columns"), Ignore: split(c, "ignore"), IgnoreText: c.Bool("ignore-text"),
		Categorical: split(c, "categorical"), Missing: split(c, "missing"),
		NoStandardize: c.Bool("no-standardize"), Aside: asideFlags(c),
	}
}

// readPoints reads the file or folder at path, as the library does or as a model needs it.
func readPoints(
	c *cli.Context, path string, read func(string, *root.FileOptions) (*root.Points, error),
) (*root.Points, error) {
	saveMemory(path)
	return interruptible(c, func() (*root.Points, error) { return read(path, fileOptions(c)) })
}

// A large file is mostly numbers that stay: between two collections the heap may grow by a fifth of them, not by as
// much again.
const (
	largeFile    = 4 << 20 // bytes
	largeGrowth  = 20      // per cent
	growthSetter = "GOGC"  // the user's own choice goes first
)

func saveMemory(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() > largeFile && os.Getenv(growthSetter) == "" {
		debug.SetGCPercent(largeGrowth)
	}
}
