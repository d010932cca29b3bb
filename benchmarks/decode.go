package benchmarks

import (
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// decodeWorks are point estimates of batches, encoding included: greedy decoding for the energy networks.
func (s Suite) decodeWorks() []work {
	return s.onBatches(s.Sizes.Batches, func(model string, shape Shape) []work {
		name := "greedy " + model
		if (train.Config{Model: model}).IsPeer() {
			name = "cluster " + model
		}
		return []work{s.decode("decode", name, model, shape)}
	})
}

func (s Suite) decode(group, name, model string, shape Shape) work {
	return work{Result: shape.result(group, name, model), open: func(r *Result) (func() error, error) {
		m, weights, err := s.Find(model)
		if err != nil {
			return nil, err
		}
		r.Weights = weights
		batch, err := shape.batch()
		if err != nil {
			return nil, err
		}
		clusterer, err := m.Clusterer(s.Backend)
		return func() error {
			labels, err := clusterer.Cluster(rng(), batch.X, batch.B, batch.N)
			r.Found = meanClusters(labels)
			return err
		}, err
	}}
}

// meanClusters is the mean number of clusters of labels that are numbered from 0.
func meanClusters(sets [][]int32) float64 {
	total := 0.0
	for _, labels := range sets {
		total += float64(slices.Max(labels)) + 1
	}
	return total / float64(max(1, len(sets)))
}

// mostCandidates bounds N·(K+1) of one set: 10⁶ points with 6 clusters, 10⁵ with 50.
const mostCandidates = 10_000_000

// oneSetWorks are single sets, along the true labels and greedily. The true labels give a number of candidates that
// does not depend on the model's mistakes, so that the times of two sizes compare. The largest sets take minutes: from
// 10⁶ points on they are decoded greedily alone, and those of 10⁵ with many clusters along their labels alone.
func (s Suite) oneSetWorks() (works []work) {
	given := func(b *data.Batch) sampling.Policy { return &sampling.Given{Labels: [][]int32{b.Labels}} }
	for _, clusters := range s.Sizes.Clusters {
		for _, points := range s.Sizes.Large {
			if points < clusters || points*(clusters+1) > mostCandidates {
				continue
			}
			shape := Shape{1, points, clusters}
			if points < 10*timedOnce {
				works = append(works, s.sequences("one-set", "one set", shape, 1, given))
			}
			if points < timedOnce || clusters < 10 {
				works = append(works, s.sequences("one-set", "one set greedy", shape, 1, greedy))
			}
		}
	}
	return works
}

// throughputWorks are many small sets: decoded greedily, and sampled from many times each.
func (s Suite) throughputWorks() []work {
	many := s.sequences("throughput", "many sets greedy", s.Sizes.Many, 1, greedy)
	sampled := s.sequences("throughput", "many sets sampled", s.Sizes.Sampled, s.Sizes.Samples,
		func(b *data.Batch) sampling.Policy {
			return sampling.NewAncestral(rng(), b.B*s.Sizes.Samples, b.N)
		})
	many.Samples, sampled.Samples = 1, s.Sizes.Samples
	return []work{many, sampled}
}

func greedy(*data.Batch) sampling.Policy { return sampling.Greedy{} }

// warmPoints is the length of the beginning of a large set on which its decoding is warmed up.
const warmPoints = 2048

// sequences is one work of GFNCP's decoding of samples sequences a set, under a policy.
func (s Suite) sequences(group, name string, shape Shape, samples int, policy func(*data.Batch) sampling.Policy) work {
	return work{Result: shape.result(group, name, train.GFNCP), open: func(r *Result) (func() error, error) {
		m, weights, err := s.Find(train.GFNCP)
		if err != nil {
			return nil, err
		}
		net, err := models.NewNetwork(s.Backend, m.Config.Net, m.Params)
		if err != nil {
			return nil, err
		}
		batch, err := shape.batch()
		if err != nil {
			return nil, err
		}
		r.Weights = weights
		next := *batch
		if batch.B == 1 {
			r.DataBytes = uint64(4 * (len(batch.X) + len(batch.Labels)))
			next.N = min(batch.N, warmPoints)
			next.X, next.Labels = batch.X[:next.N*batch.D], batch.Labels[:next.N]
		}
		return func() error {
			result, err := run(net, &next, samples, policy(&next))
			if err == nil {
				r.Found, next = meanClusters(result.Labels), *batch
			}
			return err
		}, nil
	}}
}

func run(net *models.Network, batch *data.Batch, samples int, policy sampling.Policy) (*sampling.Result, error) {
	sets, err := sampling.Encode(net, batch.X, batch.B, batch.N)
	if err != nil {
		return nil, err
	}
	var sequences []sampling.Sequence
	for set := range batch.B {
		sequences = append(sequences, slices.Repeat([]sampling.Sequence{{Set: set}}, samples)...)
	}
	return sets.Run(sequences, policy)
}
