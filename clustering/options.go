package clustering

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/mixture"
)

// The methods of point estimation (Result.Decode).
const (
	// DecodeVI takes the sample with the least expected variation of information to all samples (Wade & Ghahramani
	// 2018).
	DecodeVI = "vi"
	// DecodeGreedy takes the most probable cluster at each point in turn. A network uses it if Options.Samples is 0.
	DecodeGreedy = "greedy"
)

// MaxCoClustering is the most points that a co-clustering matrix is computed for: N² numbers.
const MaxCoClustering = 5000

// mostSamples bounds how many partitions are drawn.
const mostSamples = 1_000_000

// Options are the settings for clustering, prediction and scoring. Start from DefaultOptions: the zero value draws no
// samples. Package serving reads the fields that JSON has.
type Options struct {
	// Model is the name of a registered network, a run directory or a model file. The default, "", is the mixture for
	// tables and a network of handwritten digits for images. Backend is where networks run: "", "auto" (CUDA if a
	// plugin and a card are found, else the Go backend), "go", "xla:cpu", "xla:cuda", or a configuration of GoMLX. A
	// table needs no backend. Only package gfncp opens networks, by these two fields.
	Model, Backend string `json:"-"`

	// Samples is S, the number of sampled partitions; default 100. They give the probabilities and the list of samples,
	// and a network's P(K). With 0 a network returns only its greedy partition, with a warning. Predict averages over
	// at most S samples, which Seed chooses at random; with 0 it uses the point estimate alone.
	Samples int
	// Seed determines all random choices; default 1. The same seed gives the same answer on the same backend.
	Seed uint64
	// CoClustering asks for Result.CoClustering, for at most MaxCoClustering points.
	CoClustering bool

	// Time, if not 0, limits the sampling of a table, in place of the budget of work. Sampling ends earlier if the
	// chains agree. If the time ends it, the answer depends on the machine and has a warning.
	Time time.Duration `json:"-"`
	// Known is prior knowledge about a table's clusters.
	mixture.Known

	// Scale is the factor that a network's centred points are multiplied by. 0, the default, is automatic. For a model
	// of Gaussian mixtures the factor is then 1 if the points are as spread out as the training sets, and otherwise
	// brings them to that spread. For a model of a user's vectors it is the factor of the training. Images have no
	// scale: 0 and 1 do nothing.
	Scale float64

	// Orders is R, the number of random data orders of Score; default 100. SDPP needs at least 2. Energies makes Score
	// return ScoreResult.Energies.
	Orders   int  `json:"-"`
	Energies bool `json:"-"`

	// Progress, if not nil, is called with the progress of each part of the work, from other goroutines than the
	// caller's.
	Progress func(part string, done, total int) `json:"-"`

	subset int // number of points of a larger set that are clustered; 0: the usual number
}

// restricts reports whether the knowledge concerns the clusters, and not only weights.
func (o Options) restricts() bool {
	return o.Least+o.Most > 0 || o.Together != nil || o.Apart != nil || o.Given != nil
}

// checkNetwork returns an error for options that only the mixture uses.
func (o Options) checkNetwork() error {
	const hint = "leave it out; it is for tables without a network"
	switch {
	case o.restricts() || o.Weights != nil:
		return usererr.New(hint, "a network cannot heed what is known of the clusters")
	case o.Time > 0:
		return usererr.Option("Time", hint, "has no effect on a network, whose work is known beforehand")
	}
	return nil
}

// DefaultOptions returns 100 samples, seed 1, 100 orders, and all else automatic.
func DefaultOptions() Options {
	return Options{Samples: 100, Seed: 1, Orders: 100}
}

// Validate returns all faults of the options, each a *usererr.Error, or nil.
func (o Options) Validate() error {
	var faults []error
	demand := func(ok bool, option string, value any, hint string) {
		if !ok {
			faults = append(faults, usererr.Option(option, hint, "is %v", value))
		}
	}
	demand(o.Samples >= 0 && o.Samples <= mostSamples, "Samples", o.Samples, fmt.Sprintf("use 0 to %d", mostSamples))
	demand(o.Time >= 0, "Time", o.Time, "use a time such as 30s")
	faults = append(faults, engine.CheckName(o.Backend))
	if o.Model != "" && o.Model != MixtureModel {
		faults = append(faults, o.checkNetwork())
	}
	demand(o.Orders >= 0, "Orders", o.Orders, "use 0 or more; SDPP needs 2")
	demand(o.Scale >= 0 && !math.IsInf(o.Scale, 0), "Scale", o.Scale,
		"use a factor above 0, or 0 for the automatic one")
	return errors.Join(faults...)
}

// progress returns Progress for one part of the work; nil if Progress is nil.
func (o Options) progress(part string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(part, done, total) }
}
