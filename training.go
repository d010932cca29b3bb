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

// The types of a training; go doc train.Config, and so on, lists their fields.
type (
	// Config describes a run completely: the model, the seed, the network, the data, the objective, the optimizer. Set
	// changes keys, String writes TOML, Validate reports every fault at once.
	Config = train.Config
	// Listener has functions that Train calls as it proceeds; any of them may be nil.
	Listener = train.Listener
	// TrainResult is the result of a finished run.
	TrainResult = train.Result
)

// Sources returns the names of the built-in sources of training sets: "mog" for mixtures of Gaussians, images,
// features.
func Sources() (names []string) {
	for _, d := range data.Sources() {
		if d.Shape != data.Given {
			names = append(names, d.Name)
		}
	}
	return names
}

// DefaultConfig returns the paper's settings for a model (train.Models) on a source of training sets (Sources). It
// returns an *Error for an unknown model or source.
func DefaultConfig(model, source string) (Config, error) {
	if err := checkModel(model); err != nil {
		return Config{}, err
	}
	if d, known := data.FindSource(source); known && d.Shape != data.Given {
		return train.DefaultOn(model, d.Name), nil
	}
	return Config{}, usererr.New(usererr.DidYouMean(source, Sources(), "use one of "+strings.Join(Sources(), ", ")+
		", or the path of your own folder or file"), "training data %q is not known", source)
}

// checkModel fails for the name of an unknown model.
func checkModel(name string) error {
	if !slices.Contains(train.Models(), name) {
		return usererr.Unknown(name, train.Models(), "model = %q is not known", name)
	}
	return nil
}

// OwnConfig returns settings for a model on your own file of vectors or folder of images, without labels. It reads the
// data once. Training takes minutes on two processor cores. It uses the options in how about columns and the header,
// and stores them in the config. The columns of a table are encoded (data/tabular) unless NoStandardize is set and they
// are numbers without gaps. The notes say how the data were changed, and warn, one line each. Faults of the file
// and an unknown model are *Error.
func OwnConfig(model, path string, how FileOptions) (c Config, notes []string, err error) {
	if err := checkModel(model); err != nil {
		return c, nil, err
	}
	options := how
	options.NoLabels = true
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

// encodeOwn fills in the points of a file. It encodes a table, and returns the encoding as JSON.
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
	Listener Listener // is called as the training proceeds
}

// Train trains in the directory dir until the config's last step. A directory that holds an interrupted run of the same
// config continues; a finished one returns its result at once. Open(dir) then gives the weights with the lowest
// validation loss.
//
// When ctx ends, even within a step, Train saves a checkpoint of the last finished step and returns ErrInterrupted. A
// computation in progress may continue in the background. Faults of the config, the data or the directory are *Error.
// The error for a loss that is not finite wraps ErrNotFinite.
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
