package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/gfncp/gfncp/clustering"
	tables "github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/research/tables/tablesets"
	"github.com/gfncp/gfncp/train"
)

// ownAnswer is what a method of ours makes of a set.
type ownAnswer struct {
	Labels    []int32                  `json:"labels"`
	Seconds   float64                  `json:"seconds"`             // of the processor
	Bins      []metrics.ReliabilityBin `json:"bins"`                // of the probabilities that two points are together
	LogProb   *float64                 `json:"log_p,omitempty"`     // a network's log p of the given labels, a point
	Unsettled bool                     `json:"unsettled,omitempty"` // whether the chains do not agree
}

// ownNumbers are what only a method with probabilities has; NaN if it does not.
var ownNumbers = []number[[]*ownAnswer]{
	{"ECE", func(all []*ownAnswer) float64 { return metrics.ECE(pooled(all)) }},
	{"log p a point", func(all []*ownAnswer) float64 {
		var each []float64
		for _, a := range all {
			if a.LogProb != nil {
				each = append(each, *a.LogProb)
			}
		}
		mean, _ := metrics.Summary(each)
		return mean
	}},
}

// networkScores clusters those sets that the network of -model takes.
func (s *sheet) networkScores(sets []tablesets.Set) scores {
	m := s.network
	return s.ownScores(m.Card.Name, sets, func(set tablesets.Set) (ownAnswer, error) {
		if !takes(m, set) {
			return ownAnswer{}, errNotComputed
		}
		return s.networkAnswer(m, set)
	})
}

// ownScores scores a method of ours on each set. Sets whose answer is errNotComputed have no score.
func (s *sheet) ownScores(
	name string, sets []tablesets.Set, answer func(set tablesets.Set) (ownAnswer, error),
) scores {
	v := scores{name: name, of: make([]*score, len(sets)), err: errNotComputed}
	for i, set := range sets {
		a, err := answer(set)
		if errors.Is(err, errNotComputed) {
			continue
		}
		if err == nil {
			v.of[i], err = scoreLabels(set.Labels, a.Labels)
			v.of[i].Seconds, v.of[i].own = a.Seconds, &a
		}
		if v.err = err; err != nil {
			v.err = fmt.Errorf("%s on %s: %w", name, set.Name, err)
			s.failed = errors.Join(s.failed, v.err)
			return v
		}
	}
	return v
}

// takes reports whether a model is one of tables, or of vectors with as many coordinates as the set has columns.
func takes(m *train.Model, set tablesets.Set) bool {
	if m.Config.Data.IsTables() {
		return set.D <= clustering.MostColumns
	}
	return !m.Config.IsPeer() && m.Config.Net.Encoder == models.EncoderMLP && m.Config.Net.Dim == set.D
}

// networkAnswer clusters a set as `gfncp cluster` does, or returns what an earlier call kept.
func (s *sheet) networkAnswer(m *train.Model, set tablesets.Set) (ownAnswer, error) {
	o := clustering.DefaultOptions()
	o.CoClustering = true
	if set.Scaled {
		o.Scale = 1
	}
	key := []any{"own", weightsHash(m), fmt.Sprintf("%+v", o), set}
	return cached.Value(s.dir, key, func() (ownAnswer, error) {
		s.say("%s: %s", m.Card.Name, set.Name)
		return clusterByNetwork(s, m, set, o)
	})
}

func clusterByNetwork(s *sheet, m *train.Model, set tablesets.Set, o clustering.Options) (a ownAnswer, err error) {
	net, err := m.Network(s.backend)
	if err != nil {
		return a, err
	}
	x := make([]float32, len(set.X))
	for i, v := range set.X {
		x[i] = float32(v)
	}
	start := cputime.Process()
	r, err := clustering.Cluster(s.ctx, net, m.Config.Data, x, set.N(), set.D, o)
	if err != nil {
		return a, err
	}
	a.Labels, a.Seconds = r.Labels, cputime.Process()-start
	if a.Bins, err = reliabilityOf(r.CoClustering, set.Labels); err != nil {
		return a, err
	}
	score := clustering.DefaultOptions()
	score.Orders, score.Scale = 4, o.Scale
	scored, err := clustering.Score(s.ctx, net, m.Config.Data, x, set.N(), set.D, set.Labels, score)
	if err != nil {
		return a, err
	}
	mean, _ := metrics.Summary(scored.LogProb)
	a.LogProb = new(mean / float64(set.N()))
	return a, nil
}

