package train

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/augment"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// Config describes a run completely: the same config gives the same bytes on the same backend.
type Config struct {
	// Model is one of Models. "gfncp" and "ncp" are the same network under another objective.
	Model string `toml:"model" json:"model"`
	// Seed determines every random stream of the run.
	Seed uint64 `toml:"seed" json:"seed"`
	// Net holds the network's sizes.
	Net models.Config `toml:"net" json:"net"`
	// Data is where training sets come from.
	Data data.Config `toml:"data" json:"data"`
	// Loss holds the objective's weights and settings.
	Loss losses.Config `toml:"loss" json:"loss"`
	// Train holds the optimizer's and the loop's settings.
	Train Options `toml:"train" json:"train"`
	// Peer holds the sizes of ST, DAC or CCP; the zero value for the energy networks. Of Net a peer reads Dim and
	// Encoder, and for images Embed.
	Peer peers.Config `toml:"peer,omitempty" json:"peer,omitzero"`
}

// Options are the settings of the optimizer and of the loop.
type Options struct {
	// Steps is the number of optimizer steps. Paper: 5,000.
	Steps int `toml:"steps" json:"steps"`
	// LearningRate is Adam's first rate, FinalRate its last; a cosine leads from one to the other. Paper: 5e-4, 1e-6.
	LearningRate float64 `toml:"learning_rate" json:"learning_rate"`
	FinalRate    float64 `toml:"final_rate" json:"final_rate"`
	// RateEvery is the number of steps for which a rate stays. Published code: 10.
	RateEvery int `toml:"rate_every" json:"rate_every"`
	// Schedule is ScheduleHalf, or empty for the cosine.
	Schedule string `toml:"schedule,omitempty" json:"schedule,omitempty"`
	// ClipNorm bounds the gradient's Euclidean norm; 0 switches clipping off. Without it, one exploration step can
	// destroy a GFNCP model.
	ClipNorm float64 `toml:"clip_norm" json:"clip_norm"`
	// WarmupSteps trains GFNCP by likelihood first; 0 is the paper's objective from scratch.
	WarmupSteps int `toml:"warmup_steps" json:"warmup_steps"`
	// Init is a model file whose weights the run starts from. If it is empty, they are drawn from the seed.
	Init string `toml:"init" json:"init"`
	// Shards is the number of parts of a batch whose gradients are computed side by side on the Go backend. It is part
	// of the config, not of the machine, because it decides the rounding, and which units an image network drops.
	Shards int `toml:"shards" json:"shards"`
	// ValidEvery is the number of steps between validations, on ValidSets fixed sets; the weights with the lowest
	// validation loss are the run's result.
	ValidEvery int `toml:"valid_every" json:"valid_every"`
	ValidSets  int `toml:"valid_sets" json:"valid_sets"`
	// CheckpointEvery is the number of steps between checkpoints.
	CheckpointEvery int `toml:"checkpoint_every" json:"checkpoint_every"`
	// KeepEvery is the number of steps between weights that stay in the run directory (Kept); 0 keeps only the best.
	KeepEvery int `toml:"keep_every,omitempty" json:"keep_every,omitempty"`
}

// ScheduleHalf keeps LearningRate for the first half of the steps and a tenth of it for the second (Set Transformer).
const ScheduleHalf = "half"

// HalfWarm returns c with a warm start: half of the steps use the likelihood alone.
func (c Config) HalfWarm() Config {
	c.Train.WarmupSteps = c.Train.Steps / 2
	return c
}

// Default is the paper's setting for a model on mixtures of Gaussians.
func Default(model string) Config {
	c := Config{
		Model: model,
		Seed:  1,
		Net:   models.Default(2),
		Data:  data.DefaultMoG(),
		Loss:  losses.DefaultConfig(),
		Train: Options{
			Steps: 5000, LearningRate: 5e-4, FinalRate: 1e-6, RateEvery: 10, ClipNorm: 1,
			Shards: 8, ValidEvery: 100, ValidSets: 32, CheckpointEvery: 100,
		},
	}
	c.peerDefaults()
	return c
}

func (c *Config) peerDefaults() {
	k := KindOf(c.Model)
	if k.Energies() {
		return
	}
	c.Peer = peers.Default(c.Data.IsMixture())
	c.Data.FixedK, c.Peer.Clusters = cmp.Or(k.FixedK, c.Data.FixedK), cmp.Or(k.FixedK, c.Peer.Clusters)
	c.Train.Steps, c.Train.LearningRate = cmp.Or(k.Steps, c.Train.Steps), cmp.Or(k.LearningRate, c.Train.LearningRate)
	if k.Halves {
		c.Train.Schedule = ScheduleHalf
	}
}

