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

// The ways to start GFNCP's training (Base.Start).
const (
	StartPaper = "paper" // the paper's objective from the first step
	// StartPublished is the objective of the authors' published code, but for the ways to augment an image.
	StartPublished = "published"
	StartWarm      = "warm"  // likelihood first, and a likelihood term kept beside the others (docs/training.md)
	StartFree      = "free"  // free flows beside likelihood, and the extended network (docs/objective.md)
	StartWalks     = "walks" // NCP, with clusters of training images by walks, as StartFree has them (docs/training.md)
)

// Base names a model on a data set as tables 2 and 3 train it: where a sweep begins.
type Base struct {
	Model string // one of train.Models
	Data  string // data.SourceMoG, data.SourceMNIST or data.SourceFashion
	Start string // StartPaper, or for GFNCP StartPublished, StartWarm or StartFree, or for NCP on images StartWalks
}

// cell finds the table cell that a base means; with an error both are empty.
func (b Base) cell() (d dataset, m method, err error) {
	b.Model, b.Data, b.Start = cmp.Or(b.Model, train.GFNCP), cmp.Or(b.Data, data.SourceMoG), cmp.Or(b.Start, StartPaper)
	starts := []string{StartPaper, StartPublished, StartWarm, StartFree, StartWalks}
	if !slices.Contains(starts, b.Start) {
		return d, m, usererr.Unknown(b.Start, starts, "start = %q is not known", b.Start)
	}
	var sources []string
	for _, d := range tableData {
		sources = append(sources, d.Source)
	}
	at := slices.Index(sources, b.Data)
	if at < 0 {
		return d, m, usererr.Unknown(b.Data, sources, "data = %q is not known", b.Data)
	}
	d = tableData[at]
	known := false
	for _, m := range tableMethods {
		if m.Model != b.Model || !m.applies(d, m.fixedK()) {
			continue
		}
		if known = true; cmp.Or(m.Start, StartPaper) == b.Start {
			return d, m, nil
		}
	}
	if known {
		return dataset{}, m, usererr.New(`leave start out; "walks" is of ncp on images, the others are of gfncp`,
			"model %q has no start %q", b.Model, b.Start)
	}
	return dataset{}, m, usererr.New(
		"choose one of "+strings.Join(train.Models(), ", ")+"; ccp is trained on mixtures alone",
		"model = %q cannot be trained on %s", b.Model, d.Name)
}

// Filled returns the base with GFNCP, mixtures and the paper's start in place of empty fields, or what is wrong.
func (b Base) Filled() (Base, error) {
	d, m, err := b.cell()
	return Base{m.Model, d.Source, cmp.Or(b.Start, StartPaper)}, err
}

// Names are the data set and the model as tables name them; empty for a base that Filled refuses.
func (b Base) Names() (data, model string) {
	d, m, _ := b.cell()
	return d.Name, m.Name
}

// Config is how the base is trained at a scale, with seed 1.
func (b Base) Config(s Scale) (train.Config, error) {
	d, m, err := b.cell()
	if err != nil {
		return train.Config{}, err
	}
	return s.config(d, m, m.fixedK()), nil
}

// Test is where a model with the given config is tested at a scale: the sets of the table's cell, with the config's
// fixed K, dimension and spread of mixtures.
func (b Base) Test(s Scale, c train.Config) (evaluation.Test, error) {
	d, _, err := b.cell()
	if err != nil {
		return evaluation.Test{}, err
	}
	t := s.test(d, c.Data.FixedK)
	t.Data.Dim, t.Data.SigmaMu, t.Data.SigmaX = c.Data.Dim, c.Data.SigmaMu, c.Data.SigmaX
	return t, nil
}

// Run names the run directory of a config as Reproduce does, so that neither trains it twice.
func (b Base) Run(c train.Config) (string, error) {
	d, m, err := b.cell()
	if err != nil {
		return "", err
	}
	m.Online = c.Net.Online
	if c.IsPeer() {
		m.Variant = c.Peer.Variant
	}
	return filepath.Base((&Lab{}).dir(m.run(d, c.Data.FixedK), c)), nil
}

// Tested is what a finished run reached on the sets of each test.
type Tested struct {
	Result  train.Result
	Quality []evaluation.Quality // one for each test
}

// TrainAndTest trains a config in a run directory, or continues or reuses what is there, and evaluates its best weights
// on every test. Cancelling ctx leaves a checkpoint and returns train.ErrInterrupted.
func (l *Lab) TrainAndTest(ctx context.Context, dir string, c train.Config, tests []evaluation.Test) (Tested, error) {
	m, result, err := l.train(ctx, dir, "", c)
	if err != nil {
		return Tested{}, err
	}
	tested := Tested{Result: result}
	for _, t := range tests {
		q, err := l.quality(ctx, dir, m, t)
		if err != nil {
			return Tested{}, err
		}
		l.say("%s: %s", t.Data, q)
		tested.Quality = append(tested.Quality, q)
	}
	return tested, nil
}
