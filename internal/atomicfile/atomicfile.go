// Package atomicfile writes whole files so that a reader, or a crash, meets either the old content or the new one,
// never a part. Every result, table and checkpoint of gfncp goes through it. What the content means belongs elsewhere.
//
// The new content goes to a temporary file in the same directory, is synced to disk and renamed over the old file; then
// the directory is synced. It is written on package os alone because renameio leaves out Windows and the directory sync.
// On Windows a rename is atomic for readers, but the directory is not synced.
package atomicfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// DefaultPerm is the permission of a new file written by Write, before the umask.
const DefaultPerm fs.FileMode = 0o644

// bufferSize is the write buffer in bytes.
const bufferSize = 1 << 16

// WriteFile replaces the content of the file at path by data, or creates it with permission perm (before the umask).
// An existing file keeps its permission bits. It fails as Write does.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return write(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteJSON replaces the content of the file at path by v as indented JSON with a line end. It fails as Write does, or if v has no
// JSON.
func WriteJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteFile(path, append(text, '\n'), DefaultPerm)
}

// Write replaces the content of the file at path by what fill writes; writes are buffered. A new file gets DefaultPerm.
//
// If fill fails or panics, or the disk does, the old file is untouched and no temporary file stays behind. An error of
// fill is returned wrapped. Faults of the path (no such directory, a directory in place of the file, not writable, disk
// full) are *usererr.Error. A symbolic link is followed and stays a link. A device or pipe, such as /dev/stdout, has no
// old content to lose and is written directly.
func Write(path string, fill func(io.Writer) error) error {
	return write(path, DefaultPerm, fill)
}

// CheckWritable reports whether Write could write path now, so that a command fails before its long work instead of
// after it. The fault is a *usererr.Error, as from Write. Nothing is changed or left behind.
func CheckWritable(path string) error {
	t, err := resolve(path)
	if err != nil || t.special {
		return err
	}
	f, err := createTemp(t.dir, DefaultPerm)
	if err != nil {
		return explain(path, t.dir, err)
	}
	err = f.Close()
	if rmErr := os.Remove(f.Name()); err == nil {
		err = rmErr
	}
	return explain(path, t.dir, err)
}

// write does the work of Write and WriteFile.
func write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	t, err := resolve(path)
	if err != nil {
		return err
	}
	if t.special {
		return writeSpecial(path, t, fill)
	}
	f, err := createTemp(t.dir, perm)
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
	b := bufio.NewWriterSize(struct{ io.Writer }{w}, bufferSize) // hides ReadFrom, which mixes up the faults of both sides
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
	err = buffered(f, fill)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return explain(path, t.dir, err)
}

// createTemp creates a new empty file in dir. Its name is short, so that a long final name cannot make it too long, and
// starts with a dot. O_EXCL makes concurrent writers, and a file left by a killed run, step to the next number.
func createTemp(dir string, perm fs.FileMode) (*os.File, error) {
	const attempts = 10000
	var err error
	for n := range attempts {
		name := filepath.Join(dir, fmt.Sprintf(".gfncp-%d-%d.tmp", os.Getpid(), n))
		var f *os.File
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}
