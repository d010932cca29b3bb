package benchmarks

import (
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// decodeWorks are point estimates of batches, encoding included: greedy decoding for the energy networks.
func (s Suite) decodeWorks() ([]work, error) {
	var works []work
	for _, model := range s.Sizes.Models {
		for _, shape := range s.Sizes.Batches {
			name := "greedy " + model
			if (train.Config{Model: model}).IsPeer() {
				name = "cluster " + model
			}
			works = append(works, work{Result: shape.result("decode", name, model), run: func(r *Result) error {
				call, err := s.decoder(r, shape)
				if err != nil {
					return err
				}
				return s.time(r, call, call)
			}})
		}
	}
	return works, nil
}

// decoder opens the model that r names and returns the decoding of a batch; the clusters found are noted in r.
func (s Suite) decoder(r *Result, shape Shape) (func() error, error) {
	m, name, err := s.Find(r.Model)
	if err != nil {
		return nil, err
	}
	r.Weights = name
	batch, err := shape.batch()
	if err != nil {
		return nil, err
	}
	clusterer, err := m.Clusterer(s.Backend)
	if err != nil {
		return nil, err
	}
	return func() error {
		labels, err := clusterer.Cluster(rng(), batch.X, batch.B, batch.N)
		r.Found = meanClusters(labels)
		return err
	}, nil
}

// meanClusters is the mean number of clusters of labels that are numbered from 0.
func meanClusters(sets [][]int32) float64 {
	total := 0.0
	for _, labels := range sets {
		total += float64(slices.Max(labels)) + 1
	}
	return total / float64(max(1, len(sets)))
}

// network puts the energy network that GFNCP decodes with on the backend.
func (s Suite) network() (*models.Network, string, error) {
	m, name, err := s.Find(train.GFNCP)
	if err != nil {
		return nil, "", err
	}
	net, err := models.NewNetwork(s.Backend, m.Config.Net, m.Params)
	return net, name, err
}

// mostCandidates bounds N·(K+1) of one set: 10⁶ points with 6 clusters, 10⁵ with 50.
const mostCandidates = 10_000_000

// oneSetWorks are single sets, along the true labels and greedily. The true labels give a number of candidates that
// does not depend on the model's mistakes, so that the times of two sizes compare. The largest sets take minutes: from
// 10⁶ points on they are decoded greedily alone, and those of 10⁵ with many clusters along their labels alone.
func (s Suite) oneSetWorks() ([]work, error) {
	given := func(b *data.Batch) sampling.Policy { return &sampling.Given{Labels: [][]int32{b.Labels}} }
	greedy := func(*data.Batch) sampling.Policy { return sampling.Greedy{} }
	var works []work
	for _, clusters := range s.Sizes.Clusters {
		for _, points := range s.Sizes.Large {
			if points < clusters || points*(clusters+1) > mostCandidates {
				continue
			}
			shape := Shape{1, points, clusters}
			if points < 10*timedOnce {
				works = append(works, s.oneSet(shape, "one set", given))
			}
			if points < timedOnce || clusters < 10 {
				works = append(works, s.oneSet(shape, "one set greedy", greedy))
			}
		}
	}
	return works, nil
}

// warmPoints is the length of the beginning of a large set on which its decoding is warmed up.
const warmPoints = 2048

func (s Suite) oneSet(shape Shape, name string, policy func(*data.Batch) sampling.Policy) work {
	return work{Result: shape.result("one-set", name, train.GFNCP), run: func(r *Result) error {
		net, weights, err := s.network()
		if err != nil {
			return err
		}
		batch, err := shape.batch()
		if err != nil {
			return err
		}
		r.Weights = weights
		r.DataBytes = uint64(4 * (len(batch.X) + len(batch.Labels)))
		decode := func(b *data.Batch) error {
			result, err := run(net, b, 1, policy(b))
			if err == nil {
				r.Found = meanClusters(result.Labels)
			}
			return err
		}
		first := *batch
		first.N = min(batch.N, warmPoints)
		first.X, first.Labels = batch.X[:first.N*batch.D], batch.Labels[:first.N]
		return s.time(r, func() error { return decode(&first) }, func() error { return decode(batch) })
	}}
}

// run encodes a batch and decodes it, samples sequences a set.
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

// throughputWorks are many small sets: decoded greedily, and sampled from many times each.
func (s Suite) throughputWorks() ([]work, error) {
	return []work{
		s.throughput(s.Sizes.Many, "many sets greedy", 1, func(int) sampling.Policy { return sampling.Greedy{} }),
		s.throughput(s.Sizes.Sampled, "many sets sampled", s.Sizes.Samples, func(sequences int) sampling.Policy {
			return sampling.NewAncestral(rng(), sequences, s.Sizes.Sampled.Points)
		}),
	}, nil
}

func (s Suite) throughput(shape Shape, name string, samples int, policy func(sequences int) sampling.Policy) work {
	w := work{Result: shape.result("throughput", name, train.GFNCP)}
	w.Samples = samples
	w.run = func(r *Result) error {
		net, weights, err := s.network()
		if err != nil {
			return err
		}
		batch, err := shape.batch()
		if err != nil {
			return err
		}
		r.Weights = weights
		call := func() error {
			result, err := run(net, batch, samples, policy(batch.B*samples))
			if err == nil {
				r.Found = meanClusters(result.Labels)
			}
			return err
		}
		return s.time(r, call, call)
	}
	return w
}
