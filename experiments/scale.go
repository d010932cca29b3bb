package experiments

import (
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Scale is how much work an experiment does; a result always carries it.
type Scale string

// The scales: seconds for a trial, two CPU cores within the hour, and the paper's exact settings.
const (
	Smoke Scale = "smoke"
	Small Scale = "small"
	Paper Scale = "paper"
)

// ParseScale reads a scale's name.
func ParseScale(name string) (Scale, error) {
	switch s := Scale(name); s {
	case Smoke, Small, Paper:
		return s, nil
	}
	return "", usererr.New("choose smoke, small or paper", "scale %q is not known", name)
}

// Seeds is the default number of seeds.
func (s Scale) Seeds() int { return map[Scale]int{Smoke: 1, Small: 2, Paper: 3}[s] }

// mogConfig is how a model learns mixtures of Gaussians with an arbitrary number of clusters at this scale.
//
// Paper scale is the paper's setting as it stands. The smaller scales differ in ways that their reports name: smaller
// batches and sets, and for GFNCP a likelihood warm-up and a likelihood term, which get further in a few hundred steps
// (docs/training.md).
func (s Scale) mogConfig(model string) train.Config {
	c := train.Default(model)
	c.Data.AlphaMin, c.Data.AlphaMax = 6, 6
	c.Train.ValidSets = 32
	switch s {
	case Smoke:
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 8, 20, 40
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.ValidSets = 120, 40, 40, 8
	case Small:
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 16, 50, 100
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 800, 50, 100
	case Paper:
		return c
	}
	if model == train.GFNCP {
		c.Loss.NLLWeight = 1
		c.Train.WarmupSteps = c.Train.Steps / 2
	}
	return c
}

// testSize is the number of test sets of mixtures of Gaussians and of points in each.
func (s Scale) testSize() (sets, points int) {
	switch s {
	case Smoke:
		return 16, 40
	case Small:
		return 300, 300
	default:
		return 3000, 300
	}
}
