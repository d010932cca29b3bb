package gfncp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// The parts of a training, with their fields: go doc train.Config, and so on.
type (
	// Config describes a run completely: the model, the seed, the network, the data, the objective, the optimizer. Set
	// changes keys, String writes TOML, Validate reports every fault at once.
	Config = train.Config
	// Listener hears what Train does; any of its functions may be nil.
	Listener = train.Listener
	// TrainResult is what a finished run reached.
	TrainResult = train.Result
)

// Sources lists the sources of training sets that a name is enough for: "mog" for mixtures of Gaussians, images,
// features.
func Sources() (names []string) {
	for _, d := range data.Sources() {
		if d.Shape != data.Given {
			names = append(names, d.Name)
		}
	}
	return names
}

// DefaultConfig is the paper's setting for a model (train.Models) on a source of training sets (Sources). An unknown
// source, and an unknown model, are an *Error.
func DefaultConfig(model, source string) (Config, error) {
	if !slices.Contains(train.Models(), model) {
		return Config{}, usererr.Unknown(model, train.Models(), "model = %q is not known", model)
	}
	if d, known := data.FindSource(source); known && d.Shape != data.Given {
		return train.DefaultOn(model, d.Name), nil
	}
	return Config{}, usererr.New(usererr.DidYouMean(source, Sources(), "use one of "+strings.Join(Sources(), ", ")+
		", or the path of your own folder or file"), "training data %q is not known", source)
}

// OwnConfig is a setting for a model on your own file of vectors or folder of images, without labels, which is read
// once to find its numbers; training takes minutes on two processor cores. Of how, what is said of columns and of the
// header counts, and becomes keys of the config. The columns of a table are encoded (data/tabular) unless NoStandardize
// is set and they are numbers without gaps. The notes say what was done to the data and what may surprise you, a line
// each. Faults of the file are *Error.
func OwnConfig(model, path string, how FileOptions) (c Config, notes []string, err error) {
	options := how
	options.Height, options.Width, options.NoLabels = data.ImageSide, data.ImageSide, true
	in, err := files.Read(path, options)
	if err != nil {
		return c, nil, err
	}
	encoding, err := encodeOwn(in, options)
	if err != nil {
		return c, nil, err
	}
	absolute, err := filepath.Abs(path) // the run finds it again from any folder
	if err != nil {
		return c, nil, fmt.Errorf("find %s: %w", path, err)
	}
	if c, err = train.OwnData(model, in.Pool, absolute); err != nil {
		return c, nil, err
	}
	if how.IgnoreText && encoding == "" && len(how.Columns) == 0 {
		how.Columns = in.Columns // they are found again by their names
	}
	c.Data.Columns, c.Data.Labels, c.Data.Header = strings.Join(how.Columns, ","), how.LabelColumn, how.Header
	c.Data.Ignore, c.Data.Categorical = strings.Join(how.Ignore, ","), strings.Join(how.Categorical, ",")
	c.Data.Encoding = encoding
	if !in.IsImages() {
		notes = append(notes, in.Summary())
	}
	return c, slices.Concat(notes, in.Notes, in.Warnings), nil
}

// encodeOwn makes points of a file: those of a table by an encoding, which it returns as JSON.
func encodeOwn(in *files.Input, how FileOptions) (string, error) {
	if !in.IsMixed() || how.NoStandardize && in.IsPlain() {
		return "", in.Raw()
	}
	encoding, err := in.Encode(!how.NoStandardize)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(encoding)
	return string(text), err
}

// TrainOptions are the settings of Train; nil stands for the zero value.
type TrainOptions struct {
	Backend  string   // as in Options
	Listener Listener // hears what happens, step by step
}

// Train trains in the directory dir until the config's last step. A directory that holds an interrupted run of the same
// config continues; a finished one returns its result at once. Open(dir) then gives the weights with the lowest
// validation loss.
//
// The end of ctx ends the training with ErrInterrupted, also in the middle of a step, and a checkpoint of the last
// finished one. A computation that has begun then comes to its end in the background. Faults of the config, the data or
// the directory are *Error; a loss that is no number any more wraps ErrNotFinite.
func Train(ctx context.Context, c Config, dir string, o *TrainOptions) (TrainResult, error) {
	if o == nil {
		o = &TrainOptions{}
	}
	backend, err := openBackend(o.Backend)
	if err != nil {
		return TrainResult{}, err
	}
	result, err := train.Run(ctx, backend, sources.Source, c, dir, o.Listener)
	if !errors.Is(err, ErrInterrupted) {
		backend.Finalize()
	} // else it may still be in use, and the garbage collector closes it
	return result, err
}
