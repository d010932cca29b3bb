package models

import (
	"math/bits"

	"github.com/gfncp/gfncp/internal/engine"
)

// Buckets rounds sizes up so that few graphs are compiled. Every rule returns at least its argument.
type Buckets struct {
	Points, Rows, Slots func(int) int
	// Wide rounds up the rows of a candidate table, given as a whole number of rows for each of its padded points, of
	// which a set has points. nil: the rows are packed, and Rows rounds their sum.
	Wide func(points, rows int) int
	// Decoded rounds up the points of sets that are decoded on a device, and Sequences what is decoded side by side: a
	// loop takes as many steps as there are points, however much room it has, so that rooms can be few. nil: Points,
	// and Slots or Points.
	Decoded, Sequences func(int) int
	// First is the number of slots that a loop on a device starts with; 0: the fewest.
	First int
}

// FineBuckets suits a backend that compiles in milliseconds (Go): fewer than 8 points, 4 slots, and
// max(8, rows/16+1) rows, or 32 where these are more than 512, are padding.
var FineBuckets = Buckets{
	Points: func(n int) int { return roundUp(n, 8) },
	Rows:   fineRows,
	Slots:  func(n int) int { return roundUp(n, 4) },
}

// CoarseBuckets suits a backend that compiles for seconds (XLA): a few sizes in all.
var CoarseBuckets = Buckets{
	Points:    func(n int) int { return octave(n, 2, 32) },
	Rows:      func(n int) int { return octave(n, 2, 256) },
	Slots:     func(n int) int { return octave(n, 1, 8) },
	Wide:      func(_, rows int) int { return octave(rows, 2, 4) },
	Sequences: coarseSequences,
	First:     32,
}

// coarseSequences has 1, 8, 64, and then octaves: of a loop's time little depends on them.
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

// plannedSizes is the number of sizes of sets that a plan has.
const plannedSizes = 4

// Planned are the coarse buckets of a training, which knows what it will meet: sets of at most so many points, whose
// first n points are in clusters(n) clusters on average. Sets have one of four sizes, and each size has room for the
// candidates that are expected of its largest sets, and a little more; what does not fit takes the next coarse size.
// A plan depends on nothing that happened before, so that a resumed run computes the same.
func Planned(most int, clusters func(n int) float64) Buckets {
	planned, coarse := CoarseBuckets, CoarseBuckets
	step := roundUp((most+plannedSizes-1)/plannedSizes, 32)
	planned.Points = func(n int) int {
		if n > most {
			return coarse.Points(max(n, step*plannedSizes))
		}
		return roundUp(n, step)
	}
	planned.Decoded = func(n int) int { return planned.Points(max(n, most)) }
	least := coarse.Slots(int(1.5*clusters(most)) + 1)
	planned.Slots = func(n int) int { return coarse.Slots(max(n, least)) }
	planned.First = least
	planned.Wide = func(points, rows int) int {
		sum := 0.0
		for n := range points {
			sum += clusters(n) + 1
		}
		return max(roundUp(int(1.15*sum)/points+1, 4), coarse.Wide(points, rows))
	}
	return planned
}

// BucketsFor returns the rule for a backend by its configured name.
func BucketsFor(backendName string) Buckets {
	if backendName == engine.GoBackendName {
		return FineBuckets
	}
	return CoarseBuckets
}

// candidates rounds up the rows of the candidates of sets of so many padded points.
func (b Buckets) candidates(sets, points, rows int) int {
	if b.Wide == nil {
		return b.Rows(rows)
	}
	cells := sets * points
	return cells * b.Wide(points, (rows+cells-1)/cells)
}

// InLoop rounds up the points of sets that are decoded on a device.
func (b Buckets) InLoop(points int) int {
	if b.Decoded == nil {
		return b.Points(points)
	}
	return b.Decoded(points)
}

// SideBySide rounds up the sequences, or sets, that are decoded side by side on a device.
func (b Buckets) SideBySide(sequences int) int {
	switch {
	case b.Sequences != nil:
		return b.Sequences(sequences)
	case sequences < 32:
		return b.Slots(sequences)
	default: // finer steps pay here
		return b.Points(sequences)
	}
}

// fineRows rounds up to a sixteenth of the octave, above 512 to 16 more than a multiple of 32. The gradient of a layer
// transposes its [R,H] inputs: where R is a multiple of 512, the columns that are written side by side share a few
// lines of the processor's cache, and that takes up to four times as long.
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
