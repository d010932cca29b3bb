package main

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/janpfeifer/must"
)

// Large files are read with a heap that grows slowly, unless the user has said how it grows; small ones as ever.
func TestLargeFilesSaveMemory(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	w := newWorkplace(t)
	large, small := w.write("large.csv", ""), w.write("small.csv", "1,2")
	must.M(os.Truncate(large, largeFile+1))
	for _, c := range []struct {
		path, own string
		want      int
	}{{small, "", 100}, {large, "100", 100}, {w.path("none"), "", 100}, {large, "", largeGrowth}} {
		t.Setenv(growthSetter, c.own)
		saveMemory(c.path)
		if got := debug.SetGCPercent(100); got != c.want {
			t.Errorf("%s with GOGC=%q: the heap grows by %d %%, want %d", c.path, c.own, got, c.want)
		}
	}
}
