package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// Guarantees measures the properties in the paper's table 1 for a model, on mixtures of Gaussians.
type Guarantees struct {
	Backend compute.Backend
	Model   *train.Model
	Sets    int    // sets for each property
	FixedK  int    // K, if the model must be given it; 0 if it finds K
	Seed    uint64 // of the sets and of all random choices
}

// ErrNotOffered marks a property that cannot be measured, because the model offers no samples or probabilities.
var ErrNotOffered = errors.New("not offered")

// each calls visit with the model, on the backend, for test sets of so many points.
func (g Guarantees) each(
	ctx context.Context, points, fixedK, sets int, visit func(c peers.Clusterer, set Set) error,
) error {
	clusterer, err := g.Model.Clusterer(g.Backend)
	if err != nil {
		return err
	}
	source, err := data.NewMoG(data.DefaultMoG().HeldOut(2, points, fixedK))
	if err != nil {
		return err
	}
	r := &Reader{Source: source}
	return r.Each(ctx, g.Seed, sets, func(set Set) error { return visit(clusterer, set) })
}

const invarianceOrders = 10

// Invariance is the share of sets whose point estimate is the same partition in ten orders.
func (g Guarantees) Invariance(ctx context.Context) (float64, error) {
	points := 20
	if g.FixedK > 0 {
		points = 60
	}
	same := 0
	err := g.each(ctx, points, g.FixedK, g.Sets, func(c peers.Clusterer, set Set) error {
		var all []float32
		var orders [][]int
		for i := range invarianceOrders {
			order := data.Rand(g.Seed, fmt.Sprintf("table1/order/%d", i), set.Number).Perm(points)
			orders = append(orders, order)
			for _, at := range order {
				all = append(all, set.X[at*set.D:(at+1)*set.D]...)
			}
		}
		found, err := c.Cluster(data.Rand(g.Seed, "table1/cluster", set.Number), all, invarianceOrders, points)
		if err != nil {
			return err
		}
		clusterings := make([][]int32, len(orders))
		for i, order := range orders {
			clusterings[i] = make([]int32, points)
			for step, at := range order {
				clusterings[i][at] = found[i][step]
			}
		}
		if len(posterior.Collapse(clusterings, nil)) == 1 {
			same++
		}
		return nil
	})
	return float64(same) / float64(g.Sets), err
}

// Components is the mean number of clusters found in sets of 200 points in 40 clusters.
func (g Guarantees) Components(ctx context.Context) (float64, error) {
	total := 0
	sets := min(g.Sets, 20)
	err := g.each(ctx, 200, 40, sets, func(c peers.Clusterer, set Set) error {
		found, err := c.Cluster(data.Rand(g.Seed, "table1/components", set.Number), set.X, 1, set.N)
		if err != nil {
			return err
		}
		total += metrics.Clusters(found[0])
		return nil
	})
	return float64(total) / float64(sets), err
}

// Supervision is the relative change of the model's own loss when the labels of a batch are mixed up.
func (g Guarantees) Supervision(context.Context) (float64, error) {
	trainer, err := train.Open(g.Backend, sources.Source, g.Model.Config, g.Model.Params)
	if err != nil {
		return 0, err
	}
	source, err := data.NewMoG(g.Model.Config.Data.HeldOut(2, 60, g.FixedK))
	if err != nil {
		return 0, err
	}
	batch, err := source.Batch(g.Seed, 0)
	if err != nil {
		return 0, err
	}
	loss, err := trainer.Loss(batch)
	if err != nil {
		return 0, err
	}
	mixed, err := trainer.Loss(g.mixedUp(batch))
	return math.Abs(mixed-loss) / max(math.Abs(loss), 1e-9), err
}

func (g Guarantees) mixedUp(batch *data.Batch) *data.Batch {
	mixed := *batch
	mixed.Labels = nil
	for b := range batch.B {
		_, labels := batch.Set(b)
		shuffled := slices.Clone(labels)
		data.Rand(g.Seed, "table1/mixed", b).Shuffle(len(shuffled), func(i, k int) {
			shuffled[i], shuffled[k] = shuffled[k], shuffled[i]
		})
		shuffled, _ = metrics.Canonical(shuffled)
		mixed.Labels = append(mixed.Labels, shuffled...)
	}
	return &mixed
}

func (g Guarantees) logProbs(c peers.Clusterer, call int, set Set) ([]float64, error) {
	sampler, ok := c.(peers.Sampler)
	if !ok {
		return nil, ErrNotOffered
	}
	parts := posterior.Partitions(set.N)
	copies, labels := slices.Repeat(set.X, len(parts)), slices.Concat(parts...)
	return sampler.LogProb(data.Rand(g.Seed, "table1/probability", call), copies, labels, len(parts), set.N)
}

// Probability is the largest deviation on sets of 6 points of Σ p from one, or of p between calls; or ErrNotOffered.
func (g Guarantees) Probability(ctx context.Context) (worst float64, err error) {
	err = g.each(ctx, 6, 0, 5, func(c peers.Clusterer, set Set) error {
		first, err := g.logProbs(c, 2*set.Number, set)
		if err != nil {
			return err
		}
		second, err := g.logProbs(c, 2*set.Number+1, set)
		if err != nil {
			return err
		}
		var sum float64
		for i := range first {
			a, b := math.Exp(first[i]), math.Exp(second[i])
			sum += a
			worst = max(worst, math.Abs(a-b))
		}
		worst = max(worst, math.Abs(sum-1))
		return nil
	})
	return worst, err
}

// Posterior is the mean total variation, on sets of 4 points, of 4,000 samples and probabilities; or ErrNotOffered.
func (g Guarantees) Posterior(ctx context.Context) (float64, error) {
	const sets, samples = 5, 4000
	var total float64
	err := g.each(ctx, 4, 0, sets, func(c peers.Clusterer, set Set) error {
		logProbs, err := g.logProbs(c, set.Number, set)
		if err != nil {
			return err
		}
		rng := data.Rand(g.Seed, "table1/samples", set.Number)
		drawn, err := c.(peers.Sampler).Sample(rng, slices.Repeat(set.X, samples), samples, set.N)
		if err != nil {
			return err
		}
		seen, parts := make([]float64, len(logProbs)), posterior.Partitions(set.N)
		for _, labels := range drawn {
			seen[posterior.PartitionIndex(parts, labels)]++
		}
		for i, log := range logProbs {
			total += math.Abs(math.Exp(log)-seen[i]/samples) / 2
		}
		return nil
	})
	return total / sets, err
}
