// Package clustering applies a trained network to a user's points: Cluster finds the clusters and says how sure it is,
// Predict says where further points belong, Score judges labels that are given. It is the library behind the commands
// `gfncp cluster`, `gfncp predict` and `gfncp score`.
//
// Here belong the preparation of points that did not come from the training distribution (centring, scaling, warnings)
// and the summary of decoded samples. Files, flags and the training of networks do not.
//
// # What the numbers mean
//
// Points are always centred on their coordinate-wise median and multiplied by one scale factor (see Options.Scale);
// images are left as they are. Each sample meets the points in a random order of its own, drawn from the seed, because
// user files are often sorted and the network has only seen shuffled sets; more than 20,000 points are streamed in one.
// Results are in the order of the input. A log-probability log p(c|x) knows no order: it is the log-mean over four.
//
// For a model of Gaussian mixtures the posterior is known, and the samples are refined by exact sampling (Refinement);
// log-probabilities are then those of that posterior, up to a constant.
//
// Everything else in a Result is a summary of the samples around the point estimate, computed by package posterior:
// probabilities, uncertainties, P(K), expected losses, the credible ball (Wade & Ghahramani 2018). Distances between
// clusterings are the variation of information in nats, or Binder's loss (Binder 1978) as a fraction of the pairs.
//
// Axis letters: N points, D coordinates, K clusters, S samples, R data orders. Labels are canonical: numbered 0, 1,
// 2, … in order of first appearance in the input. Logarithms are natural.
package clustering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// The ways to choose the point estimate (Options.Decode).
const (
	// DecodeAuto is DecodeVI where samples are refined (Options.Refine), else DecodeGreedy.
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

// Options are the settings of Cluster. Start from DefaultOptions; the zero value decodes greedily without samples.
type Options struct {
	// Samples is S, the number of partitions drawn from the policy, or with refinement from the posterior (of the
	// policy 25 at most, where the chains start); default 100. They give the probabilities, P(K) and the list of
	// samples. With 0 there is only the greedy partition, and a warning.
	Samples int
	// Decode is DecodeAuto (the default, also ""), DecodeGreedy, DecodeVI (also DecodeSample), DecodeBinder or
	// DecodeBeam.
	Decode string
	// Refine is "auto" (the default, also ""), "none", or the sweeps of each of four chains on the exact posterior,
	// of which the first half is burn-in (Refinement). Only mixtures of Gaussians have one; for a model of tables it is
	// that of Exact, and "auto" leaves it out. "auto" refines up to MaxRefined points, unless Decode asks for the
	// network's own labels (greedy, beam) or there are no samples, until the chains agree.
	Refine string
	// Ball is the level of Result.Ball: the share of the samples that the ball holds, above 0 and at most 1; default
	// 0.95. With 0, and below MinBallSamples samples, there is no ball.
	Ball float64
	// Seed names the data order and the samples; default 1. The same seed gives the same result on the same backend.
	Seed uint64
	// Scale is "auto" (the default, also ""), "none", or a factor above 0 as text. The centred points are multiplied by
	// it. For a model of Gaussian mixtures "auto" is 1 for points that are as spread out as the model's training sets,
	// and otherwise makes them so: clusters of the training's width, or, if those lie too far apart, sets of the
	// training's width. For a model of a user's vectors it is the factor of the training. Images have no scale: only
	// "auto" and "none", which do nothing.
	Scale string
	// Alpha is what is known of α, the concentration of the Chinese restaurant process that the clusters come from:
	// "" is the range of the model's training, "1" a value, "0.7..7" a range with log-uniform prior. A network that
	// has α as an input is told a value; it and refined samples heed both.
	Alpha string
	// KeepPieces leaves Gaussian clusters of Exact as they are where they do not describe the points (Joined).
	KeepPieces bool
	// CoClustering asks for Result.CoClustering; at most MaxCoClustering points, and no Subset of them.
	CoClustering bool
	// Subset is the number of points that are clustered of a set of more than MaxWhole: a random subset, the best of
	// four; all others are assigned by the predictive probability (Result.Subset). 0 for the whole set as one sequence;
	// default 400.
	Subset int
	// Warn, if not nil, is called before the decoding with each warning that is known by then; Result.Warnings begins
	// with the same. Progress, if not nil, is called while the samples are drawn, with the share that is done, and
	// Assigned while the points beyond the subset are assigned. All are called from another goroutine than the
	// caller's.
	Warn               func(warning string)
	Progress, Assigned func(done, total int)
}

// DefaultOptions returns 100 samples and their 95 % ball, seed 1, automatic scale and automatic refinement: the
// labels are those of DecodeVI where it refines, else those of DecodeGreedy.
func DefaultOptions() Options {
	return Options{Samples: 100, Decode: DecodeAuto, Refine: "auto", Ball: 0.95, Seed: 1, Scale: "auto", Subset: 400}
}

// Result is a clustering with its uncertainty. Its JSON form is what scripts read (SchemaVersion).
type Result struct {
	SchemaVersion int `json:"schema_version"`
	// Model names the weights. Cluster does not know the name: its caller sets it.
	Model  string `json:"model"`
	Decode string `json:"decode"`
	Seed   uint64 `json:"seed"`
	// Labels [N] is the point estimate, K its number of clusters, LogProb its log p(c|x), but
	// for a constant; with refinement that of the mixture's posterior, but for another constant.
	Labels  []int32 `json:"labels"`
	K       int     `json:"k"`
	LogProb float64 `json:"log_prob"`
	// Probabilities [N][K+1]: how often each point was in each cluster of the point estimate and, last, in another one
	// (posterior.Assignments). Rows sum to 1. With Subset those of all other points are predicted, and there are none
	// if N·(K+1) is above 4 million.
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	// Probability [N] is that of each point's label; nil without Subset, where it stands in Probabilities.
	Probability []float32 `json:"probability,omitempty"`
	// Uncertainty [N] says how sure the samples are of each point's cluster; nil with Subset.
	Uncertainty []posterior.PointUncertainty `json:"uncertainty,omitempty"`
	// ExpectedVI, in nats, and ExpectedBinder, as a fraction of the pairs, are the mean losses between the samples
	// and the point estimate (posterior.LossVI, posterior.LossBinder).
	ExpectedVI     float64 `json:"expected_vi"`
	ExpectedBinder float64 `json:"expected_binder"`
	// Ball is the credible ball around the point estimate; nil if not wanted or with too few samples (Options.Ball).
	Ball *Ball `json:"ball,omitempty"`
	// KPosterior is P(K) over the samples, K rising; with refinement over all sweeps that count.
	KPosterior []posterior.KProb `json:"k_posterior"`
	// KLarge is the same, over the samples, of the clusters alone that hold at least the share LargeShare of the
	// points: priors of partitions expect small clusters beside the others, and count them in K.
	KLarge []posterior.KProb `json:"k_large"`
	// KPrior is the prior P(K) of as many points (Options.Alpha), K rising; nil for a model with a fixed
	// K, or for fewer points than its sets have clusters.
	KPrior []posterior.KProb `json:"k_prior,omitempty"`
	// Samples are the different partitions drawn, the most probable first. A network's log p(c|x) is the log-mean over
	// four orders for the estimate and the ten most probable, and that of the first order for the others.
	Samples []posterior.Distinct `json:"samples"`
	// Center [D] and ScaleFactor tell how the points were prepared: (x − Center) · ScaleFactor. Images are left as they
	// are: Center is empty, ScaleFactor 1.
	Center      []float32 `json:"center"`
	ScaleFactor float64   `json:"scale_factor"`
	// Rotation tells how Exact prepared the points; nil after Cluster. Center is empty then, ScaleFactor 1.
	Rotation *tabular.Rotation `json:"rotation,omitempty"`
	// Exact is what Exact sampled, for its Predict; nil after Cluster.
	Exact *ExactFit `json:"-"`
	// View is how a model of tables sees the rows; nil for other points.
	View *tabular.View `json:"view,omitempty"`
	// ScaleFactors are those that explain the points as well, the likeliest first, which is ScaleFactor: the network's
	// samples are shared out among them. nil if there is one.
	ScaleFactors []ScaleWeight `json:"scale_factors,omitempty"`
	// CoClustering [N][N] is how often two points shared a cluster; only when asked for.
	CoClustering [][]float64 `json:"co_clustering,omitempty"`
	// Refinement is nil if the numbers are the network's own.
	Refinement *Refinement `json:"refinement,omitempty"`
	// Subset says which points were clustered, if not all (Options.Subset).
	Subset *Subset `json:"subset,omitempty"`
	// Warnings are what may make the result unreliable, a line each.
	Warnings []string `json:"warnings"`
}

// Cluster clusters the n points x [n,d], row-major. known is the range that the network was trained on (the data
// section of the model's config): it decides how the points are prepared, and the warnings. For a model of images x
// holds pixels [n,784] in 0..1, bright on dark.
//
// Faults of the points or the options are *usererr.Error, which name an option by its field here. Energies that are not
// finite give one that wraps metrics.ErrNotFinite. ctx ends the decoding between two steps, with its error.
//
// Time O((S+1)·N·K) network rows, and O(S²·N) steps to choose among the samples (DecodeVI, DecodeBinder); memory
// beside the results does not grow with S.
func Cluster(
	ctx context.Context, net *models.Network, known data.Config, x []float32, n, d int, o Options,
) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := o.checkMemory(n); err != nil {
		return nil, err
	}
	if o.CoClustering && n > MaxCoClustering {
		return nil, usererr.New("leave CoClustering out, or give fewer points",
			"a co-clustering matrix of %d points is too large: the limit is %d", n, MaxCoClustering)
	}
	if o.subsets(n) {
		return (&largeSet{net, known, x, n, d, o}).cluster(ctx)
	}
	return clusterWhole(ctx, net, known, x, n, d, o, o.Samples)
}

