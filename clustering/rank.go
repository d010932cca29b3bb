package clustering

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

const (
	// rankOrders is the number of orders over which the probability of a partition is averaged.
	rankOrders = 4
	// rankTop is how many of the most probable partitions are read in all of these orders. The others are read in one
	// order, which takes less than half of the time.
	rankTop = 10
)

// logProbs returns log p(c|x) of partitions. For the first partition and the most probable ones (rankTop) it is the
// log-mean over rankOrders orders. The others, and all partitions of more than sharedOrder points, are read in the
// first order alone. Equal partitions are read once.
func (d *decoder) logProbs(labels [][]int32) ([]float64, error) {
	distinct := posterior.Collapse(samplesOf(labels))
	r := &ranking{d: d, values: make([][]float64, len(distinct))}
	for _, s := range distinct {
		r.labels = append(r.labels, s.Labels)
	}
	place := make([]int, len(labels))
	for i, l := range labels {
		place[i] = slices.IndexFunc(r.labels, func(u []int32) bool { return slices.Equal(u, l) })
	}
	if err := r.rank(place[0]); err != nil {
		return nil, err
	}
	logProbs := make([]float64, len(labels))
	for i, at := range place {
		logProbs[i] = r.logProb(at)
	}
	return logProbs, nil
}

// ranking holds the log-probabilities of different partitions, each in the orders in which it was read so far.
type ranking struct {
	d      *decoder
	labels [][]int32
	values [][]float64 // log p(c|x) by partition and order
}

// rank reads all partitions in one order. Then it reads the partition sure and the most probable ones in all orders.
func (r *ranking) rank(sure int) error {
	all := make([]int, len(r.labels))
	for i := range all {
		all[i] = i
	}
	if err := r.read(all, 0, 1); err != nil || r.d.N > sharedOrder {
		return err
	}
	for next := []int{sure}; ; next = nil {
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(r.logProb(b), r.logProb(a)) })
		next = append(next, all[:min(rankTop, len(all))]...)
		slices.Sort(next)
		next = slices.DeleteFunc(slices.Compact(next), func(i int) bool { return len(r.values[i]) > 1 })
		if len(next) == 0 {
			return nil
		}
		if err := r.read(next, 1, rankOrders); err != nil {
			return err
		}
	}
}

// logProb returns the log-mean over the orders in which a partition was read.
func (r *ranking) logProb(i int) float64 {
	return floats.LogSumExp(r.values[i]) - math.Log(float64(len(r.values[i])))
}

// read reads partitions in the orders from from to to, as many side by side as fit into a group.
func (r *ranking) read(which []int, from, to int) error {
	d := r.d
	for o := from; o < to; o++ {
		at := sampling.Sequence{Order: d.order(o)}
		for some := range slices.Chunk(which, d.group) {
			labels := make([][]int32, len(some))
			for i, j := range some {
				labels[i] = r.labels[j]
			}
			sequences := slices.Repeat([]sampling.Sequence{at}, len(some))
			result, err := finite(d.Run(sequences, &sampling.Given{Labels: labels, EachSequence: true}))
			if err != nil {
				return err
			}
			for i, j := range some {
				r.values[j] = append(r.values[j], result.LogProb[i])
			}
		}
	}
	return nil
}
