package train

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
)

// readers lists the keys that not every training reads, by the words that they begin with, and which trainings do. The
// first matching line counts; other keys are always read.
var readers = []struct {
	keys string
	read func(c Config) bool
}{
	{"data.split", func(c Config) bool { return c.Data.Descriptor().HasSplits() }},
	{ownKeys, func(c Config) bool { return c.Data.IsOwn() }},
	{"data.sigma_", func(c Config) bool { return c.Data.IsMixture() }},
	{"data.factor", func(c Config) bool { return c.Data.IsVectors() }},
	{"data.images.", func(c Config) bool { return c.Data.IsImages() && onPool(c) }},
	{"data.vectors.", func(c Config) bool { return c.Data.IsVectors() && onPool(c) }},
	{"data.augment_base data.neighbors data.walk", onPool},
	{"data.min_k data.max_k data.alpha_", func(c Config) bool { return c.Data.FixedK == 0 }},
	{energyKeys, func(c Config) bool { return !c.IsPeer() }},
	{"net.hidden", func(c Config) bool { return !usesAttention(c) }},
	{"net.embed", func(c Config) bool { return !usesAttention(c) || c.Data.IsImages() }},
	{"peer.heads peer.inducing", func(c Config) bool { return c.Model != CCP }},
	{"peer.clusters", func(c Config) bool { return c.Model == ST }},
	{"peer.variant peer.likelihood", func(c Config) bool { return c.Model == DAC }},
	{"peer.latent peer.samples", func(c Config) bool { return c.Model == CCP }},
	{"train.final_rate train.rate_every", func(c Config) bool { return c.Train.Schedule != ScheduleHalf }},
	{"loss.subtb_lambda", func(c Config) bool { return c.Model == GFNCP && c.Loss.Balance == losses.SubTB }},
	{"loss. train.warmup_steps", func(c Config) bool { return c.Model == GFNCP }},
}

const (
	ownKeys    = "data.path data.columns data.labels data.header data.ignore data.categorical data.encoding"
	energyKeys = "net.global net.online net.extended loss.normalize"
)

// usesAttention reports whether the model is a set transformer.
func usesAttention(c Config) bool { return c.Model == ST || c.Model == DAC }

// onPool reports whether clusters are points of a pool and their augmentations.
func onPool(c Config) bool {
	return c.Data.Mode == data.ModeInstance && (c.Data.IsImages() || c.Data.IsVectors())
}

// Reads reports whether a training by c reads a key.
func (c Config) Reads(key string) bool {
	for _, r := range readers {
		begins := func(word string) bool { return strings.HasPrefix(key, word) }
		if slices.ContainsFunc(strings.Fields(r.keys), begins) {
			return r.read(c)
		}
	}
	return true
}

// CheckKeys returns an error for each of the keys that a new training by c does not read. It ignores a key that has its
// value in base, the config before the changes, or its default. For keys of steps it returns an error, too, if the
// warm-up is longer than the training.
func (c Config) CheckKeys(base Config, keys ...string) error {
	values, begun, usual := c.values(), base.values(), DefaultOn(c.Model, c.Data.Source).values()
	var faults []error
	for _, key := range keys {
		if values[key] == begun[key] || values[key] == usual[key] {
			continue
		}
		if !c.Reads(key) {
			faults = append(faults, usererr.New("leave it out",
				"%s = %v means nothing here: such a training of %s on %s does not read it", key, values[key], c.Model,
				c.Data.Source))
		}
	}
	steps := slices.Contains(keys, "train.warmup_steps") || slices.Contains(keys, "train.steps")
	if steps && c.Model == GFNCP && c.Train.WarmupSteps > c.Train.Steps {
		hint := fmt.Sprintf("set train.warmup_steps to %d, half of the steps", c.HalfWarm().Train.WarmupSteps)
		faults = append(faults, usererr.New(hint,
			"train.warmup_steps = %d is more than train.steps = %d", c.Train.WarmupSteps, c.Train.Steps))
	}
	return errors.Join(faults...)
}

// Changes lists "key = value" for each key that a training by c reads and whose value in base is another one.
func (c Config) Changes(base Config) (changes []string) {
	values, before := c.values(), base.values()
	for _, key := range Keys() {
		if values[key] != before[key] && c.Reads(key) {
			changes = append(changes, fmt.Sprintf("%s = %v", key, values[key]))
		}
	}
	return changes
}

func (c Config) values() map[string]any {
	values := map[string]any{}
	eachKey("", reflect.ValueOf(c), false, func(key string, value any, _ bool) { values[key] = value })
	return values
}

// Keys lists the keys of a Config as overrides write them, such as "train.steps", in the order of String.
func Keys() (keys []string) {
	eachKey("", reflect.ValueOf(Config{}), false, func(key string, _ any, _ bool) { keys = append(keys, key) })
	return keys
}

// eachKey visits the keys of a section. omitted says that String leaves the section, or the key, out.
func eachKey(prefix string, v reflect.Value, omitted bool, visit func(key string, value any, omitted bool)) {
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("toml"), ",")
		inner := v.Field(i)
		out := omitted || option == "omitempty" && inner.IsZero()
		if inner.Kind() == reflect.Struct {
			eachKey(prefix+name+".", inner, out, visit)
		} else {
			visit(prefix+name, inner.Interface(), out)
		}
	}
}