// clusterWhole is Cluster of the set as one sequence, with valid options; the network draws as many samples as it is
// told.
func clusterWhole(
	ctx context.Context, net *models.Network, known data.Config, x []float32, n, d int, o Options, draws int,
) (*Result, error) {
	trained := known
	net, known, err := o.withAlpha(net, known)
	if err != nil {
		return nil, err
	}
	refines, err := o.refines(known, n)
	if err != nil {
		return nil, err
	}
	if refines {
		draws = min(draws, startDraws)
	}
	o.Decode = o.resolve(refines || trained.IsTables() && o.Samples > 0)
	p, err := prepare(ctx, net, trained, x, n, d, o.Scale)
	if err != nil {
		return nil, err
	}
	if !refines && n > MaxRefined {
		o.warnUnrefined(p, known)
	}
	o.warnAlpha(p, net, trained, refines)
	if o.Warn != nil {
		for _, warning := range p.warnings {
			o.Warn(warning)
		}
	}
	best, fine, err := o.decoded(ctx, net, known, p, refines, draws)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	r := &Result{
		SchemaVersion: SchemaVersion, Decode: o.Decode, Seed: o.Seed, Labels: best.Labels, LogProb: best.LogProb,
		Center: p.center, ScaleFactor: p.factor, View: p.view, Refinement: fine.Refinement,
	}
	if len(p.widths) > 1 {
		r.ScaleFactors = p.widths
	}
	if err := r.summarize(fine.samples, o); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if refines {
		r.KPosterior = fine.law
	}
	if refines && fine.Joined != nil {
		fine.Joined.Clusters = r.K
	}
	r.KPrior = fine.kPrior(known, n)
	p.warnClusters("the "+p.noun+"s were put into", r.K, known)
	if o.Samples == 0 {
		p.warn("no samples were drawn, so the probabilities are 0 or 1 and say nothing about how sure the model is")
	}
	r.Warnings = p.warnings
	return r, nil
}

