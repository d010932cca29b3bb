package benchmarks

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// ResetPeak returns unused memory to the system and resets the peak of resident memory. It reports whether Peak works,
// as it does on Linux.
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
