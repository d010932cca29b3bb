package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/pretrained"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure the speed of training and decoding on this machine",
		Description: "Compilation is not timed; times are medians. Leave the machine idle otherwise.\n\nExamples:\n" +
			"  gfncp bench\n" +
			"  gfncp bench --repeats 7 --out benchmarks/results/go-2cores.json",
		Flags: append(modelFlags(defaultModel),
			&cli.IntFlag{Name: "repeats", Value: 5, Usage: "measured repeats of each work"},
			&cli.IntSliceFlag{Name: "large", Value: cli.NewIntSlice(1000, 10000), Usage: "sizes of the single large sets"},
			&cli.StringFlag{Name: "out", Usage: "also write the report to this JSON file"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
		Action: bench,
	}
}

func bench(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Int("repeats") < 1 {
		return usererr.New("choose at least 1", "--repeats %d is out of range", c.Int("repeats"))
	}
	if out := c.String("out"); out != "" {
		if err := makeDir(filepath.Dir(out)); err != nil {
			return err
		}
	}
	m, err := pretrained.Find(c.String("model"))
	if err != nil {
		return err
	}
	backend, name, err := openBackend(c)
	if err != nil {
		return err
	}
	where := provenance()
	report := benchmarks.Report{
		SchemaVersion: 1, Machine: where.Machine, Cores: runtime.GOMAXPROCS(0), Backend: name, SIMD: engine.SIMD(),
		Commit: where.Commit, Created: where.Created, Repeats: c.Int("repeats"),
	}
	suite := benchmarks.Suite{Backend: backend, Model: m, Repeats: report.Repeats, Large: c.IntSlice("large"), Hear: func(r benchmarks.Result) {
		if !c.Bool("json") {
			printBench(c, r)
		}
	}}
	if report.Results, err = suite.Run(); err != nil {
		return err
	}
	if out := c.String("out"); out != "" {
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if err := atomicfile.WriteFile(out, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, report)
	}
	return nil
}

func printBench(c *cli.Context, r benchmarks.Result) {
	fmt.Fprintf(c.App.Writer, "%-11s B=%-3d N=%-6d K=%d  %7.3f s (%.3f to %.3f)  %7.1f µs/point", r.Work, r.Sets, r.Points, r.Clusters,
		r.Median, r.Seconds[0], r.Seconds[len(r.Seconds)-1], r.PerPoint)
	if r.Published > 0 {
		fmt.Fprintf(c.App.Writer, "  published %.2f s: %.0f times faster", r.Published, r.Ratio)
	}
	fmt.Fprintln(c.App.Writer)
}
