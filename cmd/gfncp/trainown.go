package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// dataDefaults is the default config for the model on the data that --data names: a known source, else the user's
// folder or file.
func dataDefaults(c *cli.Context) (train.Config, error) {
	model, source := c.String("model"), c.String("data")
	config, unknown := root.DefaultConfig(model, source)
	if unknown == nil {
		return config, nil
	}
	info, err := os.Stat(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return config, unknown
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return config, usererr.File(source, 0, "save it as a file: a training reads its data anew when it is resumed",
			"is a pipe or a device")
	}
	config, notes, err := root.OwnConfig(model, source, *fileOptions(c))
	if err != nil {
		return config, err
	}
	for _, note := range notes {
		say(c, "%s: %s", source, note)
	}
	return config, nil
}

// sayOwn tells what a run on own data takes for granted: how much it trains, and what it counts as the same cluster.
func sayOwn(c *cli.Context, config train.Config) {
	d := config.Data
	if !d.IsOwn() || c.IsSet("resume") {
		return
	}
	same, keys := "with augmentations", "data.images"
	if !d.IsImages() {
		same = fmt.Sprintf("with noise of %.3g in each coordinate", d.Vectors.Noise/d.Factor)
		if d.Encoding != "" {
			same = strings.Replace(same, "coordinate", "encoded coordinate", 1)
		}
		keys = "data.vectors.noise / data.factor"
	}
	what, copies := "copies of one point", ""
	if d.Neighbors > 0 {
		what, copies = fmt.Sprintf("a point, its %s, and copies of them",
			text.Count(d.Neighbors, "nearest neighbour")), "data.neighbors, "
	}
	say(c,
		"own data: %d steps of %d sets, %d to %d points each, alpha %g to %g (defaults for two CPU cores; "+
			"--set changes them); one cluster is %s %s (%s%s)",
		config.Train.Steps, d.Batch, d.NMin, d.NMax, d.AlphaMin, d.AlphaMax, what, same, copies, keys)
}

// runName is the default folder of a run: the model and the seed, for own data after the name of the file.
func runName(config train.Config) string {
	name := fmt.Sprintf("%s-%d", config.Model, config.Seed)
	if config.Data.IsOwn() {
		base := filepath.Base(config.Data.Path)
		name = strings.TrimSuffix(base, filepath.Ext(base)) + "-" + name
	}
	return filepath.Join("runs", name)
}

// nextCommand is what a user wants after training.
func nextCommand(config train.Config, dir string) string {
	if config.Data.IsOwn() {
		command := fmt.Sprintf("gfncp cluster %s --model %s", config.Data.Path, dir)
		for _, flag := range []struct{ name, value string }{
			{"columns", config.Data.Columns},
			{"ignore", config.Data.Ignore},
			{"categorical", config.Data.Categorical},
			{"labels", config.Data.Labels},
			{"header", config.Data.Header},
		} {
			known := config.Data.Encoding != "" && flag.name != "labels" && flag.name != "header"
			if flag.value != "" && !known {
				command += fmt.Sprintf(" --%s %s", flag.name, flag.value)
			}
		}
		return command
	}
	return "gfncp eval --model " + dir
}
