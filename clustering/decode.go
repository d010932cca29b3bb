package clustering

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// groupCells bounds sequences × points of one decoding run, which then takes some 100 MB at most.
const groupCells = 1 << 22

// decoder decodes one set of a user's points in orders of its own.
type decoder struct {
	*sampling.Sets
	seed  uint64
	group int // sequences that are decoded side by side
}

// order returns the i-th data order. The greedy labels are decoded in the first.
func (d *decoder) order(i int) []int32 {
	return data.Order(data.Rand(d.seed, "cluster/order", i), d.N)
}

// sample draws s partitions, each in an order of its own, a group at a time; the size of the groups does not change the
// draws. A network with free flows then draws its early decisions again (sampling.Redraw).
func (d *decoder) sample(s int) ([][]int32, error) {
	samples := make([][]int32, 0, s)
	var redraws []float64
	if d.Net.FreeFlows {
		redraws = sampling.DefaultRedraws
	}
	runs, done := (s+d.group-1)/d.group*(1+len(redraws)), 0
	if hear := d.Progress; hear != nil && runs > 1 {
		defer func() { d.Progress = hear }()
		d.Progress = func(step, total int) {
			hear(done*total+step, runs*total)
			if step == total {
				done++
			}
		}
	}
	rng := data.Rand(d.seed, "cluster/samples", 0)
	for len(samples) < s {
		sequences := make([]sampling.Sequence, min(s-len(samples), d.group))
		for i := range sequences {
			sequences[i] = sampling.Sequence{Order: d.order(len(samples) + i)}
		}
		r, err := finite(d.Run(sequences, sampling.Ancestral(rng, len(sequences), d.N)))
		if err != nil {
			return nil, err
		}
		labels, err := d.Redraws(data.Rand(d.seed, "cluster/redraw", len(samples)), sequences, r.Labels, redraws...)
		if err != nil {
			return nil, overflow(err)
		}
		for _, l := range labels {
			canon, _ := metrics.Canonical(l)
			samples = append(samples, canon)
		}
	}
	return samples, nil
}

// groupSize returns how many sequences of n points are decoded side by side.
func groupSize(n int) int { return max(1, groupCells/n) }

// finite passes on the result of a run, or returns an error if one of its numbers is not finite.
func finite(r *sampling.Result, err error) (*sampling.Result, error) {
	if err != nil {
		return nil, overflow(err)
	}
	for i, p := range r.LogProb {
		if !metrics.IsFinite(p) || !metrics.IsFinite(r.Final[i]) {
			return nil, notFinite(fmt.Sprintf("log-probability %v, last energy %v", p, r.Final[i]))
		}
		for n, h := range r.Entropy[i] {
			if !metrics.IsFinite(h) {
				return nil, notFinite(fmt.Sprintf("the decision on point %d has entropy %v", n+1, h))
			}
		}
	}
	return r, nil
}

// overflow turns an error about energies that are not finite into one for the user, and passes on other errors.
func overflow(err error) error {
	if errors.Is(err, metrics.ErrNotFinite) {
		return notFinite(err.Error())
	}
	return err
}

// notFinite returns the error for energies that are NaN or infinite: the points lie far outside the training range.
func notFinite(what string) error {
	return usererr.New("use another scale, or leave out the farthest points",
		"the network's energies overflow (%s)", what).Because(metrics.ErrNotFinite)
}

const (
	// rankOrders is the number of orders over which the probability of a partition is averaged.
	rankOrders = 4
	// rankTop is how many of the most probable partitions are read in all of these orders. The others are read in one
	// order only, to save time.
	rankTop = 10
)

// logProbs returns log p(c|x) of partitions. The first partition and the most probable ones (rankTop) have the log-mean
// over rankOrders orders. The other partitions have the value of the first order.
func (d *decoder) logProbs(labels [][]int32) ([]float64, error) {
	distinct := posterior.Collapse(labels, nil)
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
	if err := r.read(all, 0, 1); err != nil {
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
			result, err := finite(d.Run(sequences, sampling.Given(labels)))
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
