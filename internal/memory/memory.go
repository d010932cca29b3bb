// Package memory finds how much memory the program may use, and returns an error before work that would need more.
// Callers estimate what their work needs.
package memory

import (
	"errors"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"

	"github.com/gfncp/gfncp/internal/usererr"
)

// share is the part of the machine's memory that the program may use if no limit is set: the rest is for the system,
// and for memory that no estimate counts.
const share = 0.9

// ErrLimit is the cause of an error about work or data for which the limit is too low.
var ErrLimit = errors.New("more memory than may be used")

// chosen is the limit given to SetLimit, in bytes; 0: no limit was given.
var chosen atomic.Uint64

// SetLimit sets how much memory the program may use, as a size such as "4GB" or "800MiB". It fails for anything else
// and for less than 64 MB.
func SetLimit(size string) error {
	bytes, err := humanize.ParseBytes(size)
	if err != nil || bytes < 64*humanize.MByte {
		return usererr.New("give a size of at least 64MB, such as 4GB", "%q is no limit of memory", size)
	}
	chosen.Store(bytes)
	return nil
}

// Limit is the memory that the program may use, in bytes: the limit of SetLimit, or nine tenths of the machine's
// memory, or of the container's if that is less. It is +Inf if neither is known.
func Limit() float64 {
	if set := chosen.Load(); set > 0 {
		return float64(set)
	}
	return machine()
}

// machine is the limit that the machine and the container set. It is found once: that takes 0.1 ms.
var machine = sync.OnceValue(func() float64 {
	limit := math.Inf(1)
	for _, known := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if bytes, err := known(); err == nil && bytes > 0 {
			limit = min(limit, share*float64(bytes))
		}
	}
	return limit
})

// Demand returns an error if work, which what describes, needs an estimated number of bytes above Limit. hint says how
// to need less.
func Demand(bytes float64, what, hint string) error {
	limit := Limit()
	if !(bytes > limit) {
		return nil
	}
	return usererr.New(hint, "%s would need about %s of memory, but %s may be used", what, Size(bytes), Size(limit)).
		Because(ErrLimit)
}

// Size writes a number of bytes for people, such as "3.9 GB".
func Size(bytes float64) string {
	if bytes >= math.MaxUint64 {
		return humanize.SIWithDigits(bytes, 1, "B")
	}
	return humanize.Bytes(uint64(bytes))
}

// expected is the need of the works that run now, and the limit that the garbage collector had before the first of
// them.
var expected struct {
	sync.Mutex
	works  int
	bytes  float64
	before int64
}

// Expect tells the garbage collector how many bytes a piece of work needs, until end is called. The collector then runs
// before garbage grows beyond them. The needs of works side by side add up. Work that needs more gets it, and is
// slower. Where GOMEMLIMIT is set nothing changes.
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
