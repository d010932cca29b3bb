package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// inputFlags choose the model, say how to read and prepare the points, and how to print; cluster and score share them.
func inputFlags(model cli.Flag) []cli.Flag {
	defaults := clustering.DefaultOptions()
	return slices.Concat([]cli.Flag{model, backendFlag()}, tableFlags(), []cli.Flag{
		&cli.StringFlag{Name: "scale", Value: defaults.Scale},
		&cli.Uint64Flag{Name: "seed", Value: defaults.Seed},
		boolFlag("json"), boolFlag("quiet"),
	})
}

// tableFlags say how to read a table; cluster, score and train share them.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("columns"), stringFlag("ignore"), stringFlag("categorical"), boolFlag("no-standardize"),
		stringFlag("labels"), &cli.StringFlag{Name: "header", Value: "auto"},
	}
}

// tableOptions are the options that the command line gives for reading a file.
func tableOptions(c *cli.Context) files.Options {
	options := files.DefaultOptions()
	options.LabelColumn = c.String("labels")
	if c.IsSet("header") {
		options.Header = c.String("header")
	}
	for flag, columns := range map[string]*[]string{
		"columns": &options.Columns, "ignore": &options.Ignore, "categorical": &options.Categorical,
	} {
		if list := c.String(flag); list != "" {
			*columns = strings.Split(list, ",")
		}
	}
	options.NoStandardize = c.Bool("no-standardize")
	return options
}

// readInput reads the file or folder that the command line names; makePoints makes points of it. The options hold the
// encoding of the table that the model was trained on, if it was.
func readInput(c *cli.Context) (*files.Input, files.Options, error) {
	options := tableOptions(c)
	options.Invert = c.String("invert")
	options.Aside = asideFlags(c)
	if trained, err := root.Find(c.String("model")); err == nil { // openModel tells the error later
		if options.Encoding, err = trained.Config.Data.TableEncoding(); err != nil {
			return nil, options, err
		}
	}
	saveMemory(c.Args().First())
	in, err := interruptible(c, func() (*files.Input, error) { return files.Read(c.Args().First(), options) })
	return in, options, err
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

// imageDefault is the model that images are clustered with unless --model names another.
const imageDefault = "mnist-gfncp-free"

// chooseModel sets --model for images if the user did not, and says what that model knows.
func chooseModel(c *cli.Context, in *files.Input) error {
	if !in.IsImages() || c.IsSet("model") {
		return nil
	}
	advice := fmt.Sprintf("train one on your images with gfncp train --data %s, and name its run with --model", in.Path)
	if !slices.Contains(root.Names(), imageDefault) {
		return usererr.File(in.Path, 0, advice, "holds images, and no model for images is built in")
	}
	in.Warnings = append(in.Warnings, fmt.Sprintf(
		"model %s was trained on handwritten digits; if your images are something else, %s", imageDefault, advice))
	return c.Set("model", imageDefault)
}

// checkKind refuses images for a model of points. Points for a model of images are judged by their number of
// coordinates.
func checkKind(in *files.Input, m *root.Model) error {
	if in.IsImages() && !m.Config().Data.IsImages() {
		return usererr.File(in.Path, 0, "name a model that was trained on images with --model",
			"holds images of %d×%d pixels, but model %s takes points with %s", in.Height, in.Width, m.Card().Name,
			text.Count(m.Dim(), "coordinate"))
	}
	return nil
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
