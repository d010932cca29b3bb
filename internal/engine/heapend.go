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
// memory, because new pages are never touched. It allocates in pieces, because Go would clear used pages of one piece.
//
// The reason: the Part loads of Go 1.27's simd package, with which GoMLX reads the last few numbers of a tensor, read a
// whole register. At the last mapped page this crashed 2 of 250 short trainings.
var clearHeapEnd = sync.OnceFunc(func() { mapRoom(int(min(memory.Limit()/2, mostRoom))) })

// mapRoom allocates a number of bytes and frees them. Garbage collection is off meanwhile, because the bytes may exceed
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
