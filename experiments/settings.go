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
	c = s.sized(c, d, m)
	if c.IsPeer() {
		c.Peer.Variant = cmp.Or(m.Variant, peers.MinFilter)
		if s != Paper {
			c.Peer.Samples = 5
		}
	}
	switch m.Start {
	case StartWarm:
		c = c.HalfWarm()
	case StartFree:
		c.Loss = losses.FreeFlows()
	}
	if m.hasWalks() {
		c.Data.Neighbors, c.Data.Walk = d.Neighbors, d.Walk
		if c.Data.IsVectors() && d.Walk > 0 {
			c.Data.Vectors = augment.Vectors{} // test points have no noise
		}
	}
	return c
}

// config is the paper's setting for a model on a data set.
func (d dataset) config(model string) train.Config { return train.DefaultOn(model, d.Source) }

// sizes are how much work trainings are at a scale, or at all scales, and other settings that differ from
// train.DefaultOn. A line changes the cells that have all its words (dataset.words); later lines come after earlier
// ones.
//
// Paper scale has settings of the paper and of the authors' code: instance discrimination on mixtures too, no more
// clusters of images than classes, and sets of 50 to 100 feature vectors. Scale night is for two CPU cores and hours:
// sets of the authors' newest size, but half as many a step. Free flows on mixtures have the network that sees more
// than the paper's, and are of any α. The published code explores by merges of whole clusters, with Reg on data steps
// alone, and clamps flows.
var sizes = []struct {
	scale          Scale
	cells, changes string
}{
	{Smoke, "", "data.batch=8 data.n_min=20 data.n_max=40 train.valid_sets=8"},
	{Smoke, "mixtures", "train.steps=120 train.valid_every=40 train.checkpoint_every=40"},
	{Smoke, "mixtures peer", "train.steps=30 train.valid_every=15"},
	{Smoke, "images", "train.steps=12 train.valid_every=6 train.checkpoint_every=12"},
	{Smoke, "features", "train.steps=30 train.valid_every=15 train.checkpoint_every=40"},

	{Small, "", "data.batch=16 train.steps=800 train.valid_every=50 train.checkpoint_every=100"},
	{Small, "mixtures", "data.n_min=50 data.n_max=100"},
	{Small, "images", "data.n_min=50 data.n_max=100"},
	{Small, "images objective", "data.n_min=20 data.n_max=50"},
	{Small, "features", "train.steps=400"}, // of sets of 20 to 50 points

	{Night, "", "data.batch=32 train.valid_every=200 train.checkpoint_every=100"},
	{Night, "features", "train.steps=2000"},
	{Night, "mixtures", "data.n_min=50 data.n_max=100 train.steps=8000 train.valid_sets=256"},
	{Night, "mixtures free", "data.n_min=10 data.n_max=200 train.steps=7000"},
	{Night, "mixtures peer", "data.batch=16 train.steps=12000"},
	{Night, "mixtures ccp", "train.steps=5000"},
	{Night, "images", "data.n_min=50 data.n_max=100"},
	{Night, "images peer", "data.batch=16 train.steps=6000"},
	{Night, "images pairs", "data.batch=16 data.n_max=300 train.steps=1000 train.valid_sets=96"},
	{Night, "images pairs", "train.valid_every=50 train.checkpoint_every=25 train.shards=2"},
	{Night, "mixtures pairs", "data.batch=16 data.n_max=300 train.steps=1500"},
	{Night, "mixtures pairs", "train.valid_every=50 train.checkpoint_every=25 train.shards=2"},

	{Paper, "mixtures others", "data.mode='instance'"},
	{Paper, "images", "data.max_k=10"},
	{Paper, "features printed", "data.n_min=50 data.n_max=100"},

	{"", "published", "loss.explore='merge-blocks' loss.reg_on_data=true loss.mc_epsilon=1e-5"},
	{"", "images pairs", "data.max_k=10"},
	{"", "images code", "data.augment_base=true"},
	{"", "warm", "loss.nll_weight=1"},
	{"", "mixtures extended", "net.hidden=64 net.embed=64 net.global=64 net.extended=true"},
	{"", "mixtures free", "data.alpha_min=0.3 data.alpha_max=10 data.min_k=1 train.learning_rate=3e-3"},
}

// sized returns a config with the lines of sizes that fit a cell.
func (s Scale) sized(c train.Config, d dataset, m method) train.Config {
	words := d.words(m)
	for _, line := range sizes {
		fits := !slices.ContainsFunc(strings.Fields(line.cells), func(word string) bool { return !words[word] })
		if fits && (line.scale == "" || line.scale == s) {
			changed, err := train.ParseConfig("", []byte(strings.ReplaceAll(line.changes, " ", "\n")), c)
			if err != nil {
				panic(err) // a bug in sizes
			}
			c = changed
		}
	}
	if steps := train.KindOf(m.Model).SmallSteps; s == Small && steps > 0 && c.Data.IsMixture() {
		c.Train.Steps = steps // a peer's authors' counts are 5 to 10 times the energy networks'
	}
	return c
}

// words say what a cell is: its data, whether the paper prints numbers of them, and its method.
func (d dataset) words(m method) map[string]bool {
	shape := d.kind().Shape
	return map[string]bool{
		"mixtures": shape == data.Mixtures, "images": shape == data.Images, "features": shape == data.Vectors,
		"printed": d.Paper != "", "peer": m.Model != "" && !evaluation.HasEnergies(m.Model), "primary": !m.Online,
		"free": m.Start == StartFree, "published": m.isPublished(), "warm": m.Start == StartWarm,
		"code":      m.Start == StartPublished || m.Start == StartPair,
		"pairs":     m.isPublished() || m.Start == StartWalks || m.Start == StartPair,
		"extended":  m.hasWalks(),
		"others":    m.Start != StartFree, // free flows are not the paper's
		"objective": m.usesPaperObjective(), m.Model: true,
	}
}

// notListed are keys that are no deviation from the paper, or that have a column in tables.
var notListed = []string{
	"seed", "train.steps", "train.shards", "train.valid_every", "train.valid_sets", "train.checkpoint_every",
	"train.keep_every",
}

// deviations lists the keys, with their values, in which a training's config differs from the paper's on a data set
// with fixedK clusters (0: free).
func (d dataset) deviations(c train.Config, fixedK int) string {
	paper := Paper.sized(d.config(c.Model), d, method{})
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
