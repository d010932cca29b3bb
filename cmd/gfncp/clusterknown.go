package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// addKnown adds --together, --apart, --given and --weights to k; in is the table that was read.
func addKnown(c *cli.Context, in *files.Input, k *root.Known) (err error) {
	if k.Together, err = readPairs(c.String("together"), in, false); err != nil {
		return err
	}
	if k.Apart, err = readPairs(c.String("apart"), in, true); err != nil {
		return err
	}
	if len(in.Aside) < len(asideFlags(c)) {
		return usererr.File(in.Path, 0, "give a table", "--given and --weights name columns, but there are none")
	}
	aside := in.Aside
	if c.String("given") != "" {
		if k.Given = givenLabels(&aside[0]); slices.Max(k.Given) < 0 {
			return usererr.File(in.Path, 0, "leave --given out, or name the clusters of some rows in it",
				"column %s of --given is empty", aside[0].Name)
		}
		aside = aside[1:]
	}
	if c.String("weights") != "" {
		if k.Weights = aside[0].Values; aside[0].Kind != tabular.Number {
			return usererr.File(in.Path, 0, "give whole numbers", "column %s of --weights holds no numbers",
				aside[0].Name)
		}
	}
	return nil
}

// asideFlags are the columns that --given and --weights name, in this order.
func asideFlags(c *cli.Context) []string {
	columns := []string{c.String("given"), c.String("weights")}
	return slices.DeleteFunc(columns, func(name string) bool { return name == "" })
}

// readPairs reads a CSV file without a header. Each line names two or more rows, by their names or by their lines in
// the input. It pairs the first row of a line with each of the others, or if each is set, all rows with each other. It
// returns nil for an empty path.
func readPairs(path string, in *files.Input, each bool) (pairs [][2]int, err error) {
	const hint = "write two rows a line, as 3,17"
	if path == "" {
		return nil, nil
	}
	of := rowNames(in)
	text, err := fileio.ReadInput(path)
	if err != nil {
		return nil, err
	}
	lines := csv.NewReader(bytes.NewReader(text))
	lines.FieldsPerRecord, lines.TrimLeadingSpace = -1, true
	for {
		names, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && pairs == nil:
			return nil, usererr.File(path, 0, hint, "names no rows")
		case errors.Is(err, io.EOF):
			return pairs, nil
		case err != nil:
			return nil, usererr.File(path, 0, hint, "is no CSV file").Because(err)
		}
		line, _ := lines.FieldPos(0)
		var rows []int
		for _, name := range names {
			row, known := of[strings.TrimSpace(name)]
			if !known {
				return nil, usererr.File(path, line, "name rows by their lines in the input, or by its column of names",
					"there is no row %q in %s", name, in.Path)
			}
			rows = append(rows, row)
		}
		if len(rows) < 2 {
			return nil, usererr.File(path, line, hint, "names one row")
		}
		for i, row := range rows[1:] {
			before := rows[:1]
			if each {
				before = rows[:i+1]
			}
			for _, other := range before {
				pairs = append(pairs, [2]int{other, row})
			}
		}
	}
}

// rowNames are the rows by their names and by their lines, or numbers from 1 where there are no lines.
func rowNames(in *files.Input) map[string]int {
	rows := map[string]int{}
	for i := range in.Len() {
		number := i + 1
		if in.Lines != nil {
			number = in.Lines[i]
		}
		rows[strconv.Itoa(number)] = i
	}
	for i, name := range in.Names {
		rows[name] = i
	}
	return rows
}

// givenLabels are the labels of a column, -1 where it is empty.
func givenLabels(c *tabular.Column) []int32 {
	of, labels := map[float64]int32{}, make([]int32, len(c.Values))
	for i, v := range c.Values {
		labels[i] = -1
		if math.IsNaN(v) {
			continue
		}
		if _, seen := of[v]; !seen {
			of[v] = int32(len(of))
		}
		labels[i] = of[v]
	}
	return labels
}
