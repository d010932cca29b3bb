package experiments

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// config returns the training config of a cell at a scale, before the seed is set. fixedK = 0 leaves K free. Paper
// scale is the paper's setting, except for the method's start; tables name how the others differ (deviations).
func (s Scale) config(d dataset, m method, fixedK int) train.Config {
	c := d.config(m.Model)
	c.Data.AlphaMin, c.Data.AlphaMax, c.Data.FixedK, c.Data.AugmentBase = d.Alpha, d.Alpha, fixedK, d.AugmentBase
	c.Net.Online = m.Online
	switch s {
	case Smoke:
		c = smokeSize(c, d)
	case Small:
		c = smallSize(c, d, m)
	case Night:
		c = nightSize(c, d, m)
	case Paper:
		c = paperSize(c, d, m)
	}
	if c.IsPeer() {
		c.Peer.Variant = cmp.Or(m.Variant, peers.MinFilter)
		if s != Paper {
			c.Peer.Samples = 5
		}
	}
	switch m.Start {
	case StartPublished:
		c.Loss.Explore, c.Loss.RegOnData, c.Loss.MCEpsilon = losses.MergeBlocks, true, train.PublishedEpsilon
		if c.Data.IsImages() {
			c.Data.AugmentBase, c.Data.MaxK = true, imageClasses
		}
	case StartWarm:
		c.Loss.NLLWeight = 1
		c = c.HalfWarm()
	case StartFree:
		c.Loss = losses.FreeFlows()
		if d.kind().Shape == data.Mixtures {
			c = extended(c)
			if m.Online { // the mean shift of a whole set is not online
				c.Net.MeanShift, c.Net.Additive = false, false
			}
		}
	}
	if m.Start == StartFree || m.Start == StartWalks {
		c.Data.Neighbors, c.Data.Walk = d.Neighbors, d.Walk
		if c.Data.IsVectors() && d.Walk > 0 {
			c.Data.Vectors = augment.Vectors{} // test points have no noise
		}
	}
	return c
}

// config is the paper's setting for a model on a data set.
func (d dataset) config(model string) train.Config { return train.DefaultOn(model, d.Source) }

// paperSize adds settings of the paper and of the authors' code to train.DefaultOn: instance discrimination on mixtures
// too, no more clusters of images than classes, and sets of 50 to 100 feature vectors.
func paperSize(c train.Config, d dataset, m method) train.Config {
	switch d.kind().Shape {
	case data.Mixtures:
		if m.Start != StartFree { // free flows are not the paper's
			c.Data.Mode = data.ModeInstance
		}
	case data.Images:
		c.Data.MaxK = imageClasses
	case data.Vectors:
		if d.Paper != "" {
			c.Data.NMin, c.Data.NMax = 50, 100
		}
	}
	return c
}

// imageClasses is the number of classes of MNIST and of Fashion-MNIST.
const imageClasses = 10

func smokeSize(c train.Config, d dataset) train.Config {
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 8, 20, 40
	c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.ValidSets = 120, 40, 40, 8
	switch {
	case c.Data.IsImages():
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 12, 6, 12
	case c.IsPeer() || d.Features:
		c.Train.Steps, c.Train.ValidEvery = 30, 15
	}
	return c
}

func smallSize(c train.Config, d dataset, m method) train.Config {
	c.Data.Batch, c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 16, 800, 50, 100
	if d.Features {
		c.Train.Steps = 400 // of sets of 20 to 50 points
	} else {
		c.Data.NMin, c.Data.NMax = 50, 100
	}
	if steps := train.KindOf(m.Model).SmallSteps; steps > 0 && c.Data.IsMixture() {
		c.Train.Steps = steps // a peer's authors' counts are 5 to 10 times the energy networks'
	}
	if m.usesPaperObjective() && c.Data.IsImages() {
		c.Data = smallSets(c.Data)
	}
	return c
}

// nightSize sets sizes that two CPU cores train in hours: sets of the authors' newest size, but half as many a step.
func nightSize(c train.Config, d dataset, m method) train.Config {
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 32, 50, 100
	c.Train.ValidEvery, c.Train.CheckpointEvery = 200, 100
	shape := d.kind().Shape
	switch {
	case d.Features:
		c.Train.Steps = 2000
		c.Data.NMin, c.Data.NMax = d.config(m.Model).Data.NMin, d.config(m.Model).Data.NMax
	case c.IsPeer() && shape == data.Images:
		c.Data.Batch, c.Train.Steps = 16, min(c.Train.Steps, 6000)
	case c.IsPeer():
		c.Data.Batch, c.Train.Steps = 16, min(c.Train.Steps, 12000)
	case m.Start == StartPublished && shape != data.Vectors:
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 16, 50, 300
		c.Train.Steps, c.Train.ValidEvery, c.Train.ValidSets, c.Train.CheckpointEvery = 1000, 50, 96, 25
		c.Train.Shards = 2
		if shape == data.Mixtures {
			c.Train.Steps = 1500
		}
	case m.Start == StartFree && shape == data.Mixtures:
		c.Data.NMin, c.Data.NMax, c.Train.Steps = 10, 200, 7000 // of any α
	case shape == data.Mixtures:
		c.Train.Steps = 8000
	}
	if shape == data.Mixtures {
		c.Train.ValidSets = 256
	}
	return c
}

