package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// The keys that a sweep adds to those of a training config.
var (
	baseKeys = []string{"model", "data", "start"} // experiments.Base
	testKeys = []string{"test.alpha", "test.n", "test.sets", "test.fixed_k"}
)

// bothAlphas is a key that stands for data.alpha_min and data.alpha_max, which fix α together.
const bothAlphas = "data.alpha"

// elsewhere are config keys that a sweep sets in another way, which the hint names.
var elsewhere = map[string]string{
	"seed":        "list seeds at the top: seeds = [1, 2, 3]",
	"data.source": `write data = "mnist" in [base], or as an axis`,
	"data.stream": "leave it out",
	"data.split":  "leave it out",
}

// checkKey reports a key that cannot vary, with the nearest one that can.
func checkKey(key string) error {
	if hint, ok := elsewhere[key]; ok {
		return usererr.New(hint, "a sweep does not set %s", key)
	}
	known := append(append(train.Keys(), bothAlphas), append(baseKeys, testKeys...)...)
	if slices.Contains(known, key) {
		return nil
	}
	hint := "see `gfncp train --show-config` for the keys, and docs/sweeps.md for those of test"
	return unknownKey(key, usererr.DidYouMean(key, known, hint))
}

// assignment is a key with the value that a sweep file gives it.
type assignment struct {
	Key   string
	Value any // string, int64, float64 or bool
	Line  int
}

func (a assignment) isTest() bool { return slices.Contains(testKeys, a.Key) }

func (a assignment) isBase() bool { return slices.Contains(baseKeys, a.Key) }

// word is the value as labels show it.
func (a assignment) word() string {
	switch v := a.Value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// toml is the value as a TOML file writes it.
func (a assignment) toml() string {
	switch v := a.Value.(type) {
	case string:
		return strconv.Quote(v)
	case float64:
		text := a.word()
		if !strings.ContainsAny(text, ".en") { // "1" would be an integer
			text += ".0"
		}
		return text
	default:
		return fmt.Sprint(v)
	}
}

// keys are the config's keys that it sets.
func (a assignment) keys() []string {
	if a.Key == bothAlphas {
		return []string{"data.alpha_min", "data.alpha_max"}
	}
	return []string{a.Key}
}

// apply sets the key in a config.
func (a assignment) apply(c train.Config) (train.Config, error) {
	for _, key := range a.keys() {
		changed, err := c.Set(key + "=" + a.toml())
		if err != nil {
			return c, usererr.New("`gfncp train --show-config` shows values of its kind", "%s = %s does not fit this key",
				a.Key, a.toml())
		}
		c = changed
	}
	return c, nil
}

// number is the value as a number, if it is one.
func (a assignment) number() (float64, bool) {
	switch v := a.Value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
