// Package clustering clusters a user's points: Table by a Bayesian mixture, Cluster by a trained network. Both say how
// sure they are. Predict says where further points belong. Score returns the probability of given labels. The commands
// `gfncp cluster`, `gfncp predict` and `gfncp score` use this package; other programs use package gfncp.
//
// It knows nothing of files, flags and the training of networks.
//
// # What the numbers mean
//
// Points for a network are centred on their coordinate-wise median and multiplied by one scale factor (see
// Options.Scale); images are not. Each sample reads the points in its own random order, because user files are often
// sorted and the network was trained on shuffled sets. Of large sets a random subset is sampled (see Subset). Results
// are in the order of the input. Distances between clusterings are the variation of information in nats, or Binder's
// loss (Binder 1978) as a fraction of the pairs.
//
// Axis letters: N points, D coordinates, K clusters, S samples, R data orders. Labels are canonical: numbered 0, 1,
// 2, … in order of first appearance in the input. Logarithms are natural.
package clustering

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// Cluster clusters the n points x [n,d], row-major. known describes the network's training sets (the data section of
// the model's config). It determines how the points are prepared, and the warnings. For a model of images x holds
// pixels [n,784] in 0..1, bright on dark. When ctx ends, the decoding stops with its error.
//
// Faults of the points or the options are *usererr.Error, which names an option by its field in Options. Energies that
// are not finite give an error that wraps metrics.ErrNotFinite. Time O((S+1)·N·K) network rows, and O(S²·N) steps to
// choose among the samples.
func Cluster(
	ctx context.Context, net *models.Network, known data.Config, x []float32, n, d int, o Options,
) (*Result, error) {
	if err := cmp.Or(o.check(n), o.checkNetwork()); err != nil {
		return nil, err
	}
	cluster := clusterWhole
	part, err := o.takesPart(n, MaxWhole, networkSubset)
	if err != nil {
		return nil, err
	}
	if part {
		cluster = clusterSubset
	}
	return cluster(ctx, input{net, known, x, n, d}, o)
}

// check returns an error for options that are invalid, or too large for n points.
func (o Options) check(n int) error {
	if err := o.Validate(); err != nil {
		return err
	}
	// A sample takes 4 bytes a point and is held four times: as drawn, among the different ones, and in two copies.
	what := fmt.Sprintf("%s of %s", text.Count(o.Samples, "sample"), text.Count(n, "point"))
	return memory.Demand(16*float64(n)*float64(o.Samples), what, "draw fewer samples")
}

// clusterWhole clusters all points as one sequence. The options have been checked.
func clusterWhole(ctx context.Context, in input, o Options) (*Result, error) {
	p, err := in.prepare(o.Scale)
	if err != nil {
		return nil, err
	}
	partitions, logProbs, err := o.decoded(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	best := partitions[0]
	r := &Result{
		SchemaVersion: SchemaVersion, Decode: DecodeVI, Seed: o.Seed, Labels: best, LogProb: logProbs[0],
		Center: p.center, ScaleFactor: p.factor, KPrior: in.kPrior(),
		Network: &NetworkFit{X: in.x, D: in.d, Labels: slices.Clone(best), Center: p.center, Factor: p.factor},
	}
	r.summarize(partitions[1:], logProbs[1:], o)
	for _, s := range r.Samples { // copies, because callers may change the result
		s.Labels = slices.Clone(s.Labels)
		r.Network.Samples = append(r.Network.Samples, s)
	}
	p.warnClusters("the "+p.noun()+"s were put into", r.K)
	if o.Samples == 0 {
		r.Decode = DecodeGreedy
	}
	p.warnSamples(r, o.Samples)
	r.Warnings = p.warnings
	return r, nil
}

// warnSamples warns of probabilities that say little, and of a number of clusters that few samples have.
func (p *prepared) warnSamples(r *Result, samples int) {
	own, likely := 0.0, likeliest(r.KPosterior)
	for _, k := range r.KPosterior {
		if k.K == r.K {
			own = k.P
		}
	}
	few := samples < 10
	p.warn(few, "%s: the probabilities say little about how sure the model is", text.Count(samples, "sample"))
	p.warn(!few && 2*own < likely.P, "few samples have as many clusters as the labels, and most often they have %d: "+
		"the labels are the partition that is nearest to all samples", likely.K)
}

// decoded returns partitions of prepared points, with their log-probabilities: the point estimate, then the samples.
func (o Options) decoded(ctx context.Context, p *prepared) (partitions [][]int32, logProbs []float64, err error) {
	d, err := p.decoder(ctx, o.Seed, "cluster/order")
	if err != nil {
		return nil, nil, err
	}
	d.Progress = o.progress(p.noun() + "s placed in the samples")
	drawn, err := d.sample(o.Samples, max(1, drawnCells/p.n))
	d.Progress = nil
	if err != nil {
		return nil, nil, err
	}
	greedy, err := finite(d.Run([]sampling.Sequence{{Order: d.order(0)}}, sampling.Greedy()))
	if err != nil {
		return nil, nil, err
	}
	best, _ := metrics.Canonical(greedy.Labels[0])
	if o.Samples > 0 {
		candidates := append(slices.Clone(drawn), best)
		at, _ := posterior.LossVI.PointEstimate(candidates, drawn)
		best = smooth(candidates[at], drawn)
	}
	partitions = append([][]int32{best}, drawn...)
	logProbs, err = d.logProbs(partitions)
	return partitions, logProbs, err
}

// smooth moves each point of an estimate to the cluster in which most samples put it. It returns the estimate itself if
// that raises the expected variation of information. Clusters may vanish.
func smooth(labels []int32, samples [][]int32) []int32 {
	better, _ := metrics.Canonical(posterior.Smooth(labels, samples))
	if posterior.LossVI.Expected(better, samples) > posterior.LossVI.Expected(labels, samples) {
		return labels
	}
	return better
}
