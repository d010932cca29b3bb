package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// mostListed bounds the directions whose choices are listed one by one.
const mostListed = 16

// EnumerateSelection returns the exact posterior of the partition of points x [N·P] (row-major, data units, mean 0),
// N ≤ MaxEnumerated, whose law is unknown up to a Selection of at most 16 directions: the sum over all choices and
// shapes. prior is a law over partitions of N points, such as that of CRP.Prior. Time O(Bell(N)·2^F).
//
// It returns the faults of s, metrics.ErrLength, metrics.ErrTooFew and metrics.ErrNotFinite for points that are none,
// and metrics.ErrNotFinite if the prior excludes every partition.
func EnumerateSelection(s *Selection, prior Prior, x []float64) (*Distribution, error) {
	n, err := s.check(x)
	if err != nil {
		return nil, fmt.Errorf("enumerate partitions: %w", err)
	}
	if len(s.Directions) > mostListed {
		return nil, usererr.New("draw samples instead", "choices of %d directions cannot be listed: at most %d",
			len(s.Directions), mostListed)
	}
	parts, err := Partitions(n)
	if err != nil {
		return nil, err
	}
	rows := project(x, s.Directions)
	e, choices := newEvidence(s, x, rows, n), s.choices()
	logProb := make([]float64, len(parts))
	terms := make([]float64, len(s.Shapes))
	for i, labels := range parts {
		size := partition.New(labels).Size
		if logProb[i] = prior(size); math.IsInf(logProb[i], -1) {
			continue
		}
		e.gather(rows, labels, len(size))
		var logs []float64
		for _, chosen := range choices {
			logs = append(logs, e.log(chosen, terms))
		}
		logProb[i] += floats.LogSumExp(logs)
	}
	if _, err := Normalize(logProb); err != nil {
		return nil, err
	}
	return &Distribution{Labels: parts, LogProb: logProb}, nil
}

// choices are all choices of 1 to Most directions, each rising.
func (s *Selection) choices() (all [][]int) {
	for set := 1; set < 1<<len(s.Directions); set++ {
		var chosen []int
		for i := range s.Directions {
			if set>>i&1 == 1 {
				chosen = append(chosen, i)
			}
		}
		if len(chosen) <= s.Most {
			all = append(all, chosen)
		}
	}
	return all
}
