package gfncp

import (
	"slices"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/mixture"
)

// Options are the settings for clustering, prediction and scoring; go doc clustering.Options lists them. nil stands for
// DefaultOptions.
type Options = clustering.Options

// Known is prior knowledge about a table's clusters: Options.Known.
type Known = mixture.Known

// DefaultOptions returns the settings of the command: 100 samples, seed 1, all else automatic. The zero value draws no
// samples.
func DefaultOptions() *Options {
	o := clustering.DefaultOptions()
	return &o
}

// orDefault returns a copy of the options, because work may outlive a cancelled call, or the default ones for nil.
func orDefault(o *Options) *Options {
	if o == nil {
		return DefaultOptions()
	}
	own := *o
	own.Together, own.Apart = slices.Clone(o.Together), slices.Clone(o.Apart)
	own.Given, own.Weights = slices.Clone(o.Given), slices.Clone(o.Weights)
	return &own
}