// DefaultOn is the paper's setting for a model on a source, by the properties of its descriptor: on mixtures Default;
// on images a convolutional encoder, the source's own width, and β = 0.99; on a feature set hidden width 128 and β =
// 0.999. A user's own file counts as images here.
func DefaultOn(model, source string) Config {
	c := Default(model)
	c.Data = data.Default(source)
	switch {
	case c.Data.IsImages():
		c.Net, c.Loss.Beta = models.DefaultImages(), 0.99
	case c.Data.IsVectors():
		c.Net = models.Default(c.Data.Dim)
	}
	if hidden := c.Data.Descriptor().Hidden; hidden > 0 {
		c.Net.Hidden = hidden
	}
	c.peerDefaults()
	return c
}

// Validate reports every fault of every part at once.
func (c Config) Validate() error {
	faults := []error{c.Net.Validate(), c.Data.Validate(), c.Loss.Validate(), c.Train.validate()}
	faults = append(faults, c.validateModel())
	if c.Seed > math.MaxInt64 { // TOML has no larger integers
		faults = append(faults,
			usererr.New(fmt.Sprintf("choose 0 to %d", math.MaxInt64), "seed = %d is out of range", c.Seed))
	}
	if c.Data.IsImages() && c.Net.Encoder != models.EncoderConv {
		faults = append(faults,
			usererr.New(`set net.encoder to "conv"`, "data.source = %q gives images, but net.encoder = %q",
				c.Data.Source, c.Net.Encoder))
	}
	if c.Data.Dim != c.Net.Dim {
		faults = append(faults, usererr.New("set both to the same number",
			"data.dim = %d but net.dim = %d", c.Data.Dim, c.Net.Dim))
	}
	return errors.Join(faults...)
}

// validateModel reports an unknown model, and faults of a peer's keys.
func (c Config) validateModel() error {
	switch {
	case !slices.Contains(Models(), c.Model):
		return usererr.Unknown(c.Model, Models(), "model = %q is not known", c.Model)
	case !c.IsPeer() && c.Peer != (peers.Config{}):
		return usererr.New("leave the [peer] keys out", "model = %q has no [peer] keys", c.Model)
	case !c.IsPeer():
		return nil
	case c.Peer == (peers.Config{}):
		return usererr.New("copy them from gfncp train --model "+c.Model+" --show-config",
			"model = %q needs [peer] keys", c.Model)
	}
	faults := []error{c.Peer.Validate()}
	if k := KindOf(c.Model); k.FixedK > 0 && c.Data.FixedK != c.Peer.Clusters {
		faults = append(faults, usererr.New("set data.fixed_k and peer.clusters to the same number",
			"%s finds exactly peer.clusters = %d clusters, but data.fixed_k = %d",
			k.Title(), c.Peer.Clusters, c.Data.FixedK))
	}
	return errors.Join(faults...)
}

func (o Options) validate() error {
	var faults usererr.Faults
	most := func(key string, value, most float64) {
		faults.Demand(value >= 0 && value <= most, key, value, fmt.Sprintf("a number from 0 to %g", most))
	}
	faults.Within("train.steps", o.Steps, 1e9)
	most("train.learning_rate", o.LearningRate, 1e9)
	most("train.final_rate", o.FinalRate, 1e9)
	faults.Within("train.rate_every", o.RateEvery, 1e9)
	most("train.clip_norm", o.ClipNorm, 1e9)
	most("train.warmup_steps", float64(o.WarmupSteps), 1e9)
	faults.Within("train.shards", o.Shards, mostShards)
	faults.Within("train.valid_every", o.ValidEvery, 1e9)
	faults.Within("train.valid_sets", o.ValidSets, 1e6)
	faults.Within("train.checkpoint_every", o.CheckpointEvery, 1e9)
	most("train.keep_every", float64(o.KeepEvery), 1e9)
	faults.Demand(o.Schedule == "" || o.Schedule == ScheduleHalf, "train.schedule", o.Schedule,
		`"half", or leave it out for the cosine`)
	return errors.Join(faults...)
}

// String returns the config as TOML, in a fixed order.
func (c Config) String() string {
	text, err := toml.Marshal(c)
	if err != nil {
		return err.Error() // not for a config that Validate passes: it has numbers and strings that TOML can hold
	}
	return string(text)
}

// Listing returns the config as TOML, and the keys that it leaves out as comments below.
func (c Config) Listing() string {
	text := c.String() + "\n# not set, which means 0, false or empty:\n"
	eachKey("", reflect.ValueOf(c), false, func(key string, _ any, omitted bool) {
		if omitted && (c.IsPeer() || !strings.HasPrefix(key, "peer.")) {
			text += "# " + key + "\n"
		}
	})
	return text
}

// olderNetworks rewrites the keys of the two extended networks that were trained before there was net.extended. Lines
// keep their numbers. Other combinations of these keys are unknown keys.
var olderNetworks = strings.NewReplacer(
	"\nonline = true\nmoments = true\nalpha = true\n", "\nonline = true\nextended = true\n\n",
	"\nonline = false\nmoments = true\nmean_shift = true\nalpha = true\nadditive = true\n",
	"\nonline = false\nextended = true\n\n\n\n",
)

