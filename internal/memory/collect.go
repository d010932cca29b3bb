package memory

import (
	"math"
	"os"
	"runtime/debug"
	"sync"
)

// expected is what the works need that run now, and the limit that the garbage collector had before the first of them.
var expected struct {
	sync.Mutex
	works  int
	bytes  float64
	before int64
}

// Expect tells the garbage collector that a piece of work needs so many bytes: while it lasts, garbage does not grow
// beyond them, where it else grows to several times what is in use before it is collected. The needs of works side by
// side add up. It is a soft limit: work that needs more gets it, and is slower. Where GOMEMLIMIT is set the user has
// chosen, and nothing changes. Call end when the work is done.
func Expect(bytes float64) (end func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	bytes = min(bytes, math.MaxInt64/4)
	e := &expected
	change := func(works int, bytes float64) {
		e.Lock()
		defer e.Unlock()
		if e.works == 0 {
			e.before = debug.SetMemoryLimit(-1)
		}
		e.works, e.bytes = e.works+works, e.bytes+bytes
		limit := e.before
		if e.works > 0 {
			limit = min(limit, int64(min(e.bytes, Limit(), math.MaxInt64/2)))
		}
		debug.SetMemoryLimit(limit)
	}
	change(1, bytes)
	return sync.OnceFunc(func() { change(-1, -bytes) })
}
