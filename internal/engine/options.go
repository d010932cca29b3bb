package engine

import (
	"slices"
	"strings"
)

// ownOptions are the options of XLA backends that this package reads; GoMLX does not know them.
var ownOptions = []string{bf16Option, "no" + bf16Option}

// optionOf returns the value of an option of an XLA configuration, the last one if it is there twice.
func optionOf(config, name string) (value string, set bool) {
	if !strings.HasPrefix(config, "xla:") {
		return "", false
	}
	for option := range strings.SplitSeq(config, ",") {
		if key, given, _ := strings.Cut(strings.TrimSpace(option), "="); key == name {
			value, set = given, true
		}
	}
	return value, set
}

// forGoMLX is a configuration without this package's own options.
func forGoMLX(config string) string {
	var kept []string
	for option := range strings.SplitSeq(config, ",") {
		if key, _, _ := strings.Cut(strings.TrimSpace(option), "="); !slices.Contains(ownOptions, key) {
			kept = append(kept, option)
		}
	}
	return strings.Join(kept, ",")
}