// decoded chooses the labels of prepared points, and draws and refines the samples.
func (o Options) decoded(
	ctx context.Context, net *models.Network, known data.Config, p *prepared, refines bool, draws int,
) (best posterior.Sample, fine *refined, err error) {
	sets, err := sampling.EncodeContext(ctx, net, p.widths.scaled(p.x), max(1, len(p.widths)), p.n)
	if err != nil {
		return best, nil, err
	}
	d := newDecoder(sets, o.Seed, p.widths)
	d.points = p.x
	own, err := o.ofTheNetwork(d, draws)
	if err != nil {
		return best, nil, err
	}
	if refines {
		err = d.rank(&own.labels)
		if err == nil {
			fine, err = p.refine(ctx, known, o, own)
		}
		if err != nil {
			return best, nil, fmt.Errorf("refine: %w", err)
		}
		best, err = o.pointEstimate(own, fine)
		return best, fine, err
	}
	fine = &refined{samples: own.samples}
	if best, err = o.pointEstimate(own, fine); err != nil {
		return best, nil, err
	}
	return best, fine, d.rank(&best, own.samples...)
}

// Validate returns nil or all faults of the options, each a *usererr.Error.
func (o Options) Validate() error {
	var faults []error
	if o.Samples < 0 {
		faults = append(faults, usererr.New("use 0 or more", "Samples = %d", o.Samples))
	}
	switch o.decode() {
	case DecodeAuto, DecodeGreedy, DecodeBeam:
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
	_, scale := parseScale(o.Scale)
	_, _, alpha := parseAlpha(o.Alpha)
	return errors.Join(append(faults, scale, alpha, o.checkRefine(), o.checkSubset())...)
}

func (o Options) decode() string { return cmp.Or(o.Decode, DecodeAuto) }

// resolve is the way to choose the point estimate of refined samples, or of the network's.
func (o Options) resolve(refines bool) string {
	switch {
	case o.decode() != DecodeAuto:
		return o.Decode
	case refines:
		return DecodeVI
	}
	return DecodeGreedy
}

// needsNetwork reports whether only a network can do what the options ask for.
func (o Options) needsNetwork() bool {
	sweeps, err := parseRefine(o.Refine)
	return o.ofNetwork() || o.Samples == 0 || err == nil && sweeps < 0
}

// ofNetwork reports whether the labels are the network's own, whatever the samples are.
func (o Options) ofNetwork() bool { return o.Decode == DecodeGreedy || o.Decode == DecodeBeam }

// loss is the loss of the point estimate and its ball: Binder's if it was chosen, else the variation of information.
func (o Options) loss() posterior.Loss {
	if o.Decode == DecodeBinder {
		return posterior.LossBinder
	}
	return posterior.LossVI
}

// own is what the network itself makes of the points: its labels, greedy or those of a beam, and its samples; they
// have no log-probabilities yet.
type own struct {
	labels  posterior.Sample
	samples []posterior.Sample
}

// ofTheNetwork decodes, and draws samples.
func (o Options) ofTheNetwork(d *decoder, draws int) (*own, error) {
	d.Progress = o.Progress
	samples, err := d.sample(draws)
	d.Progress = nil
	if err != nil {
		return nil, err
	}
	sequence := sampling.Sequence{Order: d.order(0)}
	var labels []int32
	if o.Decode == DecodeBeam {
		labels, err = first(finite(d.Beam(sequence, beamWidth)))
	} else {
		labels, err = first(run(d.Sets, []sampling.Sequence{sequence}, sampling.Greedy{}))
	}
	if err != nil {
		return nil, err
	}
	return &own{labels: posterior.Sample{Labels: labels}, samples: samplesOf(samples)}, nil
}

// pointEstimate takes the network's own labels, or chooses among the samples; where they are the network's, its own
// labels are one more candidate.
func (o Options) pointEstimate(own *own, fine *refined) (posterior.Sample, error) {
	if o.ofNetwork() {
		return own.labels, nil
	}
	candidates := slices.Clone(fine.samples)
	if fine.Refinement == nil {
		candidates = append(candidates, own.labels)
	}
	best, _, err := o.loss().PointEstimate(labelsOf(candidates), labelsOf(fine.samples))
	if err != nil {
		return posterior.Sample{}, err
	}
	return candidates[best], nil
}

// SchemaVersion is the version of the JSON that Result and ScoreResult marshal to. It changes when a field is renamed,
// removed or changes its meaning; new fields do not change it.
const SchemaVersion = 1
