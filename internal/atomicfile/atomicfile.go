// Package atomicfile writes whole files so that a reader, or a crash, meets either the old content or the new one,
// never a part. Every result, table and checkpoint of gfncp goes through it. It does not interpret the content.
//
// The new content goes to a temporary file in the same directory, is synced to disk and renamed over the old file; then
// the directory is synced, except on Windows. (renameio leaves out Windows and that sync.)
package atomicfile

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gfncp/gfncp/internal/usererr"
)

const bufferSize = 1 << 16

// WriteFile replaces the content of the file at path by data. It fails as Write does.
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteJSON replaces the content of the file at path by v as indented JSON with a line end. It fails as Write does,
// or if v has no JSON.
func WriteJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteFile(path, append(text, '\n'))
}

// Write replaces the content of the file at path by the output of fill, buffered. A new file has permission 0644,
// before the umask; an existing file keeps its permission bits.
//
// If fill fails or panics, or the disk fails, the old file is untouched and no temporary file stays. Faults of the path
// and a full disk are *usererr.Error. A symbolic link stays one; a device or pipe is written directly.
func Write(path string, fill func(io.Writer) error) error {
	t, err := resolve(path)
	if err != nil {
		return err
	}
	if t.special {
		return writeSpecial(path, t, fill)
	}
	if _, done := tidied.LoadOrStore(t.dir, true); !done {
		RemoveLeftovers(t.dir, staleAge)
	}
	f, err := createTemp(t.dir)
	if err != nil {
		return explain(path, t.dir, err)
	}
	renamed := false
	defer func() { // also when fill panics
		if !renamed {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := fillAndSync(f, t, fill); err != nil {
		return explain(path, t.dir, err)
	}
	if err := os.Rename(f.Name(), t.file); err != nil {
		return explain(path, t.dir, err)
	}
	renamed = true
	return explain(path, t.dir, syncDir(t.dir))
}

// CheckWritable reports whether Write could write path now, so that a command fails before its long work instead of
// after it. The fault is a *usererr.Error, as from Write. Nothing is changed or left behind.
func CheckWritable(path string) error {
	t, err := resolve(path)
	if err != nil || t.special {
		return err
	}
	f, err := createTemp(t.dir)
	if err != nil {
		return explain(path, t.dir, err)
	}
	return explain(path, t.dir, cmp.Or(f.Close(), os.Remove(f.Name())))
}

// MakeDir creates a directory for output, and checks that files can be written in it. The fault is a *usererr.Error
// with the hint, or one of CheckWritable.
func MakeDir(dir, hint string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usererr.File(dir, 0, hint, "cannot be created (%v)", err).Because(err)
	}
	return CheckWritable(filepath.Join(dir, "x"))
}

// fillAndSync writes the new content to the temporary file f, gives it the old file's mode, syncs and closes it.
func fillAndSync(f *os.File, t target, fill func(io.Writer) error) error {
	if err := buffered(f, fill); err != nil {
		return err
	}
	if t.exists {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Mode().Perm() != t.perm {
			if err := f.Chmod(t.perm); err != nil {
				return err
			}
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// buffered runs fill on a buffer in front of w. A fault of fill itself, not of writing to w, becomes a fillError.
func buffered(w io.Writer, fill func(io.Writer) error) error {
	b := bufio.NewWriterSize(struct{ io.Writer }{w}, bufferSize) // hides ReadFrom, which mixes up faults of both sides
	err := fill(b)
	if _, failed := b.Write(nil); failed != nil {
		return failed // the first fault of w
	}
	if err != nil {
		return fillError{err}
	}
	return b.Flush()
}

// fillError is an error of the caller's function: it says nothing about the output path.
type fillError struct{ error }

// writeSpecial writes to a device or pipe, which cannot be replaced.
func writeSpecial(path string, t target, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return explain(path, t.dir, err)
	}
	return explain(path, t.dir, cmp.Or(buffered(f, fill), f.Close()))
}

// tempPattern matches the names that createTemp gives.
var tempPattern = tempName(strings.Repeat("?", len(rand.Text())))

func tempName(random string) string { return ".gfncp-" + random + ".tmp" }

// createTemp creates a new empty file in dir. Its name is short, so that a long final name cannot make it too long, and
// starts with a dot. No name comes twice: a file that is removed and made anew would be renamed by two writers.
func createTemp(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, tempName(rand.Text())), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

const elsewhere = "choose another output path"

// target is where an output path leads.
type target struct {
	file    string      // the file to replace, links followed
	dir     string      // its directory, which may be missing
	exists  bool        // a regular file is there already
	perm    fs.FileMode // its permission bits
	special bool        // a device, pipe or socket: cannot be replaced
}

// resolve follows links from path and checks that it can name an output file.
func resolve(path string) (target, error) {
	if path == "" {
		return target{}, usererr.New("name the output file", "the output path is empty")
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir(), os.IsPathSeparator(path[len(path)-1]):
		return target{}, usererr.File(path, 0, "name a file in it, or "+elsewhere,
			"is a directory, not a file to write")
	case err == nil && !info.Mode().IsRegular():
		return target{dir: filepath.Dir(path), special: true}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return target{}, explain(path, filepath.Dir(path), err)
	}
	file := followLinks(path)
	t := target{file: file, dir: filepath.Dir(file)}
	if err != nil { // it is new
		return t, nil
	}
	t.exists, t.perm = true, info.Mode().Perm()
	f, err := os.OpenFile(file, os.O_WRONLY, 0) // a rename alone would replace a file protected against writing
	if err != nil {
		return t, explain(path, t.dir, err)
	}
	return t, f.Close()
}

// followLinks returns the path that symbolic links lead to, which os.Stat found in no circle; the last need not exist.
func followLinks(path string) string {
	const most = 40 // as Linux does
	for range most {
		to, err := os.Readlink(path)
		if err != nil { // no link
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// mendable are the faults of a path or a disk that the user can mend. Some file systems, such as /proc, answer "does
// not exist" when asked to create a file.
var mendable = []error{
	syscall.ENOTDIR, syscall.EROFS, syscall.ENAMETOOLONG, syscall.ELOOP, syscall.ENOSPC, syscall.EDQUOT,
	fs.ErrPermission, fs.ErrNotExist,
}

// explain turns err into a *usererr.Error if the user can mend it, and otherwise wraps it. A nil error stays nil.
func explain(path, dir string, err error) error {
	if err == nil || usererr.Is(err) {
		return err
	}
	if fill, byFill := errors.AsType[fillError](err); byFill {
		return fmt.Errorf("write %s: %w", path, fill.error)
	}
	errno, _ := errors.AsType[syscall.Errno](err)
	_, noDir := os.Stat(dir)
	switch {
	case errors.Is(noDir, fs.ErrNotExist):
		return usererr.File(path, 0, "create it, or "+elsewhere, "the directory %q does not exist", dir).Because(err)
	case slices.ContainsFunc(mendable, func(fault error) bool { return errors.Is(err, fault) }):
		return usererr.File(path, 0, elsewhere, "cannot be written: %v", errno).Because(err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// syncDir makes a rename in dir durable. A file system or platform that cannot sync a directory is no fault: the
// content itself is synced already.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // writable but not readable
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return cmp.Or(err, d.Close())
}

// staleAge is how long a temporary file has not been written to before it counts as left by a killed process: on a
// shared file system that process may run on another machine, so whether it lives cannot be asked.
const staleAge = time.Hour

// tidied are the directories in which this process has looked for leftovers.
var tidied sync.Map

// RemoveLeftovers removes the temporary files in dir that nobody has written to for the given time: a process that is
// killed cannot remove its own. Give 0 only if nobody else writes there. Errors are ignored.
func RemoveLeftovers(dir string, age time.Duration) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if fits, _ := filepath.Match(tempPattern, entry.Name()); !fits {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= age {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}
