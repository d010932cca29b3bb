package models

import (
	"math"
	"slices"
)

// Law describes the sets of a training. They have Least to Most points, each number equally often. Their labels
// come from a Chinese restaurant process, in which point n, counted from 0, opens a cluster with probability
// Alpha/(Alpha + n).
type Law struct {
	Least, Most int
	Alpha       float64
	Bound       int  // at most so many clusters; 0: any number
	Fixed       bool // exactly Bound clusters
	// Explored is the number of rows of a set of Most points with the labels of an exploration step, where these may be
	// more than the set's clusters give all its points; else 0.
	Explored float64
}

const (
	plannedSizes = 7   // of sets, and of tables besides the fullest
	sure         = 2.5 // standard deviations above the mean within which a sum over a batch stays
	verySure     = 4   // those within which every set of a batch stays
	mostEnds     = 128 // numbers of points among which sizes are chosen, about
)

// clusters returns mean and variance of the number of clusters of n points.
func (l Law) clusters(n int) (mean, variance float64) {
	for i := range n {
		p := l.opens(i)
		mean, variance = mean+p, variance+p*(1-p)
	}
	return mean, variance
}

// rows returns mean and variance of the number of candidates of a set of n points: one for each point, and one for each
// cluster opened before it. With a given number of clusters the variance that comes from their number is taken out.
func (l Law) rows(n int) (mean, variance float64) {
	mean = float64(n)
	together, ofClusters := 0.0, 0.0 // covariance with the number of clusters, and its variance
	for i := range n {
		p, after := l.opens(i), float64(n-1-i)
		mean, variance = mean+p*after, variance+p*(1-p)*after*after
		together, ofClusters = together+p*(1-p)*after, ofClusters+p*(1-p)
	}
	if l.Fixed && ofClusters > 0 {
		variance = max(0, variance-together*together/ofClusters)
	}
	return mean, variance
}

func (l Law) opens(i int) float64 { return l.Alpha / (l.Alpha + float64(i)) }

// most returns a number of clusters that hardly any set exceeds.
func (l Law) most() float64 {
	mean, variance := l.clusters(l.Most)
	if k := mean + verySure*math.Sqrt(variance); l.Bound == 0 || k < float64(l.Bound) {
		return k
	}
	return float64(l.Bound)
}

// tableRows returns a number of candidate rows of so many sets of n points that few batches exceed.
func (l Law) tableRows(sets, n int) int {
	mean, variance := l.rows(min(n, l.Most))
	b := float64(sets)
	return roundUp(int(b*mean+sure*math.Sqrt(b*variance)), listedUnit)
}

// fullRows returns the number of rows of so many sets whose points see all clusters of their set from the first point
// on, as in an exploration step.
func (l Law) fullRows(sets int) int {
	mean, variance := l.clusters(l.Most)
	n, b := float64(l.Most), float64(sets)
	clusters := b*mean + sure*math.Sqrt(b*variance)
	if l.Bound > 0 {
		clusters = min(clusters, b*float64(l.Bound))
	}
	return roundUp(int(max(n*(clusters+b), b*l.Explored)), listedUnit)
}

// sizes returns at most plannedSizes numbers of points, multiples of 8. Sets are rounded up to them, and their tables
// then have the fewest rows on average.
func (l Law) sizes() []int {
	var ends []int // the candidates for a size
	step := max(roundUp((l.Most-l.Least)/mostEnds, 8), 8)
	for n := roundUp(l.Least, step); n < l.Most; n += step {
		ends = append(ends, n)
	}
	ends = append(ends, roundUp(l.Most, 8))
	rows := make([]float64, len(ends))
	for i, end := range ends {
		rows[i], _ = l.rows(min(end, l.Most))
	}
	upTo := func(i int) float64 { return float64(min(ends[i], l.Most) - l.Least + 1) } // numbers of points up to a size
	// cost[i] is the cost of all numbers of points up to ends[i], which is the last size; from[·][i] is the size before
	// it.
	cost := make([]float64, len(ends))
	for i := range cost {
		cost[i] = upTo(i) * rows[i]
	}
	var from [][]int
	for range min(plannedSizes, len(ends)) - 1 {
		next, before := make([]float64, len(ends)), make([]int, len(ends))
		for i := range ends {
			next[i], before[i] = cost[i], -1
			for j := range i {
				if c := cost[j] + (upTo(i)-upTo(j))*rows[i]; c < next[i] {
					next[i], before[i] = c, j
				}
			}
		}
		cost, from = next, append(from, before)
	}
	return backFrom(ends, from)
}

// backFrom lists the sizes that lead to the last of ends.
func backFrom(ends []int, from [][]int) (sizes []int) {
	at := len(ends) - 1
	sizes = []int{ends[at]}
	for _, before := range slices.Backward(from) {
		if before[at] >= 0 {
			at = before[at]
			sizes = append(sizes, ends[at])
		}
	}
	slices.Reverse(sizes)
	return sizes
}

// Planned returns the buckets of a training on a backend that compiles for seconds: a few sizes of sets, each with room
// for the candidates that its largest sets are expected to have. A set that does not fit takes the next size. The
// fullest table serves exploration steps; sets beyond it take a coarse size.
func Planned(law Law) Buckets {
	planned, coarse, sizes := CoarseBuckets, CoarseBuckets, law.sizes()
	last := sizes[len(sizes)-1]
	planned.Points = func(n int) int {
		if i, _ := slices.BinarySearch(sizes, n); i < len(sizes) {
			return sizes[i]
		}
		return coarse.Points(n)
	}
	planned.Table = func(sets, points, rows int) (int, int) {
		for _, size := range sizes {
			if room := law.tableRows(sets, size); points <= size && rows <= room {
				return size, room
			}
		}
		if full := law.fullRows(sets); points <= last && rows <= full {
			return last, full
		}
		return planned.Points(max(points, last)), coarse.Rows(rows)
	}
	planned.Decoded = func(n int) int { return planned.Points(max(n, last)) }
	// Weights at the start of a training choose almost at random: then a cluster opens with probability 1/(K_n+1), and
	// there are √(2N) of them.
	random := 1.4 * math.Sqrt(2*float64(law.Most))
	planned.Labelled = int(law.most()) + 2
	planned.Sampled = max(int(random)+1, planned.Labelled)
	planned.First = max(planned.Slots(planned.Sampled)/4, coarse.First)
	return planned
}
