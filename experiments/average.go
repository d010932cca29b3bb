package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// averageOf is the number of most probable samples over which the average score is taken (appendix sec:average_score).
const averageOf = 100

// averageSamples is the number of samples drawn of a set.
func (s Scale) averageSamples() int {
	return map[Scale]int{Smoke: 120, Small: 200, Paper: 500}[s]
}

// averageTest is where the average score is taken: fewer sets than for greedy decoding, because each is sampled many times.
func (s Scale) averageTest(d dataset) Test {
	t := s.test(d, 0)
	switch {
	case s == Smoke:
		t.Sets = 2
	case s == Small && d.Features:
		t.Sets = 40
	case s == Small:
		t.Sets = 12
	}
	return t
}

// averageKey names a measurement of the average score.
type averageKey struct {
	Test    Test `json:"test"`
	Samples int  `json:"samples"`
}

// averageQuality holds means over sets: of the average score, and of greedy decoding.
type averageQuality struct {
	Sets      int     `json:"sets"`
	NMI       float64 `json:"nmi"`
	ARI       float64 `json:"ari"`
	GreedyNMI float64 `json:"greedy_nmi"`
	GreedyARI float64 `json:"greedy_ari"`
}

// averageScore measures a network on the first sets of a source. Cancelling ctx ends it between two sets.
func averageScore(ctx context.Context, net *models.Network, source data.Source, key averageKey) (q averageQuality, err error) {
	r, err := newReader(net, source)
	if err != nil {
		return q, fmt.Errorf("average score: %w", err)
	}
	for step := 0; q.Sets < key.Test.Sets; step++ {
		batch, err := r.batch(key.Test.Seed, step, key.Test.Sets-q.Sets)
		if err != nil {
			return q, fmt.Errorf("average score: %w", err)
		}
		encoded, err := sampling.Embedded(net, batch.h, batch.u, batch.B, batch.N)
		if err != nil {
			return q, fmt.Errorf("average score: %w", err)
		}
		for b := range batch.B {
			if ctx.Err() != nil {
				return q, train.ErrInterrupted
			}
			truth := batch.Labels[b*batch.N : (b+1)*batch.N]
			rng := data.Rand(key.Test.Seed, "average", step*batch.B+b)
			if err := q.addSet(encoded, b, truth, sampling.NewAncestral(rng, key.Samples, batch.N), key.Samples); err != nil {
				return q, fmt.Errorf("average score of set %d: %w", q.Sets, err)
			}
		}
	}
	for _, v := range []*float64{&q.NMI, &q.ARI, &q.GreedyNMI, &q.GreedyARI} {
		*v /= float64(q.Sets)
	}
	return q, nil
}

// addSet adds the scores of one set.
func (q *averageQuality) addSet(sets *sampling.Sets, set int, truth []int32, policy sampling.Policy, samples int) error {
	sequences := make([]sampling.Sequence, samples)
	for i := range sequences {
		sequences[i].Set = set
	}
	drawn, err := sets.Run(sequences, policy)
	if err != nil {
		return err
	}
	best := descending(drawn.LogProb)
	best = best[:min(averageOf, len(best))]
	for _, i := range best {
		nmi, ari, err := agreement(truth, drawn.Labels[i])
		if err != nil {
			return err
		}
		q.NMI += nmi / float64(len(best))
		q.ARI += ari / float64(len(best))
	}
	greedy, err := sets.Run(sequences[:1], sampling.Greedy{})
	if err != nil {
		return err
	}
	nmi, ari, err := agreement(truth, greedy.Labels[0])
	q.GreedyNMI += nmi
	q.GreedyARI += ari
	q.Sets++
	return err
}

// agreement is NMI and ARI of found labels with the true ones.
func agreement(truth, found []int32) (nmi, ari float64, err error) {
	if nmi, err = metrics.NMI(truth, found); err != nil {
		return 0, 0, err
	}
	ari, err = metrics.ARI(truth, found)
	return nmi, ari, err
}
