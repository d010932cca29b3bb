package cputime

import "testing"

// Work takes processor time, which never runs backwards.
func TestProcess(t *testing.T) {
	before, sum := Process(), 0.0
	for after := before; after <= before; after = Process() {
		for i := range 1000 {
			sum += float64(i)
		}
	}
	if last := Process(); last < before || before <= 0 || sum <= 0 {
		t.Errorf("%g s, then %g s", before, last)
	}
}
