package engine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
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

// Mapping room takes no memory where the heap's last pages were used before, either.
func TestRoomTakesNoMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is read from Linux's /proc")
	}
	used := make([]byte, 200<<20)
	for i := range used {
		used[i] = 1
	}
	runtime.KeepAlive(used)
	used = nil
	runtime.GC()
	must.M(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // the peak begins anew
	before := resident(t, "VmRSS")
	mapRoom(4 << 30)
	if taken := resident(t, "VmHWM") - before; taken > 512<<20 {
		t.Fatalf("mapping 4 GB of room took %d MB", taken>>20)
	}
}

// resident is a line of Linux's status of the process: its resident memory or the peak of it, in bytes.
func resident(t *testing.T, line string) int64 {
	t.Helper()
	for text := range strings.Lines(string(must.M1(os.ReadFile("/proc/self/status")))) {
		if rest, found := strings.CutPrefix(text, line+":"); found {
			return must.M1(strconv.ParseInt(strings.Fields(rest)[0], 10, 64)) << 10
		}
	}
	t.Fatalf("/proc/self/status has no line %s", line)
	return 0
}
