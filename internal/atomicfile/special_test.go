//go:build linux

package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// TestSpecialFiles writes to a pipe and to a full device. The pipe comes first: were special files replaced instead of
// written, a run as root would otherwise lose /dev/full.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	must.M(CheckWritable(pipe))
	read := make(chan string, 1)
	go func() { read <- content(pipe) }()
	must.M(WriteFile(pipe, []byte("through")))
	if mode := must.M1(os.Lstat(pipe)).Mode(); mode&fs.ModeNamedPipe == 0 {
		t.Fatalf("the pipe was replaced: %v", mode)
	}
	if got := <-read; got != "through" {
		t.Errorf("the reader got %q", got)
	}
	if got := names(dir); got != "pipe" {
		t.Errorf("directory holds %q", got)
	}
	testFullDevice(t)
}

// testFullDevice checks the message for a full disk, met at the last flush and in the middle.
func testFullDevice(t *testing.T) {
	const path = "/dev/full"
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Skip("no /dev/full")
	}
	const want = `/dev/full: cannot be written: no space left on device; choose another output path`
	for _, size := range []int{1, 2 * bufferSize} {
		err := Write(path, func(w io.Writer) error {
			_, err := w.Write(make([]byte, size))
			return err
		})
		if err == nil || err.Error() != want || !usererr.Is(err) {
			t.Errorf("%d bytes: got %v\nwant %s", size, err, want)
		}
	}
}
