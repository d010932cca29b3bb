package benchmarks

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"
)

// heapWatch follows the heap while something runs.
type heapWatch struct {
	before         uint64 // live heap at the start
	peak, peakLive uint64
	end, ended     chan struct{}
}

// heapEvery is the time between two looks; each costs some microseconds and stops nothing.
const heapEvery = 2 * time.Millisecond

// The heap in use, garbage included, and what the last garbage collection found alive.
const (
	heapInUse = "/memory/classes/heap/objects:bytes"
	heapLive  = "/gc/heap/live:bytes"
)

func watchHeap() *heapWatch {
	w := &heapWatch{before: liveHeap(), end: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		tick := time.NewTicker(heapEvery)
		defer tick.Stop()
		for {
			w.look()
			select {
			case <-w.end:
				return
			case <-tick.C:
			}
		}
	}()
	return w
}

func (w *heapWatch) look() {
	samples := []metrics.Sample{{Name: heapInUse}, {Name: heapLive}}
	metrics.Read(samples)
	w.peak = max(w.peak, samples[0].Value.Uint64())
	w.peakLive = max(w.peakLive, samples[1].Value.Uint64())
}

// stop writes what was seen into the result, beside what was there before.
func (w *heapWatch) stop(r *Result) {
	close(w.end)
	<-w.ended
	w.look()
	after := liveHeap()
	beside := func(bytes uint64) uint64 { return max(bytes, w.before) - w.before }
	r.Memory, r.Peak, r.PeakLive = beside(after), beside(max(w.peak, after)), beside(max(w.peakLive, after))
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// loadAverage reads how many processes have wanted a core over the last 1, 5 and 15 minutes; nil where the system does
// not tell.
func loadAverage() []float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	load := make([]float64, 3)
	if _, err := fmt.Sscan(string(text), &load[0], &load[1], &load[2]); err != nil {
		return nil
	}
	return load
}
