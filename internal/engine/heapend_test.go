package engine

import (
	"runtime"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/memory"
)

// Opening the Go backend of a simd build maps room behind the heap, without taking memory for it.
func TestHeapEndIsFar(t *testing.T) {
	if !simdBuild {
		t.Skip("without GOEXPERIMENT=simd nothing reads beyond a tensor")
	}
	backend := must.M1(must.M1(Choose("go")).Open())
	defer backend.Finalize()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	want := min(memory.Limit()/2, mostRoom)
	if idle := float64(m.HeapIdle); idle < want/2 {
		t.Errorf("%v of %v bytes are mapped and idle", idle, want)
	}
	if resident := m.HeapSys - m.HeapReleased; resident > 1<<30 {
		t.Errorf("%d bytes are in memory", resident)
	}
}
