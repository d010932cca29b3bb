package main

import (
	"io"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// A second clustering on XLA compiles nothing and prints the same.
func TestSecondClusteringCompilesNothing(t *testing.T) {
	for _, plugin := range xlatest.Plugins(t) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		var reports [2]strings.Builder
		var counts [2]pjrtapi.Counts
		for i := range reports {
			before := pjrtapi.Programs()
			line := []string{
				"gfncp", "cluster", "../../examples/points.csv", "--model", "mog-gfncp-free", "--scale", "1",
				"--samples", "4", "--quiet", "--backend", "xla:" + plugin,
			}
			if status := run(line, &reports[i], io.Discard); status != exitDone {
				t.Fatalf("%s: status %d", plugin, status)
			}
			now := pjrtapi.Programs()
			counts[i] = pjrtapi.Counts{Compiled: now.Compiled - before.Compiled, Loaded: now.Loaded - before.Loaded}
		}
		first, second := counts[0], counts[1]
		if first.Compiled == 0 || second.Compiled != 0 || second.Loaded != first.Compiled+first.Loaded {
			t.Errorf("%s: first %+v, then %+v", plugin, first, second)
		}
		if reports[0].String() != reports[1].String() {
			t.Errorf("%s: the second report is another one:\n%s\nfirst:\n%s", plugin, &reports[1], &reports[0])
		}
	}
}
