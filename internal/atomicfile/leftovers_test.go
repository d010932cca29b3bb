package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// What a killed process has left goes when it is old, and at once where nobody else writes; nothing else goes.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	const old, fresh = ".gfncp-123-0.tmp", ".gfncp-124-7.tmp"
	for _, name := range []string{old, fresh, ".gfncp-notes.tmp", "gfncp-1-2.tmp", ".gfncp-1-2.tmp.txt"} {
		must.M(os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o644))
		if name != fresh {
			past := time.Now().Add(-2 * staleAge)
			must.M(os.Chtimes(filepath.Join(dir, name), past, past))
		}
	}
	const others = ".gfncp-1-2.tmp.txt .gfncp-notes.tmp gfncp-1-2.tmp out"
	must.M(WriteFile(filepath.Join(dir, "out"), nil, 0o644))
	if got, want := names(t, dir), ".gfncp-1-2.tmp.txt "+fresh+" .gfncp-notes.tmp gfncp-1-2.tmp out"; got != want {
		t.Errorf("after a write there are %s, want %s", got, want)
	}
	RemoveLeftovers(dir, 0)
	if got := names(t, dir); got != others {
		t.Errorf("where nobody writes there are %s, want %s", got, others)
	}
	RemoveLeftovers(filepath.Join(dir, "none"), 0)
}
