package memory

import (
	"math"
	"runtime/debug"
	"testing"
)

// While works last the collector's limit is the sum of what they need, and afterwards what it was; never more than that
// or than the program may use, and nothing where the user has set it.
func TestExpect(t *testing.T) {
	without(t)
	t.Setenv("GOMEMLIMIT", "")
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	defer debug.SetMemoryLimit(limit())
	debug.SetMemoryLimit(3e9)
	first := Expect(1e9)
	if limit() != 1e9 {
		t.Errorf("of 1 GB the limit is %d", limit())
	}
	second, third := Expect(5e8), Expect(math.Inf(1))
	if limit() != 3e9 {
		t.Errorf("it rose to %d", limit())
	}
	third()
	if third(); math.Abs(float64(limit()-1.5e9)) > 4096 { // rounding beside a very large number
		t.Errorf("of 1.5 GB it is %d", limit())
	}
	first()
	if second(); limit() != 3e9 {
		t.Errorf("after the works it is %d", limit())
	}
	t.Setenv("GOMEMLIMIT", "2GiB")
	if Expect(1e9); limit() != 3e9 {
		t.Errorf("the user's choice became %d", limit())
	}
}
