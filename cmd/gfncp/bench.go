package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func benchFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("model"), backendFlag(),
		&cli.StringSliceFlag{Name: "only"}, &cli.StringSliceFlag{Name: "models"}, &cli.StringSliceFlag{Name: "batches"},
		&cli.IntFlag{Name: "repeats", Value: 5}, &cli.IntSliceFlag{Name: "large"},
		stringFlag("out"), stringFlag("plot"), stringFlag("read"), boolFlag("json"), boolFlag("quiet"),
		memoryFlag(),
	}
}

func bench(c *cli.Context) error {
	for _, dir := range []string{filepath.Dir(c.String("out")), c.String("plot")} {
		if dir == "" || dir == "." {
			continue
		}
		if err := makeDir(dir); err != nil {
			return err
		}
	}
	report, err := benchReport(c)
	if err != nil {
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
	if dir := c.String("plot"); dir != "" {
		paths, err := report.Pictures(dir)
		if err != nil {
			return err
		}
		for _, path := range paths {
			say(c, "drew %s", path)
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, report)
	}
	return nil
}

// benchReport measures, or reads what was measured, and prints a table of it unless --json.
func benchReport(c *cli.Context) (benchmarks.Report, error) {
	table := &benchTable{out: c.App.Writer, silent: c.Bool("json")}
	if path := c.String("read"); path != "" {
		report, err := readBench(path)
		if err != nil {
			return report, err
		}
		table.head(report)
		for _, r := range report.Results {
			table.row(r)
		}
		return report, nil
	}
	suite, err := benchSuite(c)
	if err != nil {
		return benchmarks.Report{}, err
	}
	suite.Begin = func(r benchmarks.Result) {
		say(c, "%s: %s, %d × %d points, K = %d", r.Group, r.Work, r.Sets, r.Points, r.Clusters)
	}
	suite.Hear = table.row
	report, err := suite.Run()
	where := provenance()
	report.Machine, report.Commit, report.Created = where.Machine, where.Commit, where.Created
	if err == nil {
		table.head(report)
	}
	return report, err
}

// benchSuite reads the flags of a measurement.
func benchSuite(c *cli.Context) (benchmarks.Suite, error) {
	suite := benchmarks.Suite{Repeats: c.Int("repeats"), Sizes: benchmarks.DefaultSizes(hasMNIST())}
	if err := chooseSizes(c, &suite.Sizes); err != nil {
		return suite, err
	}
	suite.Groups = c.StringSlice("only")
	if err := benchmarks.CheckGroups(suite.Groups); err != nil {
		return suite, err
	}
	if name := c.String("model"); name != "" {
		chosen, err := findModel(c, name)
		if err != nil {
			return suite, err
		}
		if chosen.Config.Net.Dim != 2 {
			return suite, usererr.New("choose a model of two-dimensional points",
				"%s reads points of %d coordinates", name, chosen.Config.Net.Dim)
		}
		suite.Find = func(kind string) (*train.Model, string, error) {
			if kind == chosen.Config.Model {
				return chosen, name, nil
			}
			return benchmarks.Shipped(kind)
		}
	}
	var err error
	suite.Backend, suite.Name, err = openBackend(c)
	return suite, err
}

// chooseSizes takes --models, --batches and --large over.
func chooseSizes(c *cli.Context, sizes *benchmarks.Sizes) error {
	if c.IsSet("models") {
		sizes.Models = c.StringSlice("models")
	}
	for _, model := range sizes.Models {
		if !slices.Contains(train.Models(), model) {
			return usererr.Unknown(model, train.Models(), "model %q is not known", model)
		}
	}
	if c.IsSet("batches") {
		sizes.Batches = nil
	}
	for _, text := range c.StringSlice("batches") {
		shape, err := benchmarks.ParseShape(text)
		if err != nil {
			return err
		}
		if err := fits(shape); err != nil {
			return err
		}
		sizes.Batches = append(sizes.Batches, shape)
	}
	sizes.Large = append(sizes.Large, c.IntSlice("large")...)
	slices.Sort(sizes.Large)
	sizes.Large = slices.Compact(sizes.Large)
	return nil
}

// fits refuses a batch that no training takes, or whose step would need more memory than may be used.
func fits(shape benchmarks.Shape) error {
	config := train.Default(train.GFNCP)
	d := &config.Data
	d.Batch, d.NMin, d.NMax, d.FixedK = shape.Sets, shape.Points, shape.Points, shape.Clusters
	if err := config.Validate(); err != nil {
		return err
	}
	what := fmt.Sprintf("a step of %d sets of %d points", shape.Sets, shape.Points)
	return memory.Demand(config.Memory(), what, "give smaller --batches")
}

// hasMNIST reports whether the image data set is where the user said that data are.
func hasMNIST() bool {
	if os.Getenv(sources.DirEnv) == "" {
		return false
	}
	files, err := sources.Verify(data.SourceMNIST, "")
	return err == nil && !slices.ContainsFunc(files, func(f sources.FileStatus) bool { return f.State != sources.OK })
}

func readBench(path string) (report benchmarks.Report, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	const name = "name a report of gfncp bench --out"
	if err != nil {
		return report, usererr.File(path, 0, name, "%v", err)
	}
	if report.SchemaVersion != 1 {
		return report, usererr.File(path, 0, "measure again with this version",
			"the report has schema_version %d, and 1 is known", report.SchemaVersion)
	}
	if len(report.Results) == 0 && report.Rates == nil {
		return report, usererr.File(path, 0, name, "holds no measurement")
	}
	return report, nil
}
