package gfncp

import (
	"math"
	"strconv"
	"time"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Options are the settings of all that clusters, predicts, scores and streams. nil stands for DefaultOptions. Start
// from these, for the zero value draws no samples.
type Options struct {
	// Model is what clusters: the name of a registered network (Models), a run directory or a model file. The default,
	// "", is MixtureModel for tables and ImageModel for images. Clustering.Predict looks there for the network that
	// made the clustering if it has moved; the methods of a Model do not look at it.
	Model string
	// Backend is where networks run: "", "auto" (CUDA where a plugin and a card are found, else an installed XLA CPU
	// plugin, else the Go backend), "go", "xla:cpu", "xla:cuda", or a configuration of GoMLX.
	Backend string

	// Samples is the number of partitions that the answer holds; default 100. A network clusters greedily with 0, and
	// a prediction then takes the labels for sure. A stream follows this many partitions for P(K).
	Samples int
	// Seed names all random choices; default 1. The same seed gives the same answer on the same backend.
	Seed uint64
	// Ball is the level of the credible ball, the share of the samples in it; default 0.95. 0 asks for no ball.
	Ball float64
	// CoClustering asks for the matrix of how often two points share a cluster.
	CoClustering bool

	// Time, if not 0, is the longest time that a table is sampled, in place of a fixed amount of work.
	Time time.Duration
	// Known is what is known of a table's clusters beforehand.
	Known

	// Decode is how a network's labels are chosen: "auto" (the default), "greedy", "vi", "binder" or "beam"
	// (clustering.DecodeVI and so on).
	Decode string
	// Scale is what a network's points are multiplied by after they are centred; 0, the default, finds it, 1 leaves
	// them as they are.
	Scale float64
	// KeepUnits leaves the columns of a table in their units for a network of tables, which else standardizes them.
	KeepUnits bool

	// Orders is the number of random orders of Model.Score; default 100. Energies asks for Score.Energies.
	Orders   int
	Energies bool

	// Progress, if not nil, hears now and then how much of a part of the work is done. Warn, if not nil, hears each
	// warning of a network as soon as it is known; the answer has them all. Both are called from other goroutines.
	Progress func(part string, done, total int)
	Warn     func(warning string)
}

// Known is what is known of a table's clusters beside its columns.
type Known = clustering.Known

// DefaultOptions returns the settings of the command: 100 samples, seed 1, all else automatic.
func DefaultOptions() *Options {
	o := clustering.DefaultOptions()
	return &Options{
		Samples: o.Samples, Seed: o.Seed, Ball: o.Ball, Decode: o.Decode,
		Orders: clustering.DefaultScoreOptions().Orders,
	}
}

// orDefault returns the options, or the default ones for nil.
func (o *Options) orDefault() *Options {
	if o == nil {
		return DefaultOptions()
	}
	return o
}

// Validate returns nil or all faults that are known without points, each an *Error.
func (o *Options) Validate() error {
	if o.Orders < 0 {
		return usererr.Option("Orders", "use 0 or more", "is %d", o.Orders)
	}
	return o.clustering("point").Validate()
}

// clustering are the options of package clustering, for points that are called so.
func (o *Options) clustering(noun string) clustering.Options {
	return clustering.Options{
		Samples: o.Samples, Decode: o.Decode, Ball: o.Ball, Seed: o.Seed, Scale: o.Scale, CoClustering: o.CoClustering,
		Time: o.Time, Known: o.Known, Warn: o.Warn, Progress: o.progress(noun + "s placed in the samples"),
		Assigned: o.progress(noun + "s assigned to the clusters"),
	}
}

// ParseScale reads a scale as the command line writes it: "auto", "none" or a factor.
func ParseScale(text string) (float64, error) {
	switch text {
	case "", "auto":
		return 0, nil
	case "none":
		return 1, nil
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor > 0) || math.IsInf(factor, 0) {
		return 0, usererr.Option("Scale", "use auto, none or a factor above 0", "%q is unknown", text)
	}
	return factor, nil
}

// progress is Progress of one part; nil if nobody listens.
func (o *Options) progress(part string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(part, done, total) }
}
