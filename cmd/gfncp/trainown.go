package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// dataDefaults is the default config for the model on the data that --data names.
func dataDefaults(c *cli.Context) (train.Config, error) {
	model, source := c.String("model"), c.String("data")
	if d, known := data.FindSource(source); known && d.Shape != data.Given {
		return train.DefaultOn(model, d.Name), nil
	}
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return train.Config{}, usererr.New("use one of "+strings.Join(namedSources(), ", ")+", or the path of your own folder or file",
			"training data %q is not known", source)
	}
	return ownDefaults(c, model, source)
}

// namedSources are the sources that a name is enough for.
func namedSources() (names []string) {
	for _, d := range data.Sources() {
		if d.Shape != data.Given {
			names = append(names, d.Name)
		}
	}
	return names
}

// ownDefaults is the default config for a model on the user's folder or file, which is read once to find its numbers.
func ownDefaults(c *cli.Context, model, path string) (train.Config, error) {
	options := files.DefaultOptions()
	options.Labels = "no"
	pool, conversion, err := files.Open(path, options)
	if err != nil {
		return train.Config{}, err
	}
	absolute, err := filepath.Abs(path) // the run finds it again from any folder
	if err != nil {
		return train.Config{}, fmt.Errorf("find %s: %w", path, err)
	}
	config, err := train.OwnData(model, pool, absolute)
	if err != nil {
		return train.Config{}, err
	}
	for _, note := range conversion.Notes() {
		say(c, "%s: %s", path, note)
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
		keys = "data.vectors.noise / data.factor"
	}
	what, copies := "copies of one point", ""
	if d.Neighbors > 0 {
		what, copies = fmt.Sprintf("a point, its %s, and copies of them", text.Count(d.Neighbors, "nearest neighbour")), "data.neighbors, "
	}
	say(c, "own data: %d steps of %d sets, %d to %d points each, alpha %g to %g (defaults for two CPU cores; --set changes them); one cluster is %s %s (%s%s)",
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
		return fmt.Sprintf("gfncp cluster %s --model %s", config.Data.Path, dir)
	}
	return "gfncp eval --model " + dir
}
