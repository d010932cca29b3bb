package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
)

func dataCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print JSON"}
	folder := &cli.StringFlag{Name: "data-dir", Usage: "the data folder `DIR`; default $GFNCP_DATA, else gfncp in your cache folder"}
	return &cli.Command{
		Name:      "data",
		Usage:     "list and check the data sets, and fetch those of images (MNIST, Fashion-MNIST)",
		ArgsUsage: "list|fetch|verify|path",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the data sets and whether they are in the data folder", Flags: []cli.Flag{folder, asJSON}, Action: dataList},
			{Name: "fetch", Usage: "download data sets of images, by default all", ArgsUsage: "[NAME...]", Action: dataFetch, Flags: []cli.Flag{
				folder,
				&cli.BoolFlag{Name: "offline", Usage: "download nothing: only check that all is there"},
				&cli.BoolFlag{Name: "quiet", Usage: "no progress on stderr"},
			}},
			{
				Name: "verify", Usage: "check the files of data sets, by default of all images; status 1 if damaged, 3 if missing", ArgsUsage: "[NAME...]",
				Flags: []cli.Flag{folder, asJSON}, Action: dataVerify,
			},
			{Name: "path", Usage: "print the data folder, or a data set's folder in it", ArgsUsage: "[NAME]", Flags: []cli.Flag{folder}, Action: dataPath},
		},
	}
}

// dataState is a data set with the state of its files, for JSON output.
type dataState struct {
	data.Descriptor
	Folder string               `json:"folder"`
	State  sources.State        `json:"state"`
	Files  []sources.FileStatus `json:"files"`
}

// dataStates checks the named data sets, or all of images.
func dataStates(c *cli.Context, names []string) ([]dataState, error) {
	infos, err := namedData(names)
	if err != nil {
		return nil, err
	}
	var all []dataState
	for _, info := range infos {
		s := dataState{Descriptor: info, State: sources.OK}
		if !info.Synthetic {
			if s.Folder, err = sources.Folder(info.Name, c.String("data-dir")); err != nil {
				return nil, err
			}
		}
		if s.Files, err = sources.Verify(info.Name, c.String("data-dir")); err != nil {
			return nil, err
		}
		for _, f := range s.Files {
			if f.State == sources.Damaged || s.State == sources.OK {
				s.State = f.State
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// namedData describes the named data sets once each, or all of images without names.
func namedData(names []string) ([]data.Descriptor, error) {
	if len(names) == 0 {
		return dataSets(data.Descriptor.Published), nil
	}
	var infos []data.Descriptor
	seen := map[string]bool{}
	for _, name := range names {
		info, err := data.DataSet(name)
		if err != nil {
			return nil, err
		}
		if !seen[info.Name] {
			infos = append(infos, info)
		}
		seen[info.Name] = true
	}
	return infos, nil
}

// dataSets describes the sources that are so.
func dataSets(are func(data.Descriptor) bool) []data.Descriptor {
	return slices.DeleteFunc(data.Sources(), func(d data.Descriptor) bool { return !are(d) })
}

func dataList(c *cli.Context) error {
	var names []string
	for _, info := range dataSets(data.Descriptor.HasSplits) {
		names = append(names, info.Name)
	}
	all, err := dataStates(c, names)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"schema_version": 1, "datasets": all})
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	for _, s := range all {
		state := string(s.State)
		if s.State == sources.OK {
			state = "present"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Title, dataSize(s.Descriptor), s.Licence, state, cmp.Or(s.Folder, "-"))
	}
	return w.Flush()
}

// dataSize says how much a data set holds.
func dataSize(info data.Descriptor) string {
	switch {
	case info.Published():
		return fmt.Sprintf("%d train, %d test images of %d×%d", info.Train, info.Test, info.Height, info.Width)
	case info.Train == 0:
		return fmt.Sprintf("%d train, %d test classes, vectors of %d", info.TrainClasses, info.TestClasses, info.Dim)
	}
	return fmt.Sprintf("%d train, %d test classes, %d vectors of %d", info.TrainClasses, info.TestClasses, info.Train+info.Test, info.Dim)
}

func dataFetch(c *cli.Context) error {
	infos, err := namedData(c.Args().Slice())
	if err != nil {
		return err
	}
	narrate := func(format string, args ...any) { say(c, format, args...) }
	var failed []error
	for _, info := range infos {
		err := sources.Fetch(c.Context, info.Name, sources.FetchOptions{
			Dir: c.String("data-dir"), Offline: c.Bool("offline"), Say: narrate,
		})
		if err != nil && c.Context.Err() != nil {
			return err
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	if n := len(failed); n > 0 && n < len(infos) {
		failed = append(failed, errPartly)
	}
	return errors.Join(failed...)
}

// missingData makes exit status 3 with words of its own.
type missingData string

// Error implements error.
func (m missingData) Error() string { return string(m) }

// Unwrap makes it part of the work that failed.
func (m missingData) Unwrap() error { return errPartly }

func dataVerify(c *cli.Context) error {
	all, err := dataStates(c, c.Args().Slice())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, map[string]any{"schema_version": 1, "datasets": all})
	} else {
		err = printStates(c.App.Writer, all)
	}
	if err != nil {
		return err
	}
	into := ""
	if dir := c.String("data-dir"); dir != "" {
		into = " --data-dir " + dir
	}
	if err := featureFault(c, all); err != nil {
		return err
	}
	damaged, missing := dataNamed(all, sources.Damaged), dataNamed(all, sources.Missing)
	switch {
	case damaged != "":
		return fmt.Errorf("damaged: %s; run gfncp data fetch %s%s", damaged, damaged, into)
	case missing != "":
		return missingData(fmt.Sprintf("missing: %s; run gfncp data fetch %s%s", missing, missing, into))
	}
	return nil
}

// featureFault is the fault of the first feature set that is not there or damaged: it cannot be fetched.
func featureFault(c *cli.Context, all []dataState) error {
	for _, s := range all {
		if s.Published() || s.State == sources.OK || s.State == sources.Synthetic {
			continue
		}
		_, err := sources.LoadFrom(c.String("data-dir"), s.Name, data.SplitTrain)
		switch {
		case err == nil: // it has been mended since
		case s.State == sources.Missing:
			return missingData(err.Error())
		default:
			return fmt.Errorf("damaged: %s: %v", s.Name, err)
		}
	}
	return nil
}

// printStates prints the state of every file, a line each.
func printStates(w io.Writer, all []dataState) error {
	for _, s := range all {
		for _, f := range s.Files {
			line := fmt.Sprintf("%-8s %s", f.State, f.Path)
			if f.State == sources.Synthetic {
				line = fmt.Sprintf("%-8s %s: a stand-in, computed", f.State, f.File)
			}
			if f.Fault != "" {
				line += ": " + f.Fault
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// dataNamed lists the names of the data sets in a state.
func dataNamed(all []dataState, state sources.State) string {
	var names []string
	for _, s := range all {
		if s.State == state {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " ")
}

func dataPath(c *cli.Context) error {
	dir, err := c.String("data-dir"), error(nil)
	switch {
	case c.NArg() == 1:
		dir, err = sources.Folder(c.Args().First(), dir)
	case dir == "":
		dir, err = sources.Dir()
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.App.Writer, dir)
	return err
}
