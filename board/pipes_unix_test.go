//go:build unix

package board

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/train"
)

// A log that is a pipe, which nobody writes to, is a fault and not waited for.
func TestPipeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	must.M(syscall.Mkfifo(path, 0o600))
	must.M(os.WriteFile(filepath.Join(dir, "config.toml"), nil, 0o600))
	url := serve(t, &Board{Folders: []string{dir}})
	ask(t, "GET", url+"state", "")
	status, text, _ := ask(t, "GET", url+"log/"+cached.Hash(dir), "")
	if status != 422 || !strings.Contains(text, "is a pipe") {
		t.Errorf("status %d: %s", status, text)
	}
	if last, ok := train.LastStep(dir); ok {
		t.Errorf("%+v", last)
	}
}
