package clustering

import (
	"errors"
	"time"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

// The ways to choose the point estimate (Options.Decode).
const (
	// DecodeAuto is DecodeVI, or without samples DecodeGreedy.
	DecodeAuto = "auto"
	// DecodeGreedy takes the most probable cluster at each point in turn.
	DecodeGreedy = "greedy"
	// DecodeVI takes the sample with the least expected variation of information to all samples (Wade & Ghahramani
	// 2018).
	DecodeVI = "vi"
	// DecodeSample is another name of DecodeVI.
	DecodeSample = "sample"
	// DecodeBinder takes the sample with the least expected Binder loss to all samples (Binder 1978).
	DecodeBinder = "binder"
	// DecodeBeam takes the most probable labelling that a beam of 16 finds, at 16 times the cost of greedy.
	DecodeBeam = "beam"
)

const beamWidth = 16

// MaxCoClustering is the most points that a co-clustering matrix is computed for: N² numbers.
const MaxCoClustering = 5000

// Options are the settings of Cluster and Table. Start from DefaultOptions; the zero value decodes greedily without
// samples. Decode, Scale and Alpha are a network's; Time, and all of what is known beforehand, a table's.
type Options struct {
	// Samples is S, the number of partitions that the answer holds; default 100. They give the probabilities and the
	// list of samples, and P(K) of a network. With 0 a network gives its greedy partition alone, and a warning.
	Samples int
	// Decode is DecodeAuto (the default, also ""), DecodeGreedy, DecodeVI (also DecodeSample), DecodeBinder or
	// DecodeBeam.
	Decode string
	// Ball is the level of Result.Ball: the share of the samples that the ball holds, above 0 and at most 1; default
	// 0.95. With 0, and below MinBallSamples samples, there is no ball.
	Ball float64
	// Seed names the data order and the samples; default 1. The same seed gives the same result on the same backend.
	Seed uint64
	// Scale is "auto" (the default, also ""), "none", or a factor above 0 as text. The centred points are multiplied by
	// it. For a model of Gaussian mixtures "auto" is 1 for points that are as spread out as the model's training sets,
	// and otherwise makes them so. For a model of a user's vectors it is the factor of the training. Images have no
	// scale: only "auto" and "none", which do nothing.
	Scale string
	// Alpha is what is known of α, the concentration of the Chinese restaurant process that the clusters come from:
	// "" is the range of the model's training, "1" a value. A network that has α as an input is told a value.
	Alpha string
	// CoClustering asks for Result.CoClustering; at most MaxCoClustering points, and no Subset of them.
	CoClustering bool
	// Subset is the number of points that are clustered of a larger set, all others being assigned (Result.Subset); as
	// many as there are, or more, cluster the whole set. 0, the default, is 400 points of more than MaxWhole for a
	// network, and 5,000 rows of more than MaxRows for a table.
	Subset int
	// Time, if not 0, ends the sampling of a table in place of the budget of work, if the chains do not agree before:
	// its answer then depends on the machine, and says so.
	Time time.Duration
	Known
	// Warn, if not nil, is called before the decoding with each warning that is known by then; Result.Warnings begins
	// with the same. Progress, if not nil, is called while the samples are drawn, with the share that is done, and
	// Assigned while the points beyond the subset are assigned. All are called from another goroutine than the
	// caller's.
	Warn               func(warning string)
	Progress, Assigned func(done, total int)
}

// Known is what is known of a table's clusters beside its columns. The posterior is the one given all of it.
type Known struct {
	Least, Most     int       // clusters, 0 for free; with either, no row is in none
	Together, Apart [][2]int  // pairs of rows, from 0, that are in one cluster, or in different ones
	Given           []int32   // [N], labels: equal ones are together, different ones apart; −1 where unknown
	Weights         []float64 // [N], how many rows each row stands for
}

func (k Known) any() bool {
	return k.Least+k.Most > 0 || k.Together != nil || k.Apart != nil || k.Given != nil || k.Weights != nil
}

// DefaultOptions returns 100 samples and their 95 % ball, seed 1 and automatic scale.
func DefaultOptions() Options {
	return Options{Samples: 100, Decode: DecodeAuto, Ball: 0.95, Seed: 1, Scale: "auto"}
}

// Validate returns nil or all faults of the options, each a *usererr.Error.
func (o Options) Validate() error {
	var faults []error
	if o.Samples < 0 {
		faults = append(faults, usererr.New("use 0 or more", "Samples = %d", o.Samples))
	}
	switch o.Decode {
	case "", DecodeAuto, DecodeGreedy, DecodeBeam:
	case DecodeVI, DecodeSample, DecodeBinder:
		if o.Samples == 0 {
			faults = append(faults, usererr.New("raise Samples, or decode greedily",
				"Decode = %s needs samples, but there are 0", o.Decode))
		}
	default:
		faults = append(faults, usererr.New("use auto, greedy, vi, binder or beam", "Decode = %q is unknown", o.Decode))
	}
	if !(o.Ball >= 0 && o.Ball <= 1) {
		faults = append(
			faults, usererr.New("use a share of the samples, above 0 and at most 1, such as 0.95, or 0 for no ball",
				"Ball = %v", o.Ball))
	}
	if o.Subset != 0 && o.Subset < leastSubset {
		faults = append(faults, usererr.New("use at least 100, or 0 for the default", "Subset = %d", o.Subset))
	}
	if o.Time < 0 {
		faults = append(faults, usererr.New("use a time such as 30s", "Time = %v", o.Time))
	}
	_, scale := parseScale(o.Scale)
	_, alpha := parseAlpha(o.Alpha)
	return errors.Join(append(faults, scale, alpha)...)
}

// resolve returns the way to choose the point estimate; usual is the one that DecodeAuto stands for.
func (o Options) resolve(usual string) string {
	if o.Decode == "" || o.Decode == DecodeAuto {
		return usual
	}
	return o.Decode
}

// loss is the loss of the point estimate and its ball: Binder's if it was chosen, else the variation of information.
func (o Options) loss() posterior.Loss {
	if o.Decode == DecodeBinder {
		return posterior.LossBinder
	}
	return posterior.LossVI
}
