//go:build unix

package fileio

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Neither a pipe, which nobody writes to, nor a device without an end is waited for.
func TestOpenNeverWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	must.M(syscall.Mkfifo(pipe, 0o600))
	must.M(os.WriteFile(file, []byte("text"), 0o600))
	link := filepath.Join(dir, "link")
	must.M(os.Symlink("/dev/zero", link))
	for path, want := range map[string]string{
		pipe: "is a pipe", link: "is a device", dir: "is a folder", filepath.Join(file, "below"): "no such file",
	} {
		if _, err := ReadFile(path); !usererr.Is(err) || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%s gave %v", path, err)
		}
	}
	if text, err := ReadFile(file); err != nil || string(text) != "text" {
		t.Errorf("the file gave %q, %v", text, err)
	}
	must.M(memory.SetLimit("64MB"))
	t.Cleanup(func() { must.M(memory.SetLimit("1TB")) })
	must.M(os.Truncate(file, 17e6))
	if _, err := ReadFile(file); !usererr.Is(err) || !strings.Contains(err.Error(), "more than a quarter") {
		t.Errorf("a large file gave %v", err)
	}
}