// reliabilityOf sorts the pairs of points by their probability [N][N] of being together.
func reliabilityOf(together [][]float64, labels []int32) ([]metrics.ReliabilityBin, error) {
	var predicted []float64
	var truth []bool
	for i, row := range together {
		for j := range i {
			predicted, truth = append(predicted, row[j]), append(truth, labels[i] == labels[j])
		}
	}
	return metrics.Reliability(predicted, truth, 10)
}

// pooled are the bins of all sets together: every set counts the same, as its pairs share a weight of 1.
func pooled(all []*ownAnswer) (bins []metrics.ReliabilityBin) {
	at := map[float64]int{}
	for _, a := range all {
		total := 0.0
		for _, b := range a.Bins {
			total += b.Weight
		}
		for _, b := range a.Bins {
			i, known := at[b.Low]
			if !known {
				i = len(bins)
				at[b.Low], bins = i, append(bins, metrics.ReliabilityBin{Low: b.Low, High: b.High})
			}
			p, weight := &bins[i], b.Weight/total
			sum := p.Weight + weight
			p.Predicted += (b.Predicted - p.Predicted) * weight / sum
			p.Observed += (b.Observed - p.Observed) * weight / sum
			p.Weight = sum
		}
	}
	return bins
}

// weightsHash names the content of a model's weights.
func weightsHash(m *train.Model) string {
	sum := sha256.New()
	fmt.Fprint(sum, m.Config.String())
	for _, p := range m.Params {
		fmt.Fprint(sum, p.Name, p.Data)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// mixtureVersion is part of the key of kept answers: raise it with every change of what clustering.Table finds.
const mixtureVersion = 23

// mixtureTable is the column of what needs no network.
const mixtureTable = "gfncp"

// smokeTime ends the sampling of a set at scale smoke.
const smokeTime = 5 * time.Second

// mixtureScores clusters the sets by the posterior of tables.
func (s *sheet) mixtureScores(sets []tablesets.Set) scores {
	v := s.ownScores(mixtureTable, sets, s.mixtureAnswer)
	unsettled := 0
	for _, j := range v.of {
		if j != nil && j.own.Unsettled {
			unsettled++
		}
	}
	s.table.Note(`%s: no network and no training, but what gfncp cluster does: four chains on the posterior of a mixture of t
		distributions with an unknown K, until they agree or a budget of work is over. On %d of %d sets the chains did not
		agree. Rows in none of its clusters count as HDBSCAN's noise does.`, mixtureTable, unsettled, len(sets))
	return v
}

// mixtureAnswer clusters a set as `gfncp cluster` does, or returns what an earlier call kept.
func (s *sheet) mixtureAnswer(set tablesets.Set) (a ownAnswer, err error) {
	o := clustering.DefaultOptions()
	o.CoClustering = true
	if s.smoke {
		o.Time = smokeTime
	}
	key := []any{"mixture", mixtureVersion, o.Seed, o.Samples, o.Time, set}
	return cached.Value(s.dir, key, func() (ownAnswer, error) {
		s.say("%s: %s", mixtureTable, set.Name)
		start := cputime.Process()
		r, err := clustering.Table(s.ctx, tables.Matrix(set.X, set.D), o)
		if err != nil {
			return a, err
		}
		a.Labels, a.Seconds, a.Unsettled = r.Labels, cputime.Process()-start, !r.Chains.Agree
		a.Bins, err = reliabilityOf(r.CoClustering, set.Labels)
		return a, err
	})
}
