package gfncp

import "github.com/gfncp/gfncp/clustering"

// Options are the settings of all that clusters, predicts, scores and streams: go doc clustering.Options lists them.
// nil stands for DefaultOptions.
type Options = clustering.Options

// Known is what is known of a table's clusters beside its columns: Options.Known.
type Known = clustering.Known

// DefaultOptions returns the settings of the command: 100 samples, seed 1, all else automatic. The zero value draws no
// samples.
func DefaultOptions() *Options {
	o := clustering.DefaultOptions()
	return &o
}

// orDefault returns the options, or the default ones for nil.
func orDefault(o *Options) *Options {
	if o == nil {
		return DefaultOptions()
	}
	return o
}
