package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/sweep/slurm"
)

// executors are the choices of --executor; the first is the default.
func executors() []sweep.Executor { return []sweep.Executor{&sweep.Local{}, &slurm.Executor{}} }

// executorFlags choose who runs a sweep's jobs, and how: every executor's options.
func executorFlags() []cli.Flag {
	flags := []cli.Flag{&cli.StringFlag{Name: "executor", Value: executors()[0].Name()}, boolFlag("dry-run")}
	for _, by := range executors() {
		for _, o := range by.Options() {
			usage := by.Name() + ": " + o.Usage
			switch o.Value.(type) {
			case *string:
				flags = append(flags, &cli.StringFlag{Name: o.Name, Usage: usage})
			case *int:
				flags = append(flags, &cli.IntFlag{Name: o.Name, Usage: usage})
			case *time.Duration:
				flags = append(flags, &cli.DurationFlag{Name: o.Name, Usage: usage})
			case *bool:
				flags = append(flags, &cli.BoolFlag{Name: o.Name, Usage: usage})
			case *[]string:
				flags = append(flags, &cli.GenericFlag{Name: o.Name, Value: &words{}, Usage: usage})
			}
		}
	}
	return flags
}

// words are the values of a flag that may be repeated, with their commas.
type words []string

// Set takes a value in.
func (w *words) Set(value string) error {
	*w = append(*w, value)
	return nil
}

// String lists the values.
func (w *words) String() string { return strings.Join(*w, " ") }

// executorNamed returns an executor by its name, with no options.
func executorNamed(name string) (sweep.Executor, error) {
	all := executors()
	if at := slices.IndexFunc(all, func(by sweep.Executor) bool { return by.Name() == name }); at >= 0 {
		return all[at], nil
	}
	return nil, usererr.Unknown(name, executorNames(), "--executor %q is not known", name)
}

// executor returns the executor of a name as the flags set it up, for jobs on a backend. Flags of another executor are
// refused.
func executor(c *cli.Context, name, backend string) (sweep.Executor, error) {
	chosen, err := executorNamed(name)
	if err != nil {
		return nil, err
	}
	own := map[string]sweep.Option{}
	for _, o := range chosen.Options() {
		own[o.Name] = o
	}
	for _, by := range executors() {
		for _, o := range by.Options() {
			if !c.IsSet(o.Name) {
				continue
			}
			mine, known := own[o.Name]
			if !known {
				return nil, usererr.New("leave it out, or choose the other executor",
					"--%s has no effect with --executor %s", o.Name, name)
			}
			if err := setOption(c, mine); err != nil {
				return nil, err
			}
		}
	}
	return chosen, chosen.Check(backend)
}

// setOption takes the value of an option's flag over.
func setOption(c *cli.Context, o sweep.Option) error {
	switch to := o.Value.(type) {
	case *string:
		*to = c.String(o.Name)
	case *int:
		if *to = c.Int(o.Name); *to < 1 || *to > 65535 {
			return usererr.New("choose 1..65535", "--%s %d is out of range", o.Name, *to)
		}
	case *time.Duration:
		if *to = c.Duration(o.Name); *to <= 0 {
			return usererr.New("give a time above 0, such as 25m", "--%s %v is out of range", o.Name, *to)
		}
	case *bool:
		*to = c.Bool(o.Name)
	case *[]string:
		*to = *c.Generic(o.Name).(*words)
	}
	return nil
}

// printDryRun prints what an executor would start.
func printDryRun(c *cli.Context, s *sweep.Sweep, by sweep.Executor, jobs []sweep.Job) error {
	script, err := by.Script(s, jobs)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(c.App.Writer, script)
	return err
}
