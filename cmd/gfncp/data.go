package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
)

func dataCommands() []*cli.Command {
	folder := &cli.StringFlag{Name: "data-dir"}
	return []*cli.Command{
		{Name: "list", Flags: flags(folder, "json"), Action: dataList},
		{Name: "fetch", Flags: flags(folder, "offline quiet"), Action: dataFetch},
	}
}

// dataSets describes the sources for which is returns true.
func dataSets(is func(data.Descriptor) bool) []data.Descriptor {
	return slices.DeleteFunc(data.Sources(), func(d data.Descriptor) bool { return !is(d) })
}

// namedData describes the data sets that the arguments name, or all of images without arguments.
func namedData(c *cli.Context) (infos []data.Descriptor, err error) {
	if !c.Args().Present() {
		return dataSets(data.Descriptor.Published), nil
	}
	for _, name := range c.Args().Slice() {
		info, err := data.DataSet(name)
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// dataState is a data set with the state of its files, for JSON output.
type dataState struct {
	data.Descriptor
	Folder string               `json:"folder"`
	State  sources.State        `json:"state"`
	Files  []sources.FileStatus `json:"files"`
}

// dataStates checks data sets. It reads each file once, even if several sets are made of it.
func dataStates(c *cli.Context, infos []data.Descriptor) (all []dataState, err error) {
	known := map[string][]sources.FileStatus{}
	for _, info := range infos {
		s := dataState{Descriptor: info, State: sources.OK}
		parts := info.From
		if parts == nil {
			parts = []string{info.Name}
		}
		for _, part := range parts {
			if known[part] == nil {
				if known[part], err = sources.Verify(part, c.String("data-dir")); err != nil {
					return nil, err
				}
			}
			s.Files = append(s.Files, known[part]...)
		}
		if !info.Computed() {
			s.Folder = filepath.Dir(s.Files[0].Path)
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

func dataList(c *cli.Context) error {
	all, err := dataStates(c, dataSets(data.Descriptor.HasSplits))
	if err != nil {
		return err
	}
	return show(c, map[string]any{"schema_version": 1, "datasets": all}, "data list", all)
}

func dataSize(info data.Descriptor) string {
	switch {
	case info.Shape == data.Images:
		return fmt.Sprintf("%d train, %d test images of %d×%d", info.Train, info.Test, info.Height, info.Width)
	case info.Train == 0:
		return fmt.Sprintf("%d train, %d test classes, vectors of %d", info.TrainClasses, info.TestClasses, info.Dim)
	}
	return fmt.Sprintf("%d train, %d test classes, %d vectors of %d",
		info.TrainClasses, info.TestClasses, info.Train+info.Test, info.Dim)
}

func dataFetch(c *cli.Context) error {
	infos, err := namedData(c)
	if err != nil {
		return err
	}
	options := sources.FetchOptions{Dir: c.String("data-dir"), Offline: c.Bool("offline"), Say: saying(c)}
	var failed []error
	for _, info := range infos {
		err := sources.Fetch(c.Context, info.Name, options)
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
