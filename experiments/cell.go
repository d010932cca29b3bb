package experiments

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// The ways to start GFNCP's training.
const (
	StartPaper = "paper" // the paper's objective from the first step
	// StartPublished is the objective of the authors' published code, without its ways to augment an image.
	StartPublished = "published"
	StartPair      = "pair" // the paper's objective with the data and the sizes of StartPublished
	StartWarm      = "warm" // likelihood first, and a likelihood term kept beside the others (docs/training.md)
	StartFree      = "free" // free flows beside likelihood, and the extended network (docs/objective.md)
	// StartWalks is NCP on mixtures with StartFree's network, and on images with StartFree's clusters, which are walks
	// (docs/training.md).
	StartWalks = "walks"
	// StartExtended is StartPublished with the networks and clusters of StartWalks.
	StartExtended = "published-extended"
)

// Cell is a model on a data set as tables 2 and 3 train it at a scale: the starting point of a sweep.
type Cell struct {
	scale Scale
	data  dataset
	model method
}

// Cell finds the cell of a model (one of train.Models) on data.SourceMoG, data.SourceMNIST or data.SourceFashion, with
// a way to start GFNCP's training, or StartWalks for NCP on images. Empty words mean GFNCP, mixtures and StartPaper.
func (s Scale) Cell(model, source, start string) (Cell, error) {
	model, source, start = cmp.Or(model, train.GFNCP), cmp.Or(source, data.SourceMoG), cmp.Or(start, StartPaper)
	var sources, starts []string
	for _, d := range tableData {
		sources = append(sources, d.Source)
		for _, m := range tableMethods {
			if d.Source != source || m.Model != model || !m.applies(d, m.fixedK()) {
				continue
			}
			own := cmp.Or(m.Start, StartPaper)
			if own == start {
				return Cell{s, d, m}, nil
			}
			starts = append(starts, own)
		}
	}
	switch {
	case !slices.Contains(sources, source):
		return Cell{}, usererr.Unknown(source, sources, "data = %q is not known", source)
	case len(starts) == 0:
		hint := "ccp is trained on mixtures alone; the models are " + strings.Join(train.Models(), ", ")
		return Cell{}, usererr.New(hint, "model = %q cannot be trained on %s", model, source)
	}
	return Cell{}, usererr.Unknown(start, starts, "model %q has no start %q on %s", model, start, source)
}

// Names are the data set and the model as tables name them.
func (c Cell) Names() (data, model string) { return c.data.Name, c.model.Name }

// Warm returns a config of the cell with the warm-up that follows from its number of steps.
func (c Cell) Warm(config train.Config) train.Config {
	if c.model.Start == StartWarm {
		return config.HalfWarm()
	}
	return config
}

// Config returns the cell's training config, with seed 1.
func (c Cell) Config() train.Config { return c.scale.config(c.data, c.model, c.model.fixedK()) }

// Test returns the test of a model with a config: the sets of the table's cell, with the config's fixed K, dimension
// and spread of mixtures.
func (c Cell) Test(config train.Config) evaluation.Test {
	t := c.scale.test(c.data, config.Data.FixedK)
	t.Data.Dim, t.Data.SigmaMu, t.Data.SigmaX = config.Data.Dim, config.Data.SigmaMu, config.Data.SigmaX
	return t
}

// Run names the run directory of a config as Reproduce does, so that neither trains it twice.
func (c Cell) Run(config train.Config) string {
	m := c.model
	m.Online = config.Net.Online
	if config.IsPeer() {
		m.Variant = config.Peer.Variant
	}
	return filepath.Base((&Lab{}).dir(m.run(c.data, config.Data.FixedK), config))
}

// TrainAndTest trains a config in a run directory, or continues or reuses the run there, and evaluates its best weights
// on a test. Cancelling ctx leaves a checkpoint and returns train.ErrInterrupted.
func (l *Lab) TrainAndTest(
	ctx context.Context, dir string, c train.Config, t evaluation.Test,
) (tested evaluation.Tested, err error) {
	m, result, err := l.train(ctx, dir, "", c)
	if err != nil {
		return tested, err
	}
	tested.Result = result
	if tested.Scores, err = l.quality(ctx, dir, m, t); err == nil {
		l.say("%s: %s", t.Data, tested.Scores)
	}
	return tested, err
}
