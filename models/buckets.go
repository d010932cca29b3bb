package models

import (
	"math/bits"

	"github.com/gfncp/gfncp/internal/engine"
)

// Buckets rounds sizes up so that few graphs are compiled. Every rule returns at least its argument.
type Buckets struct {
	Points, Rows, Slots func(int) int
}

// FineBuckets suits a backend that compiles in milliseconds (Go): fewer than 8 points, 4 slots, and max(8, rows/16+1)
// rows are padding.
var FineBuckets = Buckets{
	Points: func(n int) int { return roundUp(n, 8) },
	Rows:   func(n int) int { return octave(n, 16, 8) },
	Slots:  func(n int) int { return roundUp(n, 4) },
}

// CoarseBuckets suits a backend that compiles for seconds (XLA): a few sizes in all.
var CoarseBuckets = Buckets{
	Points: func(n int) int { return octave(n, 2, 32) },
	Rows:   func(n int) int { return octave(n, 2, 256) },
	Slots:  func(n int) int { return octave(n, 1, 8) },
}

// BucketsFor returns the rule for a backend by its configured name.
func BucketsFor(backendName string) Buckets {
	if backendName == engine.GoBackendName {
		return FineBuckets
	}
	return CoarseBuckets
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
