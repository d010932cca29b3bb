package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func trainAction(c *cli.Context) error {
	config, dir, err := trainConfig(c)
	if err != nil {
		return err
	}
	sayOwn(c, config)
	if err := config.Validate(); err != nil {
		return err
	}
	if c.Bool("show-config") {
		_, err := fmt.Fprint(c.App.Writer, config.Listing())
		return err
	}
	choice, err := chooseBackend(c)
	if err != nil {
		return err
	}
	asked := config
	usual := train.Default(config.Model).Train.Shards
	if !isXLA(choice) && !c.IsSet("resume") && config.Train.Shards == usual { // the user has not set their number
		config = config.FitMemory()
	}
	hear := progress(c, "")
	begin := hear.Start
	hear.Start = func(step, steps int, resumed bool) {
		say(c, "training %s in %s on %s", config.Model, dir, choice.Name)
		if shards := config.Train.Shards; shards != asked.Train.Shards {
			say(c, "train.shards is %d in place of %d, so that a step takes %s in place of %s", shards,
				asked.Train.Shards, memory.Size(config.Memory()), memory.Size(asked.Memory()))
		}
		begin(step, steps, resumed)
	}
	result, err := runWithEvents(c, config, dir, hear)
	if errors.Is(err, train.ErrInterrupted) {
		return fmt.Errorf("%w; gfncp train --resume %s goes on", err, dir)
	}
	if err != nil {
		return err
	}
	finished := trained{1, dir, result}
	return show(c, finished, "train", struct {
		trained
		Next string
	}{finished, nextCommand(config, dir)})
}

// trained is the JSON of `gfncp train`.
type trained struct {
	SchemaVersion int    `json:"schema_version"`
	Dir           string `json:"dir"`
	train.Result
}

// dataFlags are the flags whose words stand in the config of a run or of --config.
const dataFlags = "model data recipe categorical no-standardize" + tableFlags

// refuseFlags returns an error for the first of some flags that is given beside another one.
func refuseFlags(c *cli.Context, flags, beside, hint string) error {
	for _, flag := range strings.Fields(flags) {
		if c.IsSet(flag) {
			return usererr.New("leave it out, or "+hint, "--%s has no effect %s", flag, beside)
		}
	}
	return nil
}

// trainConfig is the config of a run and its directory: a new one, or with --resume one that is there.
func trainConfig(c *cli.Context) (config train.Config, dir string, err error) {
	if dir = c.String("resume"); dir == "" {
		config, err = newConfig(c)
		return config, cmp.Or(c.String("out"), runName(config)), err
	}
	err = refuseFlags(c, dataFlags+"config set seed out", "with --resume", "start a new run with --out")
	if err != nil {
		return config, "", err
	}
	config, err = train.ReadConfig(dir)
	return config, dir, err
}

// newConfig resolves the config of a new run: default < recipe < file < --set < --seed. The defaults are of the model
// and the source that the file or --set names.
func newConfig(c *cli.Context) (config train.Config, err error) {
	path, text, sets := c.String("config"), []byte(nil), c.StringSlice("set")
	if path != "" {
		if err = refuseFlags(c, dataFlags, "with --config", "use --set"); err != nil {
			return config, err
		}
		if text, err = fileio.ReadFile(path); err != nil {
			return config, fileio.OpenFault(path, err)
		}
	}
	own, err := train.ParseConfig(path, text, train.Config{})
	if err != nil {
		return config, err
	}
	base, err := namedDefaults(c, own, sets)
	if err != nil {
		return config, err
	}
	if config, err = train.ParseConfig(path, text, base); err != nil {
		return config, err
	}
	if usual, _ := train.ParseConfig(path, text, train.Default(train.GFNCP)); usual == own {
		config, base = own, own // the file is a run's config, which repeats keys that nothing reads
	}
	if config, err = config.Set(sets...); err != nil {
		return config, err
	}
	isWarmup := func(set string) bool { return strings.HasPrefix(set, "train.warmup_steps=") }
	isDefault := own.Train.WarmupSteps == 0 && !slices.ContainsFunc(sets, isWarmup)
	if isDefault && config.Train.WarmupSteps > config.Train.Steps {
		config = config.HalfWarm()
	}
	if c.IsSet("seed") {
		config.Seed = c.Uint64("seed")
	}
	if err := config.Validate(); err != nil {
		return config, err
	}
	return config, config.CheckKeys(base, train.Keys()...)
}

// namedDefaults returns the default config of a model on a source, by the recipe. The file's own config or --set names
// model and source, or the flags do.
func namedDefaults(c *cli.Context, own train.Config, sets []string) (train.Config, error) {
	named, err := own.Set(sets...)
	if err != nil {
		return named, err
	}
	if c.IsSet("model") && named.Model != "" || c.IsSet("data") && named.Data.Source != "" {
		return named, usererr.New("leave one out", "--set names a model or a source beside --model or --data")
	}
	source := c.String("data")
	if named.Data.Source != data.SourceFile {
		source = cmp.Or(named.Data.Source, source)
	}
	base, err := dataDefaults(c, cmp.Or(named.Model, c.String("model")), source)
	if err != nil {
		return base, err
	}
	if !base.Data.IsOwn() {
		err = refuseFlags(c, "categorical no-standardize"+tableFlags, "without a table", "give --data FILE")
	}
	if err != nil {
		return base, err
	}
	return base.WithRecipe(c.String("recipe"))
}

// dataDefaults is the default config for a model on data: a known source, else the user's folder or file.
func dataDefaults(c *cli.Context, model, source string) (train.Config, error) {
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

// sayOwn prints the assumptions of a run on own data: how much it trains, and which keys say what one cluster is.
func sayOwn(c *cli.Context, config train.Config) {
	d := config.Data
	if !d.IsOwn() || c.IsSet("resume") {
		return
	}
	one := "a point, its neighbours, and copies of them (data.neighbors, data.walk, data.vectors)"
	switch {
	case d.Mode == data.ModeGenerative:
		one = "the points of one class, by the labels (data.mode)"
	case d.IsImages():
		one = "an image, its neighbours, and copies of them (data.neighbors, data.walk, data.images)"
	}
	say(c, "own data: %d steps of %d sets, %d to %d points each, alpha %g to %g (defaults for two CPU cores; "+
		"--set changes them); one cluster is %s",
		config.Train.Steps, d.Batch, d.NMin, d.NMax, d.AlphaMin, d.AlphaMax, one)
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

// nextCommand is the command that users run after training.
func nextCommand(config train.Config, dir string) string {
	d := config.Data
	if !d.IsOwn() || config.IsPeer() { // a peer has no energies to cluster by
		return "gfncp eval --model " + dir
	}
	if d.Encoding != "" { // it knows its columns
		d.Columns, d.Ignore, d.Categorical = "", "", ""
	}
	command := fmt.Sprintf("gfncp cluster %s --model %s", d.Path, dir)
	for _, flag := range [][2]string{
		{"columns", d.Columns},
		{"ignore", d.Ignore},
		{"categorical", d.Categorical},
		{"labels", d.Labels},
		{"header", d.Header},
	} {
		if flag[1] != "" {
			command += fmt.Sprintf(" --%s %s", flag[0], flag[1])
		}
	}
	return command
}
