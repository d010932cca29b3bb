package benchmarks

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"
)

// heapEvery is the time between two looks; each costs some microseconds and stops nothing.
const heapEvery = 2 * time.Millisecond

// The heap in use, garbage included, and what the last garbage collection found alive.
const (
	heapInUse = "/memory/classes/heap/objects:bytes"
	heapLive  = "/gc/heap/live:bytes"
)

// watchHeap follows the heap until stop, which writes what was seen into a result, beside what was there before.
func watchHeap() (stop func(*Result)) {
	before := liveHeap()
	var peak, peakLive uint64
	look := func() {
		samples := []metrics.Sample{{Name: heapInUse}, {Name: heapLive}}
		metrics.Read(samples)
		peak, peakLive = max(peak, samples[0].Value.Uint64()), max(peakLive, samples[1].Value.Uint64())
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(heapEvery)
		defer tick.Stop()
		for {
			look()
			select {
			case <-end:
				return
			case <-tick.C:
			}
		}
	}()
	return func(r *Result) {
		close(end)
		<-ended
		look()
		after := liveHeap()
		beside := func(bytes uint64) uint64 { return max(bytes, before) - before }
		r.Memory, r.Peak, r.PeakLive = beside(after), beside(max(peak, after)), beside(max(peakLive, after))
	}
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
