package main

import (
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
)

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
