package clustering

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// MaxRefined is the most points that Refine = "auto" refines.
const MaxRefined = 5000

const (
	refineChains  = 4
	startDraws    = 25  // most samples of the network that chains start from
	firstSweeps   = 250 // of automatic refinement; each round has twice as many as the one before
	wantedSize    = 800 // effective draws of K and of the log-posterior that end it
	sweepWork     = 1e8 // most sweeps × N × K of all chains together, some seconds of one core
	fewestSweeps  = 10  // of Refine = SWEEPS
	widthShape    = 2   // prior of the unknown width (posterior.Frame): 0.40 on the log scale around the factor found
	fitReplicates = 1000
	misfitBelow   = 0.01 // p-value of all departures together
	otherWidth    = 1.5  // ratio of the refined width to the network's that is worth a warning
)

// Refinement says how a result was refined: by chains on the exact posterior of the mixture that the model was
// trained on, with α unknown in the range of the training, the points' origin unknown, and, with Scale = "auto",
// their scale unknown around the factor found; for a model of tables on that of Exact, if Options.Refine is a number.
// They start at samples of the network. Labels, probabilities, P(K) and all else of the Result are theirs then; the
// log-probabilities are log p(c, x) of that mixture.
type Refinement struct {
	Chains int `json:"chains"`
	BurnIn int `json:"burn_in"` // sweeps of a chain before the first that counts
	Sweeps int `json:"sweeps"`  // sweeps of a chain that count
	// RHatK and RHatLogPosterior are the potential scale reductions of K and of the log-posterior over the chains, 1 if
	// they agree; nil if they stay at different values. ESSK and ESSLogPosterior are effective sample sizes.
	RHatK            *float64 `json:"r_hat_k"`
	RHatLogPosterior *float64 `json:"r_hat_log_posterior"`
	ESSK             float64  `json:"ess_k"`
	ESSLogPosterior  float64  `json:"ess_log_posterior"`
	// ScaleFactor is the posterior of the scale factor, the one at which the clusters have the training's width; nil if
	// Options.Scale fixes it.
	ScaleFactor *Interval `json:"scale_factor,omitempty"`
	// Fit are p-values of round clusters of one width; nil if the law is another.
	Fit *posterior.Misfit `json:"fit,omitempty"`
	// Gaussian are p-values of clusters that are Gaussians of any shape, which Exact looks at; nil for other laws.
	Gaussian *posterior.GaussianFit `json:"gaussian,omitempty"`
	// VIBetween and VIWithin are mean distances in nats (variation of information) of samples of different chains, and
	// of one chain, after joining; nil but for Exact.
	VIBetween *float64 `json:"vi_between,omitempty"`
	VIWithin  *float64 `json:"vi_within,omitempty"`
	// Joined says what Exact joined pieces to; nil if nothing.
	Joined *Joined `json:"joined,omitempty"`
	// Network are the network's own numbers, which a Result without refinement has at its place, over 25 samples at
	// most; nil without one.
	Network *NetworkResult `json:"network,omitempty"`
}

// Interval is a posterior mean with the central 95 % interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// NetworkResult is what the network alone makes of the points: greedy labels [N], and P(K) over its samples; see
// Result. Without refinement a Result of as many samples has all of it.
type NetworkResult struct {
	Labels     []int32           `json:"labels"`
	K          int               `json:"k"`
	LogProb    float64           `json:"log_prob"`
	KPosterior []posterior.KProb `json:"k_posterior"`
}

// kPrior is P(K) of n points before they are seen, as far as it is known.
func (r *refined) kPrior(known data.Config, n int) (law []posterior.KProb) {
	switch {
	case r.prior != nil:
		return r.prior
	case known.IsTables():
		return tablesPrior(known, n)
	case known.FixedK == 0:
		law, _ = priorOf(known).KLaw(n) // none where the range of K asks for more points
	}
	return law
}

// parseRefine returns the sweeps of a chain that Options.Refine fixes, 0 for "auto", −1 for "none".
func parseRefine(refine string) (int, error) {
	switch refine {
	case "", "auto":
		return 0, nil
	case "none":
		return -1, nil
	}
	sweeps, err := strconv.Atoi(refine)
	if err != nil || sweeps < fewestSweeps {
		return 0, usererr.New(fmt.Sprintf("use auto, none, or a number of sweeps of at least %d", fewestSweeps),
			"Refine = %q", refine)
	}
	return sweeps, nil
}

// checkRefine returns the fault of a refinement that is asked for but impossible.
func (o Options) checkRefine() error {
	sweeps, err := parseRefine(o.Refine)
	switch {
	case err != nil:
		return err
	case sweeps > 0 && o.Samples == 0:
		return usererr.New("raise Samples", "Refine = %s needs samples, but there are 0", o.Refine)
	case sweeps > 0 && o.ofNetwork():
		return usererr.New("use vi or binder, or leave Refine out",
			"Decode = %s is the network's, not that of refined samples", o.Decode)
	}
	return nil
}

// refines reports whether n points are refined, by a model that was trained on sets of the given range.
func (o Options) refines(known data.Config, n int) (bool, error) {
	sweeps, err := parseRefine(o.Refine)
	exact := known.IsMixture() && known.Mode == data.ModeGenerative &&
		!known.Balanced && known.Separation == 0 && known.SigmaMu > 0
	switch {
	case err != nil || sweeps < 0:
		return false, err
	case sweeps > 0 && !exact && !known.IsTables():
		return false, usererr.New("leave it out",
			"Refine = %s needs a model of Gaussian mixtures or of tables: for others no posterior is known", o.Refine)
	case sweeps > 0:
		return true, nil
	}
	return exact && n <= MaxRefined && o.Samples > 0 && !o.ofNetwork(), nil
}

