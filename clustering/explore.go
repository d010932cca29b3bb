package clustering

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// A network whose energy knows clusters of any shape (models.Config.Shapes) is trusted with whole partitions more than
// with early decisions, where clusters of many columns cannot be seen yet. Its samples are those of Markov chains on
// exp(−E[c_{1:N}]), which free flows make the posterior. They start where that is high: at what is left of many small
// clusters when they are merged pair by pair (sampling.Sets.Merged), some of them around points of the set, some the
// network's own.
const (
	exploredSeeds  = 6  // starts of small clusters around points
	exploredOwn    = 6  // starts at ancestral samples
	mostSmall      = 24 // small clusters of a start
	leastSmall     = 3  // points of a small cluster on average
	exploredSweeps = 2  // Gibbs sweeps of a start after its merging, and of a sample after its start
	exploredStages = 5  // starts, merged, swept, merged again, samples: what Progress counts
)

// explores reports whether samples are those of chains on the final energy.
func (d *decoder) explores() bool {
	return d.Net.Config.Shapes && d.Net.FreeFlows && d.N <= sharedOrder
}

// explored are s samples, and the likeliest partition that was found; log-probabilities are −E, which lacks a constant.
// progress, if not nil, hears of each stage that is done.
func (d *decoder) explored(s int, progress func(done, total int)) (*own, error) {
	stage := 0
	done := func() {
		if stage++; progress != nil {
			progress(stage, exploredStages)
		}
	}
	modes, err := d.modes(done)
	if err != nil {
		return nil, err
	}
	o := &own{labels: modes[0]}
	if s == 0 {
		return o, nil
	}
	labels, energies, err := d.swept(modes, s)
	if err != nil {
		return nil, overflow(err)
	}
	done()
	o.samples = ranked(labels, energies)
	return o, nil
}

// swept are the ends of s chains and their energies. The chains start at modes in proportion to their probabilities,
// by systematic draws.
func (d *decoder) swept(modes []posterior.Sample, s int) ([][]int32, []float64, error) {
	rng := data.Rand(d.seed, "cluster/modes", 1)
	starts := make([][]int32, s)
	weights := make([]float64, len(modes))
	for i, m := range modes {
		weights[i] = math.Exp(m.LogProb - modes[0].LogProb)
	}
	floats.CumSum(weights, weights)
	for i := range starts {
		at := (float64(i) + rng.Float64()) / float64(s) * weights[len(weights)-1]
		mode, _ := slices.BinarySearch(weights, at)
		starts[i] = modes[min(mode, len(modes)-1)].Labels
	}
	return d.Gibbs(rng, make([]sampling.Sequence, s), starts, exploredSweeps)
}

// ranked are labels with −E as log-probability.
func ranked(labels [][]int32, energies []float64) []posterior.Sample {
	samples := make([]posterior.Sample, len(labels))
	for i, l := range labels {
		samples[i] = posterior.Sample{Labels: l, LogProb: -energies[i]}
	}
	return samples
}

// modes are different partitions of high probability, the likeliest first: starts, merged, swept, and merged again.
func (d *decoder) modes(done func()) ([]posterior.Sample, error) {
	starts, err := d.starts(d.points)
	if err != nil {
		return nil, err
	}
	done()
	sequences := make([]sampling.Sequence, len(starts))
	labels, energies, err := d.Merged(sequences, starts)
	if err != nil {
		return nil, overflow(err)
	}
	done()
	found := ranked(labels, energies)
	labels, _, err = d.Gibbs(data.Rand(d.seed, "cluster/modes", 0), sequences, labels, exploredSweeps)
	if err != nil {
		return nil, overflow(err)
	}
	done()
	if labels, energies, err = d.Merged(sequences, labels); err != nil {
		return nil, overflow(err)
	}
	done()
	found = append(found, ranked(labels, energies)...)
	slices.SortStableFunc(found, func(a, b posterior.Sample) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return slices.CompactFunc(found, func(a, b posterior.Sample) bool { return slices.Equal(a.Labels, b.Labels) }), nil
}

// starts are partitions of more clusters than are likely, and some of the network's own.
func (d *decoder) starts(x []float32) ([][]int32, error) {
	rng := data.Rand(d.seed, "cluster/starts", 0)
	dim := d.Net.Config.Dim
	even := evened(x, dim)
	var starts [][]int32
	for i := range exploredSeeds {
		space := x
		if i%2 == 1 {
			space = even
		}
		most := max(1, min(mostSmall*(i/2+1)/3, d.N/leastSmall))
		starts = append(starts, around(rng, space, dim, most))
	}
	sequences := make([]sampling.Sequence, exploredOwn)
	for i := range sequences {
		sequences[i].Order = d.order(i)
	}
	r, err := run(d.Sets, sequences, sampling.NewAncestral(rng, len(sequences), d.N))
	if err != nil {
		return nil, err
	}
	for _, l := range r.Labels {
		canon, k := metrics.Canonical(l)
		if k <= 2*mostSmall {
			starts = append(starts, canon)
		}
	}
	return starts, nil
}

// evened are points x [N,D] with each coordinate divided by its standard deviation; those without stay.
func evened(x []float32, d int) []float32 {
	even := slices.Clone(x)
	for j := range d {
		sum := 0.0
		for i := j; i < len(x); i += d {
			sum += float64(x[i]) * float64(x[i]) // coordinates of a view have mean 0
		}
		spread := math.Sqrt(sum / float64(len(x)/d))
		if spread == 0 {
			continue
		}
		for i := j; i < len(x); i += d {
			even[i] = float32(float64(x[i]) / spread)
		}
	}
	return even
}

// around puts each of the points x [N,D] to the nearest of k of them, which are chosen one by one with probability
// proportional to the squared distance from those before (k-means++: Arthur and Vassilvitskii 2007).
func around(rng *rand.Rand, x []float32, d, k int) []int32 {
	n := len(x) / d
	labels, nearest := make([]int32, n), make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	seed := rng.IntN(n)
	for c := range k {
		total := 0.0
		for i := range n {
			square := 0.0
			for j := range d {
				gap := float64(x[i*d+j]) - float64(x[seed*d+j])
				square += gap * gap
			}
			if square < nearest[i] {
				nearest[i], labels[i] = square, int32(c)
			}
			total += nearest[i]
		}
		if total == 0 {
			break
		}
		at := rng.Float64() * total
		for seed = 0; seed < n-1 && at >= nearest[seed]; seed++ {
			at -= nearest[seed]
		}
	}
	return labels
}
