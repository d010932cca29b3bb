package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
)

// resultsFlag names folders of tables, by default the project's own.
func resultsFlag() cli.Flag {
	folder := func(s experiments.Scale) string { return filepath.Join("results", string(s)) }
	return &cli.StringSliceFlag{
		Name: "results", Value: cli.NewStringSlice(folder(experiments.Night), folder(experiments.Small)),
	}
}

// report compares the tables in folders with the paper's. If several folders have a table, the first one's counts.
func report(c *cli.Context) error {
	folders := c.StringSlice("results")
	known := map[string]bool{}
	var tables []*table.Table
	for _, folder := range folders {
		for _, e := range experiments.All() {
			t, err := readTable(folder, e.ID)
			if err != nil {
				return err
			}
			if t != nil && !known[e.ID] {
				known[e.ID] = true
				tables = append(tables, t)
			}
		}
	}
	if len(tables) == 0 {
		return usererr.File(strings.Join(folders, ", "), 0,
			"run `gfncp reproduce all`, or name its folder with --results", "holds no results")
	}
	standings := experiments.Standings(tables...)
	return show(c, standings, "report", map[string]any{"Folders": strings.Join(folders, ", "), "Standings": standings})
}

// readTable reads a table that reproduce has written into a folder, nil if the folder lacks it.
func readTable(folder, id string) (*table.Table, error) {
	path := filepath.Join(folder, id+".json")
	text, err := fileio.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, usererr.File(path, 0, "check its permissions", "cannot be read").Because(err)
	}
	t, err := table.ReadJSON(text)
	return t, usererr.In(path, err)
}
