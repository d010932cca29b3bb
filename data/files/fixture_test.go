package files

import (
	"runtime"
	"testing"

	"github.com/gfncp/gfncp/internal/testfiles"
)

var (
	packed        = testfiles.Packed
	write         = testfiles.Write
	wantUserError = testfiles.WantUserError
)

// wantLittleMemory checks that reading a small file, whatever it claims, allocates at most 1 MiB.
func wantLittleMemory(t *testing.T, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}
