package engine

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gfncp/gfncp/internal/memory"
)

// mostRoom is the most address space that clearHeapEnd maps, roomPiece the size of its allocations.
const (
	mostRoom  = 16 << 30
	roomPiece = 64 << 20
)

// clearHeapEnd maps more address space than the heap will fill, so that no tensor lies at its very end. It takes no
// memory: new pages are never touched. The room is taken in pieces, because Go clears an allocation as a whole where a
// part of it was used before.
//
// The reason: the Part loads of Go 1.27's simd package, with which GoMLX reads the last few numbers of a tensor, read a
// whole register and mask it afterwards (research/upstream/simd-part). Behind the last mapped page that is a fault that
// ends the process: 2 of 250 runs of a short training did.
var clearHeapEnd = sync.OnceFunc(func() { mapRoom(int(min(memory.Limit()/2, mostRoom))) })

// mapRoom allocates so many bytes and gives them back. Meanwhile nothing is collected: the room may be above
// GOMEMLIMIT.
func mapRoom(bytes int) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	pieces := make([][]byte, bytes/roomPiece)
	for i := range pieces {
		pieces[i] = make([]byte, roomPiece)
	}
	runtime.KeepAlive(pieces)
	debug.FreeOSMemory()
}
