package hlo

import (
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

// A program of XLA's compiler for an H100 (testdata/small.txt is its text): a product [96,32]·[32,64], a loop of five
// steps of one [96,64]·[64,64] with tanh, a copy and the step's number, and eight rows gathered. Counted by hand.
func TestCount(t *testing.T) {
	c := must.M1(Count(must.M1(os.ReadFile("testdata/small.pb"))))
	const (
		first  = 4 * (96*32 + 32*64 + 96*64)
		step   = 4 * (96*64 + 64*64 + 96*64)
		copied = 4 * 2 * 96 * 64
		taken  = 4 * (8*64 + 8 + 8*64) // rows, their numbers, rows
	)
	if c.Loops != 0 || c.Runs() != 1+1+5*3+1 {
		t.Errorf("%d kernels, %d loops of unknown length", c.Runs(), c.Loops)
	}
	if want := 2. * 96 * 64 * (32 + 5*64); c.Operations() != want {
		t.Errorf("%g operations, want %g", c.Operations(), want)
	}
	if want := 8. + first + 5*(8+step+copied) + taken; c.Bytes() != want {
		t.Errorf("%g bytes, want %g", c.Bytes(), want)
	}
	// At a byte a second and no time for products the bytes count, the other way round the operations.
	if got, want := c.Seconds(Peak{Bytes: 1, Operations: 1e30, Start: 1}), c.Bytes()+float64(c.Runs()); got != want {
		t.Errorf("%g seconds, want %g", got, want)
	}
	if got := c.Seconds(Peak{Bytes: 1e30, Operations: 1}); got < c.Operations() || got > c.Operations()+1 {
		t.Errorf("%g seconds, want %g", got, c.Operations())
	}
}

// What is no optimized program is an error, wherever it ends.
func TestBroken(t *testing.T) {
	whole := must.M1(os.ReadFile("testdata/small.pb"))
	for _, size := range []int{0, 1, 100, len(whole) / 2} {
		if c, err := Count(whole[:size]); err == nil {
			t.Errorf("%d bytes: %+v", size, c)
		}
	}
}
