package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/clustering"
	tables "github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// ownAnswer is the mixture's result for a set.
type ownAnswer struct {
	Labels    []int32                  `json:"labels"`
	Seconds   float64                  `json:"seconds"`             // of the processor
	Bins      []metrics.ReliabilityBin `json:"bins"`                // of the doubtful pairs, see reliabilityOf
	Unsettled bool                     `json:"unsettled,omitempty"` // whether the chains do not agree
}

const (
	bins     = 10 // of a reliability diagram
	doubtful = 0.05
)

// reliabilityOf returns at most ten bins of the pairs of points by their probability [N][N] of being together. Pairs
// with a probability below doubtful, or above 1 − doubtful, are left out: they are most pairs, and would hide the rest.
// It returns no bins if all pairs are left out.
func reliabilityOf(together [][]float64, labels []int32) ([]metrics.ReliabilityBin, error) {
	var predicted []float64
	var truth []bool
	for i, row := range together {
		for j := range i {
			if row[j] >= doubtful && row[j] <= 1-doubtful {
				predicted, truth = append(predicted, row[j]), append(truth, labels[i] == labels[j])
			}
		}
	}
	if len(predicted) == 0 {
		return nil, nil
	}
	return metrics.Reliability(predicted, truth, bins)
}

// pooledECE returns the calibration error of all sets with doubtful pairs together, and its standard error by the
// jackknife over the sets (Efron 1982). Every set counts the same, because its pairs share a weight of 1.
func pooledECE(all []*ownAnswer) (ece, deviation float64) {
	var gaps [][bins]float64 // of each set and bin: weight · (predicted − observed)
	var sum [bins]float64
	for _, a := range all {
		total := 0.0
		for _, b := range a.Bins {
			total += b.Weight
		}
		var own [bins]float64
		for _, b := range a.Bins {
			own[int(math.Round(b.Low*bins))] = b.Weight / total * (b.Predicted - b.Observed)
		}
		if total > 0 {
			gaps = append(gaps, own)
			floats.Add(sum[:], own[:])
		}
	}
	n := float64(len(gaps))
	var without []float64
	for _, own := range gaps {
		without = append(without, floats.Distance(sum[:], own[:], 1)/(n-1))
	}
	return floats.Norm(sum[:], 1) / n, math.Sqrt(n-1) * stat.PopStdDev(without, nil)
}

// mixtureVersion is part of the key of cached answers: raise it with every change of the results of clustering.Table.
const mixtureVersion = 48

// mixtureTable is the mixture's column; mixtureBounded its column with the rivals' range of K.
const (
	mixtureTable   = "gfncp"
	mixtureBounded = "gfncp, K 1–15"
)

// mixtureScores clusters the sets by the posterior of tables with at most so many clusters, 0 for no limit.
func (s *sheet) mixtureScores(most int, sets []tablesets.Set) (v scores, err error) {
	v.name = mixtureTable
	if most > 0 {
		v.name = mixtureBounded
	}
	unsettled := 0
	for _, set := range sets {
		a, err := s.mixtureAnswer(set, most)
		if err != nil {
			return v, fmt.Errorf("%s on %s: %w", v.name, set.Name, err)
		}
		j, err := scoreLabels(set.Labels, a.Labels)
		if err != nil {
			return v, fmt.Errorf("%s on %s: %w", v.name, set.Name, err)
		}
		j.Seconds, j.own = a.Seconds, &a
		v.of = append(v.of, j)
		if a.Unsettled {
			unsettled++
		}
	}
	s.table.Note("%s: on %d of %d sets the chains did not agree.", v.name, unsettled, len(sets))
	return v, nil
}

// mixtureAnswer clusters a set as `gfncp cluster` does, or returns the cached result. 0 is no limit of K.
func (s *sheet) mixtureAnswer(set tablesets.Set, most int) (a ownAnswer, err error) {
	o := clustering.DefaultOptions()
	o.CoClustering, o.Most = true, most
	key := []any{"mixture", mixtureVersion, o.Seed, o.Samples, o.Time, o.Most, set}
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
