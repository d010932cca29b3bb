package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
)

// optionsOf are the library's options that the flags of a command set, without what is known of the clusters. Flags
// that the command lacks leave the default.
func optionsOf(c *cli.Context) (*root.Options, error) {
	o := root.DefaultOptions()
	o.Model, o.Backend = c.String("model"), c.String("backend")
	has := func(name string) bool { return flagOf(c.Command, name) != nil }
	if has("samples") {
		o.Samples = c.Int("samples")
	}
	if has("orders") {
		o.Orders, o.Energies = c.Int("orders"), c.Bool("energies")
	}
	if has("time") {
		o.Time = c.Duration("time")
		o.CoClustering = c.String("co-clustering") != ""
	}
	o.Seed, o.KeepUnits = c.Uint64("seed"), c.Bool("no-standardize")
	var err error
	if has("k") {
		if o.Least, o.Most, err = answer.ParseNumber(c.String("k")); err != nil {
			return nil, err
		}
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
