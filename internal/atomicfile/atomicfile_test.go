package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// names lists dir, to see that nothing is left behind.
func names(dir string) string {
	var list []string
	for _, e := range must.M1(os.ReadDir(dir)) {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

func content(path string) string { return string(must.M1(os.ReadFile(path))) }

func TestWriteFileCreatesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	for _, want := range []string{"old and longer\n", "new\n", ""} {
		must.M(WriteFile(path, []byte(want)))
		if got := content(path); got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	}
	if got := names(dir); got != "out.csv" {
		t.Errorf("directory holds %q", got)
	}
	if mode := must.M1(os.Stat(path)).Mode(); runtime.GOOS != "windows" && mode.Perm() != 0o644 {
		t.Errorf("mode %v, want 0644", mode)
	}
}

func TestWriteKeepsPermission(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	path := filepath.Join(t.TempDir(), "out.csv")
	must.M(os.WriteFile(path, []byte("old"), 0o600))
	must.M(os.Chmod(path, 0o640))
	must.M(WriteFile(path, []byte("new")))
	if mode := must.M1(os.Stat(path)).Mode(); mode.Perm() != 0o640 {
		t.Errorf("mode %v, want 0640", mode)
	}
}

// TestOldContentUntilComplete looks at the old file after more than a buffer of the new content is written.
func TestOldContentUntilComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.bin")
	must.M(WriteFile(path, []byte("old")))
	big := bytes.Repeat([]byte("x"), 3*bufferSize+1)
	must.M(Write(path, func(w io.Writer) error {
		must.M1(w.Write(big))
		if got := content(path); got != "old" {
			t.Errorf("half way the file holds %d bytes, want the old content", len(got))
		}
		return nil
	}))
	if got := content(path); got != string(big) {
		t.Errorf("got %d bytes, want %d", len(got), len(big))
	}
}

func TestFailedFillLeavesOldFileAndNoTemp(t *testing.T) {
	broken := errors.New("broken")
	for name, fill := range map[string]func(io.Writer) error{
		"error":    func(w io.Writer) error { _, _ = w.Write(make([]byte, 2*bufferSize)); return broken },
		"panic":    func(io.Writer) error { panic(broken) },
		"notexist": func(io.Writer) error { return fmt.Errorf("%w: %w", broken, fs.ErrNotExist) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "out.csv")
		must.M(WriteFile(path, []byte("old")))
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			return Write(path, fill)
		}()
		if !errors.Is(err, broken) || usererr.Is(err) {
			t.Errorf("%s: error %v, want the cause and no user fault", name, err)
		}
		if got := content(path) + "|" + names(dir); got != "old|out.csv" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestPathFaults(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must.M(os.Mkdir("d", 0o755))
	for _, path := range []string{"file", "d/inner"} {
		must.M(os.WriteFile(path, []byte("kept"), 0o644))
	}
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Skip(err)
	}
	long := strings.Repeat("n", 300)
	cases := []struct{ path, want string }{
		{"", `the output path is empty; name the output file`},
		{"d", `d: is a directory, not a file to write; name a file in it, or choose another output path`},
		{"new/", `new/: is a directory, not a file to write; name a file in it, or choose another output path`},
		{"no/out", `no/out: the directory "no" does not exist; create it, or choose another output path`},
		{"file/out", `file/out: cannot be written: not a directory; choose another output path`},
		{"loop", `loop: cannot be written: too many levels of symbolic links; choose another output path`},
		{long, long + `: cannot be written: file name too long; choose another output path`},
	}
	if runtime.GOOS == "linux" { // root may not create files here either
		cases = append(cases, struct{ path, want string }{
			"/proc/out", `/proc/out: cannot be written: no such file or directory; choose another output path`,
		})
	}
	for _, c := range cases {
		write := func(p string) error { return WriteFile(p, []byte("x")) }
		for what, f := range map[string]func(string) error{"CheckWritable": CheckWritable, "WriteFile": write} {
			err := f(c.path)
			if err == nil || err.Error() != c.want || !usererr.Is(err) {
				t.Errorf("%s(%.20q) = %v\nwant %s", what, c.path, err, c.want)
			}
		}
	}
	if got := names(".") + "|" + names("d") + "|" + content("file"); got != "d file loop|inner|kept" {
		t.Errorf("left behind: %q", got)
	}
}

func TestCheckWritableChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	must.M(CheckWritable(path))
	if got := names(dir); got != "" {
		t.Errorf("left behind: %q", got)
	}
	must.M(os.WriteFile(path, []byte("old"), 0o644))
	must.M(CheckWritable(path))
	if got := content(path) + "|" + names(dir); got != "old|out.csv" {
		t.Errorf("got %q", got)
	}
}

// TestReadOnlyFile needs a user whom permission bits stop; root is not.
func TestReadOnlyFile(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("runs as root, or without permission bits")
	}
	path := filepath.Join(t.TempDir(), "out.csv")
	must.M(os.WriteFile(path, []byte("old"), 0o444))
	for what, err := range map[string]error{"check": CheckWritable(path), "write": WriteFile(path, nil)} {
		if !usererr.Is(err) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v, want a user fault", what, err)
		}
	}
	if got := content(path); got != "old" {
		t.Errorf("content %q", got)
	}
}

func TestLinkStaysLink(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	for _, want := range []string{"dangling", "existing"} {
		must.M(WriteFile(link, []byte(want)))
		if mode := must.M1(os.Lstat(link)).Mode(); mode&fs.ModeSymlink == 0 {
			t.Errorf("the link became %v", mode)
		}
		if got := content(file); got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	}
}

func TestConcurrentWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { must.M(WriteFile(path, bytes.Repeat([]byte{byte('a' + i)}, 1000))) })
	}
	wg.Wait()
	got := content(path)
	if len(got) != 1000 || strings.Trim(got, got[:1]) != "" {
		t.Errorf("got a mixture of %d bytes", len(got))
	}
	if got := names(dir); got != "out" {
		t.Errorf("directory holds %q", got)
	}
}

// What a killed process has left goes when it is old, and at once where nobody else writes; nothing else goes.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	old, fresh := tempName(strings.Repeat("A", 26)), tempName(strings.Repeat("2", 26))
	for _, name := range []string{old, fresh, ".gfncp-notes.tmp", "gfncp-1-2.tmp", ".gfncp-1-2.tmp.txt"} {
		must.M(os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o644))
		if name != fresh {
			past := time.Now().Add(-2 * staleAge)
			must.M(os.Chtimes(filepath.Join(dir, name), past, past))
		}
	}
	const others = ".gfncp-1-2.tmp.txt .gfncp-notes.tmp gfncp-1-2.tmp out"
	must.M(WriteFile(filepath.Join(dir, "out"), nil))
	if got, want := names(dir), ".gfncp-1-2.tmp.txt "+fresh+" .gfncp-notes.tmp gfncp-1-2.tmp out"; got != want {
		t.Errorf("after a write there are %s, want %s", got, want)
	}
	RemoveLeftovers(dir, 0)
	if got := names(dir); got != others {
		t.Errorf("where nobody writes there are %s, want %s", got, others)
	}
	RemoveLeftovers(filepath.Join(dir, "none"), 0)
	err := Write(filepath.Join(dir, "out"), func(io.Writer) error {
		RemoveLeftovers(dir, 0)
		return must.M1(createTemp(dir)).Close() // its name is another one
	})
	if runtime.GOOS != "windows" && (!usererr.Is(err) || !strings.Contains(err.Error(), "no such file")) {
		t.Errorf("a writer whose file is removed: %v", err)
	}
}
