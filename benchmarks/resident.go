package benchmarks

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// ResetPeak gives memory that is not used back to the system and makes the peak of resident memory begin anew. It
// reports whether Peak can tell of it: on Linux.
func ResetPeak() bool {
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200) == nil
}

// Peak is the most bytes of memory that the process has held since ResetPeak, 0 if unknown.
func Peak() (peak float64) {
	text, _ := os.ReadFile("/proc/self/status")
	_, line, _ := bytes.Cut(text, []byte("VmHWM:"))
	_, _ = fmt.Sscan(string(line), &peak) // in kB
	return 1024 * peak
}
