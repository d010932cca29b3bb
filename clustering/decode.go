package clustering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// decoder decodes one set of a user's points in random orders of its own.
type decoder struct {
	*sampling.Sets
	seed   uint64
	stream string // of the orders
	group  int    // sequences of given labels that are read side by side: they take at most an eighth of the memory
}

func (p *prepared) decoder(ctx context.Context, seed uint64, stream string) (*decoder, error) {
	sets, err := sampling.Encode(ctx, p.net, p.x, 1, p.n)
	bytes := float64(p.n) * float64(20*p.net.Config.Width()+12*p.net.Config.StateWidth()) // if all points are alone
	return &decoder{sets, seed, stream, max(1, int(memory.Limit()/8/bytes))}, err
}

// order returns the i-th data order. The greedy labels are decoded in the first.
func (d *decoder) order(i int) []int32 { return data.Order(data.Rand(d.seed, d.stream, i), d.N) }

// drawnCells bounds sequences × points that are drawn side by side. It does not depend on the machine's memory, because
// the draws of a network with free flows depend on it.
const drawnCells = 1 << 22

// sample draws s partitions, each in an order of its own, a group at a time. A network with free flows then draws its
// early decisions again (sampling.Redraw).
func (d *decoder) sample(s, group int) ([][]int32, error) {
	samples := make([][]int32, 0, s)
	var redraws []float64
	if d.Net.FreeFlows {
		redraws = sampling.DefaultRedraws
	}
	runs, done := (s+group-1)/group*(1+len(redraws)), 0
	if hear := d.Progress; hear != nil {
		d.Progress = func(step, total int) {
			hear(done*total+step, runs*total)
			if step == total {
				done++
			}
		}
	}
	rng := data.Rand(d.seed, "cluster/samples", 0)
	for len(samples) < s {
		sequences := make([]sampling.Sequence, min(s-len(samples), group))
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

// given returns log p(c|x) of partitions, each in the data order of its number.
func (d *decoder) given(labels [][]int32, orders []int) (logProbs []float64, err error) {
	logProbs = make([]float64, 0, len(labels))
	for len(logProbs) < len(labels) {
		from := len(logProbs)
		to := min(from+d.group, len(labels))
		sequences := make([]sampling.Sequence, to-from)
		for i := range sequences {
			sequences[i].Order = d.order(orders[from+i])
		}
		r, err := finite(d.Run(sequences, sampling.Given(labels[from:to])))
		if err != nil {
			return nil, err
		}
		logProbs = append(logProbs, r.LogProb...)
	}
	return logProbs, nil
}

// finite passes on the result of a run, or returns an error if one of its numbers is not finite.
func finite(r *sampling.Result, err error) (*sampling.Result, error) {
	if err != nil {
		return nil, overflow(err)
	}
	for i, p := range r.LogProb {
		if !metrics.IsFinite(p + r.Final[i] + floats.Sum(r.Entropy[i])) {
			err := fmt.Errorf("%w: log-probability %v, last energy %v", metrics.ErrNotFinite, p, r.Final[i])
			return nil, overflow(err)
		}
	}
	return r, nil
}

// overflow turns an error about energies that are NaN or infinite into one for the user, because the points lie far
// outside the training range. It passes on other errors.
func overflow(err error) error {
	if !errors.Is(err, metrics.ErrNotFinite) {
		return err
	}
	return usererr.New("use another scale, or leave out the farthest points",
		"the network's energies overflow (%v)", err).Because(metrics.ErrNotFinite)
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
	var different [][]int32
	var next []int // to be read
	for i, s := range posterior.Collapse(labels, nil) {
		different, next = append(different, s.Labels), append(next, i)
	}
	place := make([]int, len(labels)) // of each among the different ones
	for i, l := range labels {
		place[i] = slices.IndexFunc(different, func(u []int32) bool { return slices.Equal(u, l) })
	}
	read := make([][]float64, len(different)) // in each order so far
	mean := func(i int) float64 { return floats.LogSumExp(read[i]) - math.Log(float64(len(read[i]))) }
	ranked := slices.Clone(next)
	for orders := 1; len(next) > 0; orders = rankOrders {
		var some [][]int32
		for _, i := range next {
			some = append(some, different[i])
		}
		for order := len(read[next[0]]); order < orders; order++ {
			values, err := d.given(some, slices.Repeat([]int{order}, len(some)))
			if err != nil {
				return nil, err
			}
			for at, i := range next {
				read[i] = append(read[i], values[at])
			}
		}
		slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(mean(b), mean(a)) })
		next = append(slices.Clone(ranked[:min(rankTop, len(ranked))]), place[0])
		slices.Sort(next)
		next = slices.DeleteFunc(slices.Compact(next), func(i int) bool { return len(read[i]) == rankOrders })
	}
	logProbs := make([]float64, len(labels))
	for i, at := range place {
		logProbs[i] = mean(at)
	}
	return logProbs, nil
}
