package engine

import (
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gfncp/gfncp/internal/memory"
)

// mostRoom is the most address space that clearHeapEnd maps.
const mostRoom = 16 << 30

// clearHeapEnd maps more address space than the heap will fill, so that no tensor lies at its very end. It takes no
// memory: the pages are never touched.
//
// The reason: the Part loads of Go 1.27's simd package, with which GoMLX reads the last few numbers of a tensor, read a
// whole register and mask it afterwards (docs/upstream/simd-part). Behind the last mapped page that is a fault that
// ends the process: 2 of 250 runs of a short training did.
var clearHeapEnd = sync.OnceFunc(func() {
	room := make([]byte, int(min(memory.Limit()/2, mostRoom)))
	runtime.KeepAlive(&room[0])
	debug.FreeOSMemory()
})
