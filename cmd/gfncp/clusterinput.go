package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
)

// tableFlags say how to read a table; cluster, score and train share them.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "columns", Usage: "names or numbers of the coordinate columns, separated by commas (default: all but the labels)"},
		&cli.StringFlag{Name: "labels", Usage: "name or number of the `COLUMN` that holds known labels"},
		&cli.StringFlag{Name: "header", Value: "auto", Usage: "auto, yes or no: does the first line hold column names"},
	}
}

// tableOptions are the options that the command line gives for reading a file.
func tableOptions(c *cli.Context) files.Options {
	options := files.DefaultOptions()
	options.LabelColumn = c.String("labels")
	if c.IsSet("header") {
		options.Header = c.String("header")
	}
	if list := c.String("columns"); list != "" {
		options.Columns = strings.Split(list, ",")
	}
	return options
}

// openInput reads the file or folder that the command line names.
func openInput(c *cli.Context) (*files.Input, error) {
	options := tableOptions(c)
	options.Invert = c.String("invert")
	return files.Open(c.Args().First(), options)
}

// noun is what a point of the input is called.
func noun(in *files.Input) string {
	if in.IsImages() {
		return "image"
	}
	return "point"
}

// whereIs says where point i stands in the input.
func whereIs(in *files.Input, i int) string {
	switch {
	case in.IsImages():
		return in.Names[i]
	case in.Lines != nil:
		return fmt.Sprintf("line %d (%s)", in.Lines[i], coordinates(in, i))
	}
	return fmt.Sprintf("point %d (%s)", i, coordinates(in, i))
}

// coordinates lists the first coordinates of point i.
func coordinates(in *files.Input, i int) string {
	texts := make([]string, in.D)
	for j, v := range in.Point(i) {
		texts[j] = fmt.Sprintf("%.4g", v)
	}
	return text.List(texts, shownCoords)
}
