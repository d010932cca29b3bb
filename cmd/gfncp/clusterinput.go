package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
)

// inputFlags choose the model, say how to read and prepare the points, and how to print; cluster and score share them.
func inputFlags(model cli.Flag) []cli.Flag {
	return slices.Concat([]cli.Flag{model, backendFlag()}, tableFlags(), []cli.Flag{
		&cli.StringFlag{Name: "scale", Value: "auto"}, &cli.Uint64Flag{Name: "seed", Value: root.DefaultOptions().Seed},
		boolFlag("json"), boolFlag("quiet"),
	})
}

// tableFlags say how to read a table; cluster, score and train share them.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("columns"), stringFlag("ignore"), boolFlag("ignore-text"), stringFlag("categorical"),
		boolFlag("no-standardize"), stringFlag("labels"), &cli.StringFlag{Name: "header", Value: "auto"},
	}
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
		Categorical:   split(c, "categorical"),
		NoStandardize: c.Bool("no-standardize"), Aside: asideFlags(c),
	}
}

// readPoints reads the file or folder that the command line names, for a model if it is not nil.
func readPoints(c *cli.Context, m *root.Model) (*root.Points, error) {
	path := c.Args().First()
	saveMemory(path)
	return interruptible(c, func() (*root.Points, error) {
		if m != nil {
			return m.ReadPoints(path, fileOptions(c))
		}
		return root.ReadPoints(path, fileOptions(c))
	})
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

// noun is what a point of the input is called.
func noun(in *files.Input) string {
	if in.IsImages() {
		return "image"
	}
	return "point"
}

// whereIs says where point i stands in the input: an image by its name, a point with its first coordinates.
func whereIs(in *files.Input, i int) string {
	if in.IsImages() {
		return in.Names[i]
	}
	return lineOf(in, i) + " (" + text.List(each(in.Cells(i), shortCell), shownCoords) + ")"
}

// shortCell gives a number four digits, a large one twelve, and a text twenty letters.
func shortCell(cell string) string {
	if v, err := strconv.ParseFloat(cell, 64); err == nil && math.Abs(v) < 1e4 {
		return fmt.Sprintf("%.4g", v)
	} else if err == nil {
		return fmt.Sprintf("%.12g", v)
	}
	return text.Shorten(cell, 20)
}

// lineOf names point i by its line, or by its index in a file without lines.
func lineOf(in *files.Input, i int) string {
	if in.Lines != nil {
		return fmt.Sprintf("line %d", in.Lines[i])
	}
	return fmt.Sprintf("point %d", i)
}
