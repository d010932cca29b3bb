package models

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gfncp/gfncp/internal/engine"
)

// Buckets rounds sizes up so that few graphs are compiled. Every rule returns at least its argument.
type Buckets struct {
	Points, Rows, Slots func(int) int
	// Table rounds up the points of a set and the candidates of a number of labelled sets together. If it is nil,
	// Points and Rows do.
	Table func(sets, points, rows int) (paddedPoints, paddedRows int)
	// Sequences rounds up the sequences, or sets, that are decoded side by side on a device.
	Sequences func(int) int
	// Decoded is the fewest points, padded ones included, of sets that are decoded on a device.
	Decoded int
	// First is the number of slots that a loop on a device starts with; 0 means the fewest.
	First int
	// Labelled and Sampled are the fewest slots of a table of labelled sets, and of the labels of a sample; 0 means as
	// many as there are.
	Labelled, Sampled int
}

// FineBuckets suits a backend that compiles in milliseconds (Go): fewer than 8 points, 4 slots, and
// max(8, rows/16+1) rows, or 32 where these are more than 512, are padding.
var FineBuckets = Buckets{
	Points:    func(n int) int { return roundUp(n, 8) },
	Rows:      fineRows,
	Slots:     func(n int) int { return roundUp(n, 4) },
	Sequences: func(n int) int { return roundUp(n, 4) },
}

// CoarseBuckets suits a backend that compiles for seconds (XLA): up to a quarter is padding, and up to a half of slots.
var CoarseBuckets = Buckets{
	Points:    func(n int) int { return octave(n, 4, 16) },
	Rows:      func(n int) int { return octave(n, 4, 64) },
	Slots:     func(n int) int { return octave(n, 2, 4) },
	Sequences: coarseSequences,
	First:     4,
}

// coarseSequences rounds up to 1, 8, 64, and then octaves: the time of a loop depends little on the number.
func coarseSequences(n int) int {
	switch {
	case n <= 1:
		return 1
	case n <= 8:
		return 8
	default:
		return octave(n, 1, 64)
	}
}

// BucketsFor returns the rule for a backend by its configured name.
func BucketsFor(backendName string) Buckets {
	if backendName == engine.GoBackendName {
		return FineBuckets
	}
	return CoarseBuckets
}

// table rounds up the points of a set and the candidates of so many labelled sets.
func (b Buckets) table(sets, points, rows int) (paddedPoints, paddedRows int) {
	if b.Table == nil {
		return b.Points(points), b.Rows(rows)
	}
	return b.Table(sets, points, rows)
}

// labelled rounds up the slots of a table of labelled sets.
func (b Buckets) labelled(slots int) int { return b.Slots(max(slots, b.Labelled)) }

// SampleSlots rounds up the slots of the labels of a sample.
func (b Buckets) SampleSlots(slots int) int { return b.Slots(max(slots, b.Sampled)) }

// MoreSlots returns the next number of slots for a loop that ran out of them: twice as many, or the slots of a sample
// where these lie in between.
func (b Buckets) MoreSlots(slots int) int {
	more := b.Slots(2 * slots)
	if expected := b.Slots(b.Sampled); slots < expected {
		more = min(more, expected)
	}
	return more
}

// InLoop rounds up the points of sets that are decoded on a device.
func (b Buckets) InLoop(points int) int { return b.Points(max(points, b.Decoded)) }

// fineRows rounds up to a sixteenth of the octave, above 512 to 16 more than a multiple of 32: where the rows are a
// multiple of 512, the transposed inputs of a layer share a few lines of the cache, which takes up to four times as
// long.
func fineRows(n int) int {
	const apart = 16
	if n <= 512 {
		return octave(n, 16, 8)
	}
	return octave(n-apart, 16, 32) + apart
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// octave rounds n up to one of steps equally spaced sizes in each octave, and to a multiple of least.
func octave(n, steps, least int) int {
	if n <= 1 {
		return least
	}
	below := 1 << (bits.Len(uint(n-1)) - 1) // the power of two below n
	return roundUp(roundUp(n, max(below/steps, 1)), least)
}

// Law describes the distribution of a training's sets. They have Least to Most points, each number equally often. Their
// labels come from a Chinese restaurant process of concentration Alpha.
type Law struct {
	Least, Most int
	Alpha       float64
	Bound       int  // at most so many clusters; 0: any number
	Fixed       bool // exactly Bound clusters
}

// listedUnit divides the rows of a training's tables on a device. XLA cuts the rows into up to 256 parts of whole 16
// bytes where it sums a weight's gradient on a GPU, and copies every operand first if the parts are uneven.
const listedUnit = 1024

const (
	plannedSizes = 7   // of sets, and of tables besides the fullest
	sure         = 2.5 // standard deviations above the mean within which a sum over a batch stays
	verySure     = 4   // standard deviations within which every set of a batch stays
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

// most returns a number of clusters that very few sets exceed.
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
	return roundUp(int(n*(clusters+b)), listedUnit)
}

// sizes returns at most plannedSizes numbers of points, multiples of 8 at equal distances, to which sets are rounded
// up. The best sizes for a law of the paper would leave at most 0.1 % fewer rows.
func (l Law) sizes() (sizes []int) {
	for i := range plannedSizes {
		part := (l.Most - l.Least) * (i + 1)
		sizes = append(sizes, roundUp(l.Least+(part+plannedSizes-1)/plannedSizes, 8))
	}
	return slices.Compact(sizes)
}

// Planned returns the buckets of a training on a backend that takes seconds to compile: a few sizes of sets, each with
// room for the candidates expected in its largest sets. A set that does not fit takes the next size. The largest table
// is for exploration steps; sets beyond it take a coarse size.
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
		return planned.Points(max(points, last)), roundUp(coarse.Rows(rows), listedUnit)
	}
	planned.Decoded = last
	// Weights at the start of a training choose almost at random: then a cluster opens with probability 1/(K_n+1), and
	// there are √(2N) of them.
	random := 1.4 * math.Sqrt(2*float64(law.Most))
	planned.Labelled = int(law.most()) + 2
	planned.Sampled = max(int(random)+1, planned.Labelled)
	planned.First = max(planned.Slots(planned.Sampled)/4, coarse.First)
	return planned
}
