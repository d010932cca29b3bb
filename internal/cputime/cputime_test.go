package cputime

import "testing"

// Asking takes processor time, which never runs backwards.
func TestProcess(t *testing.T) {
	before := Process()
	for Process() == before {
	}
	if last := Process(); last <= before || before <= 0 {
		t.Errorf("%g s, then %g s", before, last)
	}
}