// extended returns c with the network that sees more than the paper's, on mixtures with α from 0.3 to 10.
func extended(c train.Config) train.Config {
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 64, 64, 64
	c.Net.Moments, c.Net.MeanShift, c.Net.Alpha, c.Net.Additive = true, true, true, true
	c.Data.AlphaMin, c.Data.AlphaMax, c.Data.MinK = 0.3, 10, 1
	c.Train.LearningRate = 3e-3
	return c
}

func smallSets(c data.Config) data.Config {
	c.NMin, c.NMax = 20, 50
	return c
}

// notListed are keys that are no deviation from the paper, or that have a column in tables.
var notListed = []string{
	"seed", "train.steps", "train.shards", "train.valid_every", "train.valid_sets", "train.checkpoint_every",
	"train.keep_every",
}

// deviations lists the keys, with their values, in which a training's config differs from the paper's on a data set
// with fixedK clusters (0: free).
func (d dataset) deviations(c train.Config, fixedK int) string {
	paper := paperSize(d.config(c.Model), d, method{})
	paper.Data.FixedK, paper.Data.AlphaMin, paper.Data.AlphaMax = fixedK, d.Alpha, d.Alpha
	paper.Loss.Gauge, paper.Train.ClipNorm = 0, 0
	listed := slices.DeleteFunc(c.Changes(paper), func(change string) bool {
		key, _, _ := strings.Cut(change, " = ")
		return slices.Contains(notListed, key)
	})
	return strings.Join(listed, ", ")
}

// test returns the test of a cell's model at a scale.
func (s Scale) test(d dataset, fixedK int) evaluation.Test {
	sets, points := s.testSize(d)
	return evaluation.Test{Data: d.config(train.NCP).Data.HeldOut(d.Alpha, points, fixedK), Sets: sets, Seed: testSeed}
}

// testSeed separates test sets from everything that training sees; their stream is another one as well.
const testSeed = 20250503

// testSize is the number of test sets and of points in each.
func (s Scale) testSize(d dataset) (sets, points int) {
	switch {
	case s == Smoke:
		return 16, 40
	case d.Features:
		return at(s, 0, 300, 2500), d.kind().TestPoints
	case s == Small:
		return 30, 300 // table 3 in three minutes, on a machine without AVX-512 too; scale night has more
	case s == Night && d.kind().Shape != data.Mixtures:
		return 1000, 300
	case d.kind().Shape == data.Mixtures:
		return 3000, 300
	default:
		return 10000, 300
	}
}

// Scale is how much work an experiment does; a result always carries it.
type Scale string

// The scales: seconds for a trial, an hour on two CPU cores, hours a training on these, the paper's exact settings.
const (
	Smoke Scale = "smoke"
	Small Scale = "small"
	Night Scale = "night"
	Paper Scale = "paper"
)

// Scales lists all, from the least work to the most.
func Scales() []Scale { return []Scale{Smoke, Small, Night, Paper} }

// ParseScale reads a scale's name.
func ParseScale(name string) (Scale, error) { return oneOf("scale", Scale(name), Scales()...) }

// Seeds is the default number of seeds.
func (s Scale) Seeds() int {
	if s == Night {
		return 1
	}
	return at(s, 1, 2, 3)
}

// at returns the value for a scale. Scale night has the value of small.
func at[V any](s Scale, smoke, small, paper V) V {
	return map[Scale]V{Smoke: smoke, Small: small, Night: small, Paper: paper}[s]
}

// Training says which cells may be trained.
type Training string

// The choices: by default a cell is trained only if it has neither a finished run nor shipped weights.
const (
	TrainMissing Training = "missing"
	TrainAlways  Training = "always" // shipped weights are not used; finished runs are
	TrainNever   Training = "never"  // a cell without either stays empty and says so
)

// ParseTraining reads a choice.
func ParseTraining(name string) (Training, error) {
	return oneOf("--train", Training(name), TrainMissing, TrainAlways, TrainNever)
}

// oneOf returns a value if it is a known one, or a *usererr.Error.
func oneOf[S ~string](what string, value S, known ...S) (S, error) {
	if slices.Contains(known, value) {
		return value, nil
	}
	var names []string
	for _, k := range known {
		names = append(names, string(k))
	}
	return "", usererr.Unknown(string(value), names, "%s %q is not known", what, value)
}
