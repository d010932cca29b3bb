package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// input is the set that `gfncp cluster` is given: the points of a table or an array, or images.
type input struct {
	path string
	x    []float32 // [n,d]
	n, d int

	columns []string // [d] names of the coordinates; nil for images
	lines   []int    // [n] the line of each point in a table; nil for all else
	names   []string // [n] names of images, indices of an array's points; nil for a table

	height, width int // of an image in pixels; 0 for points

	labels   []int32  // [n] known labels, or nil
	classes  []string // their names
	labelled string   // where they came from, after a preposition

	notes    []string // what was done to make points of the file
	warnings []string
}

func (in *input) images() bool { return in.height > 0 }

// noun is what a point is called.
func (in *input) noun() string {
	if in.images() {
		return "image"
	}
	return "point"
}

// place says where point i stands in the input.
func (in *input) place(i int) string {
	switch {
	case in.images():
		return in.names[i]
	case in.lines != nil:
		return fmt.Sprintf("line %d (%s)", in.lines[i], in.coordinates(i))
	}
	return fmt.Sprintf("point %s (%s)", in.names[i], in.coordinates(i))
}

// coordinates lists the first coordinates of point i.
func (in *input) coordinates(i int) string {
	texts := make([]string, in.d)
	for j := range texts {
		texts[j] = fmt.Sprintf("%.4g", in.x[i*in.d+j])
	}
	return text.List(texts, shownCoords)
}

// openInput reads the file or folder that the command line names.
func openInput(c *cli.Context) (*input, error) {
	path := c.Args().First()
	if isTable(path) {
		if c.IsSet("invert") {
			return nil, usererr.File(path, 0, "leave it out", "--invert has no effect on a table")
		}
		table, err := readInput(c)
		if err != nil {
			return nil, err
		}
		return tableInput(table), nil
	}
	options := files.DefaultOptions()
	options.Invert, options.Table = c.String("invert"), tableOptions(c)
	pool, conversion, err := files.Open(path, options)
	if err != nil {
		return nil, err
	}
	for _, flag := range []string{"columns", "labels", "header"} {
		if useful := conversion.HasHeader() || conversion.HasColumns() && flag != "header"; c.IsSet(flag) && !useful {
			return nil, usererr.File(path, 0, "leave it out", "--%s has no effect: this is no table", flag)
		}
	}
	return poolInput(path, pool, conversion), nil
}

// isTable reports whether path is to be read as CSV or TSV text: standard input, pipes, and every file that does not look
// like one of the others that package data/files reads. What cannot be opened is left to the reader of tables to explain.
func isTable(path string) bool {
	info, err := os.Stat(path)
	if path == "-" || err != nil {
		return true
	}
	if !info.Mode().IsRegular() { // the bytes of a pipe can be read only once
		return !info.IsDir()
	}
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(path), ".gz"))
	if slices.Contains([]string{".npy", ".png", ".jpg", ".jpeg"}, filepath.Ext(base)) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, 9)
	n, _ := io.ReadFull(f, start) // a shorter file begins like none of these
	if files.IsFeatureFile(base, start[:n]) {
		return false
	}
	for _, magic := range []string{"\x93NUMPY", "\x1f\x8b", "\x00\x00\x08", "\x00\x00\x0d"} {
		if strings.HasPrefix(string(start[:n]), magic) { // NumPy, gzip, IDX of bytes or floats
			return false
		}
	}
	return true
}

func tableInput(t *tabular.Table) *input {
	return &input{
		path: t.Path, x: t.X, n: t.N, d: t.D, columns: t.Columns, lines: t.Lines,
		labels: t.Labels, classes: t.LabelNames, labelled: "of the label column", warnings: t.Warnings,
	}
}

func poolInput(path string, pool *data.Pool, conversion *files.Conversion) *input {
	notes := conversion.Notes()
	in := &input{
		path: path, x: pool.X, n: pool.Len(), d: pool.D, names: conversion.Names, height: pool.Height, width: pool.Width,
		labels: pool.Labels, classes: pool.Classes, labelled: "from " + conversion.Labels,
		notes: notes[:len(notes)-len(conversion.Warnings)], warnings: conversion.Warnings,
	}
	for j := range pool.D {
		if !in.images() {
			in.columns = append(in.columns, "x"+strconv.Itoa(j+1))
		}
	}
	return in
}