// ParseConfig reads a TOML config over the defaults of base; path names it in errors. Unknown keys are refused.
func ParseConfig(path string, text []byte, base Config) (Config, error) {
	text = []byte(olderNetworks.Replace(string(text)))
	const absent = -math.SmallestNonzeroFloat64 // marks a key that the text does not set
	before := base.Loss
	base.Loss.BalanceWeight, base.Loss.SubTBLambda = absent, absent
	if err := DecodeTOML(path, text, &base, Keys(), "see `gfncp train --show-config` for the keys"); err != nil {
		return Config{}, err
	}
	written := func(key string, value *float64, before float64) error {
		if *value == absent {
			*value = before
		} else if *value == 0 {
			return usererr.File(path, 0, "choose a number above 0, or leave it out", "%s = 0 is not allowed", key)
		}
		return nil
	}
	return base, errors.Join(written("loss.balance_weight", &base.Loss.BalanceWeight, before.BalanceWeight),
		written("loss.subtb_lambda", &base.Loss.SubTBLambda, before.SubTBLambda))
}

// DecodeTOML reads a TOML text into v, a pointer. Its faults name path and line. A key without a field in v is a fault
// that suggests one of keys; hint says where to find the keys.
func DecodeTOML(path string, text []byte, v any, keys []string, hint string) error {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(v)
	if err == nil {
		return nil
	}
	fault, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return usererr.File(path, 0, "mend the file", "%v", err)
	}
	row, _ := fault.Position()
	key := strings.Join(fault.Key(), ".")
	if _, unknown := errors.AsType[*toml.StrictMissingError](err); unknown {
		return usererr.File(path, row, usererr.DidYouMean(key, keys, hint), "unknown key %q", key)
	}
	what, _, mistyped := strings.Cut(strings.TrimPrefix(fault.Error(), "toml: "), " into struct field") // of Go
	if mistyped {
		kind := strings.TrimPrefix(what, "cannot decode TOML ")
		return usererr.File(path, row, hint, "%s has a value of the wrong kind, %s", key, kind)
	}
	return usererr.File(path, row, "mend this line", "%s", what)
}

// Set applies "key=value" overrides, such as "train.steps=300", to the config. A text value needs no quotes.
func (c Config) Set(overrides ...string) (Config, error) {
	for _, override := range overrides {
		key, value, found := strings.Cut(override, "=")
		if !found || key == "" {
			return Config{}, usererr.Option("Set", "write key=value", "%q has no key and value", override)
		}
		changed, err := c.with(override, key, value)
		if err != nil {
			quoted, second := c.with(override, key, fmt.Sprintf("%q", value))
			if second != nil {
				return Config{}, err
			}
			changed = quoted
		}
		c = changed
	}
	return c, nil
}

// with sets the key of an override to its value, written in TOML.
func (c Config) with(override, key, value string) (Config, error) {
	changed, err := ParseConfig("", []byte(key+" = "+value+"\n"), c)
	if fault, ok := errors.AsType[*usererr.Error](err); ok { // the line means nothing
		fault.Option, fault.Line, fault.Msg = "Set", 0, override+": "+fault.Msg
	}
	return changed, err
}

const (
	// RecipePaper follows the paper's text: the defaults.
	RecipePaper = "paper"
	// RecipePublished follows the authors' published code (bea6d5a, 2025-02-23) where it differs from the text: all
	// images of a training cluster are augmented, in the code's way, and K is from 3 to 10; exploration merges whole
	// clusters, with Reg on data steps alone; log-flows are clamped. The code bounds K of mixtures, too, but has fewer
	// clusters there than the paper.
	RecipePublished = "published"
)

// PublishedEpsilon is the published code's clamp of log-flows.
const PublishedEpsilon = 1e-5

// WithRecipe returns the config with the keys that a recipe sets. It keeps the numbers of sets, points and steps, the
// rates and the weights of the loss. It returns a *usererr.Error for an unknown recipe, and for a model without
// energies.
func (c Config) WithRecipe(name string) (Config, error) {
	switch {
	case name == RecipePaper:
		return c, nil
	case name != RecipePublished:
		return c, usererr.New(`choose "paper" or "published"`, "recipe %q is unknown", name)
	case !KindOf(c.Model).Energies():
		return c, usererr.New("use it with model gfncp or ncp",
			"recipe %q has no settings for model %s", name, c.Model)
	}
	if c.Data.IsImages() {
		c.Data.AugmentBase = true
		o, published := &c.Data.Images, augment.PublishedImages()
		o.Wrap, o.NearestTurn = published.Wrap, published.NearestTurn
		o.WideBlur, o.RedrawBox = published.WideBlur, published.RedrawBox
		c.Data.MinK, c.Data.MaxK = 3, 10
	}
	if c.Model == GFNCP {
		c.Loss.MCEpsilon, c.Loss.RegOnData, c.Loss.Explore = PublishedEpsilon, true, losses.MergeBlocks
	}
	return c, nil
}