// warnUnrefined says that there are too many points for automatic refinement, if that is why there is none.
func (o Options) warnUnrefined(p *prepared, known data.Config) {
	if would, _ := o.refines(known, MaxRefined); would {
		p.warn("the probabilities are the network's own: %d points are more than the %d that are refined by themselves",
			p.n, MaxRefined)
	}
}

// refined is a set's refinement with its samples.
type refined struct {
	*Refinement
	samples []posterior.Sample
	law     []posterior.KProb
	prior   []posterior.KProb // P(K) before the points are seen; nil if it is the network's
}

// refine runs the chains from the network's samples on, and sets the network's own numbers aside.
func (p *prepared) refine(ctx context.Context, known data.Config, o Options, own *own) (*refined, error) {
	if known.IsTables() {
		return p.refineTable(ctx, o, own)
	}
	return p.refineMixture(ctx, known, o, own)
}

// refineMixture is refine of the points of a mixture, as the network got them.
func (p *prepared) refineMixture(ctx context.Context, known data.Config, o Options, own *own) (*refined, error) {
	model := likelihoodOf(known)
	t := target{
		likelihood: model, prior: priorOf(known), frame: posterior.Frame{Centred: true}, cost: 1,
		x: data.Float64s(p.x), stream: "cluster/refine",
	}
	if factor, _ := parseScale(o.Scale); factor == 0 { // Validate saw its faults
		t.frame.Shape = widthShape
	}
	draws, r, err := t.sample(ctx, o, own.samples)
	if err != nil {
		return nil, err
	}
	if t.frame.Shape > 0 {
		r.ScaleFactor = newInterval(p.factor, slices.Concat(draws.Factor...))
	}
	rng := data.Rand(o.Seed, "cluster/fit", 0)
	fit, err := model.CheckFit(rng, t.x, labelsOf(draws.Samples), fitReplicates)
	if err != nil {
		return nil, err
	}
	network := newNetworkResult(own)
	r.Fit, r.Network = &fit, &network
	p.warnRefined(r)
	return &refined{Refinement: r, samples: draws.Samples, law: draws.KPosterior()}, nil
}

// priorOf is the prior of the partition that sets of the training have.
func priorOf(known data.Config) posterior.CRP {
	if known.FixedK > 0 {
		return posterior.CRP{Alpha: 1, MinK: known.FixedK, MaxK: known.FixedK}
	}
	return posterior.CRP{Alpha: known.AlphaMin, AlphaMax: known.AlphaMax, MinK: known.MinK, MaxK: known.MaxK}
}

// likelihoodOf is the law of the points of a set of the training given its partition.
func likelihoodOf(known data.Config) posterior.Gaussian {
	return posterior.Gaussian{Dim: known.Dim, Tau: known.SigmaMu, Sigma: known.SigmaX}
}

func newInterval(unit float64, values []float64) *Interval {
	slices.Sort(values)
	return &Interval{
		Mean: unit * floats.Sum(values) / float64(len(values)),
		Low:  unit * quantile(0.025, values), High: unit * quantile(0.975, values),
	}
}

// Chains whose numbers differ may yet agree on the clusters: then samples of different chains are not much farther from
// each other than those of one chain, and the latter are not so far that this tells nothing. Both were chosen on sets
// of no table of results (docs/tables.md).
const (
	mostApart  = 0.1 // nats
	mostSpread = 2   // nats
)

// Agrees reports whether the chains agree on K and on the log-posterior, both R-hats being below posterior.Agreed, or
// on the clusters: VIBetween is at most 0.1 nats above VIWithin, which is at most 2.
func (r *Refinement) Agrees() bool {
	if r.VIWithin != nil && *r.VIWithin <= mostSpread && *r.VIBetween-*r.VIWithin <= mostApart {
		return true
	}
	return r.RHatK != nil && r.RHatLogPosterior != nil && max(*r.RHatK, *r.RHatLogPosterior) < posterior.Agreed
}

func (p *prepared) warnRefined(r *Refinement) {
	if !r.Agrees() {
		p.warn("the %d chains of the refinement do not agree yet: raise its sweeps", r.Chains)
	}
	if s := r.ScaleFactor; s != nil && math.Abs(math.Log(s.Mean/p.factor)) > math.Log(otherWidth) {
		p.warn("the refined scale factor is %.3g, but the network's own numbers suppose %.3g", s.Mean, p.factor)
	}
	if fit := r.Fit; fit != nil && fit.Any() < misfitBelow {
		p.warn("round clusters of one width do not describe the points (p < %g): the clusters %s", misfitBelow,
			roundDeparture(fit))
	}
}

// roundDeparture is what clusters do that round ones of one width do not.
func roundDeparture(fit *posterior.Misfit) string {
	switch min(fit.Widths, fit.Roundness, fit.Tails, fit.Alignment) {
	case fit.Alignment:
		return "lie in rows, as pieces of longer ones"
	case fit.Widths:
		return "differ in width"
	case fit.Tails:
		return "are not Gaussian"
	}
	return "are longer than wide"
}

// newNetworkResult sets aside the network's own numbers.
func newNetworkResult(own *own) NetworkResult {
	return NetworkResult{
		Labels: own.labels.Labels, K: metrics.Clusters(own.labels.Labels), LogProb: own.labels.LogProb,
		KPosterior: posterior.KPosterior(labelsOf(own.samples)),
	}
}
