package models

import (
	"math/bits"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/layers"
)

// Buckets rounds sizes up so that few graphs are compiled. Every rule returns at least its argument.
type Buckets struct {
	Points, Rows, Slots func(int) int
	// Table rounds up the points of a set and the candidates of a number of labelled sets together. If it is nil,
	// Points and Rows do.
	Table func(sets, points, rows int) (paddedPoints, paddedRows int)
	// Explored is Table for the labels of exploration steps, with one size for most of them.
	Explored func(sets, points, rows int) (paddedPoints, paddedRows int)
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
	Points:    func(n int) int { return layers.RoundUp(n, 8) },
	Rows:      fineRows,
	Slots:     func(n int) int { return layers.RoundUp(n, 4) },
	Sequences: func(n int) int { return layers.RoundUp(n, 4) },
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

// octave rounds n up to one of steps equally spaced sizes in each octave, and to a multiple of least.
func octave(n, steps, least int) int {
	if n <= 1 {
		return least
	}
	below := 1 << (bits.Len(uint(n-1)) - 1) // the power of two below n
	return layers.RoundUp(layers.RoundUp(n, max(below/steps, 1)), least)
}
