package files

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

func packed(raw []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.M1(w.Write(raw))
	must.M(w.Close())
	return b.Bytes()
}

// write creates a file with its folders and returns its path.
func write(t *testing.T, content []byte, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.WriteFile(path, content, 0o644))
	return path
}

// wantUserError checks that err is a fault of the user with all the words.
func wantUserError(t *testing.T, err error, words ...string) {
	t.Helper()
	if !usererr.Is(err) {
		t.Errorf("got %v, want a user's fault with %q", err, words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("got %q, want it to name %q", err, word)
		}
	}
}

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
