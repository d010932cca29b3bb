// Package fileio opens the user's files: it reads regular files, unpacks gzip data, whatever the file is called, and
// turns faults of the file system into errors that the user can mend.
package fileio

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// errTooLong ends the reading of data that are too long: 0.4 MB of gzip data can hold 2 GB of zeros.
var errTooLong = errors.New("the data are more than a quarter of the memory that may be used")

// bounded reads from r, and fails with errTooLong instead of reading more than left bytes.
type bounded struct {
	r    io.Reader
	left float64
}

func inMemory(r io.Reader) io.Reader { return &bounded{r, memory.Limit() / 4} }

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= float64(n); b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// Unpack returns the content of r, unpacked if it starts as gzip data does; packed tells whether it does. Packed data
// that takes more than a quarter of the memory limit ends with an error, which ReadFault explains.
func Unpack(r io.Reader) (in *bufio.Reader, packed bool, err error) {
	in = bufio.NewReaderSize(r, 1<<16)
	start, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if len(start) < 2 || start[0] != 0x1f || start[1] != 0x8b { // RFC 1952, section 2.3.1
		return in, false, nil
	}
	unpacked, err := gzip.NewReader(in)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, true, err
	}
	return bufio.NewReaderSize(inMemory(unpacked), 1<<16), true, nil
}

// IsPackFault reports whether reading failed because the gzip data is damaged or cut short.
func IsPackFault(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// ReadFault explains an error in reading the unpacked file at path.
func ReadFault(path string, err error) error {
	if IsPackFault(err) {
		return usererr.File(path, 0, "copy or download it anew", "the gzip data is damaged or cut short").Because(err)
	}
	if errors.Is(err, errTooLong) {
		return usererr.File(path, 0, "give less data", "%v", err).Because(memory.ErrLimit)
	}
	return fmt.Errorf("read %s: %w", path, WithoutPath(err))
}

// WithoutPath returns the cause of an error without the path that it names.
func WithoutPath(err error) error {
	if named, ok := errors.AsType[*fs.PathError](err); ok {
		return named.Err
	}
	return err
}

// OpenFault explains why a file could not be opened.
func OpenFault(path string, err error) error {
	switch {
	case usererr.Is(err):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return usererr.File(path, 0, "check the path", "no such file or folder").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return usererr.File(path, 0, "make it readable", "no permission to read it").Because(err)
	case errors.Is(err, syscall.ELOOP):
		return usererr.File(path, 0, "check the path", "the symbolic links lead in a circle").Because(err)
	}
	return fmt.Errorf("read %s: %w", path, WithoutPath(err))
}

// Matching lists the paths of the files in the directory dir that fit a pattern (path.Match), in the order of their
// names. A directory that is missing or cannot be read has none. Brackets and stars in dir have no special meaning.
func Matching(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern) // fails for a pattern that is not well formed
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names
}

// Open opens the regular file at path. It never waits: a folder, a pipe and a device are a *usererr.Error.
func Open(path string) (*os.File, error) { return open(path, false) }

// open opens a regular file, or with pipes also a pipe, whose writer is waited for.
func open(path string, pipes bool) (*os.File, error) {
	info, err := os.Stat(path) // first: to open a pipe waits for its writer
	if err != nil {
		return nil, OpenFault(path, err)
	}
	how := nonBlock // the file may have become a pipe since
	if pipes && info.Mode()&fs.ModeNamedPipe != 0 {
		how = 0
	}
	f, err := os.OpenFile(path, os.O_RDONLY|how, 0)
	if err != nil {
		return nil, OpenFault(path, err)
	}
	if info, err = f.Stat(); err != nil {
		_ = f.Close()
		return nil, OpenFault(path, err)
	}
	if mode := info.Mode(); !mode.IsRegular() && (how != 0 || mode&fs.ModeNamedPipe == 0) {
		_ = f.Close()
		return nil, usererr.File(path, 0, "name a regular file", "is %s", kindOf(mode))
	}
	return f, nil
}

// kindOf names the kind of a file that is not regular.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// ReadFile returns the bytes of the regular file at path, at most a quarter of the memory limit.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(inMemory(f))
	if err != nil {
		return nil, ReadFault(path, err)
	}
	return content, nil
}

// ReadAll returns the unpacked content of r, which is the file at path, at most a quarter of the memory limit.
func ReadAll(path string, r io.Reader) (content []byte, err error) {
	in, _, err := Unpack(inMemory(r))
	if err == nil {
		content, err = io.ReadAll(in)
	}
	if err != nil {
		return nil, ReadFault(path, err)
	}
	return content, nil
}

// ReadInput returns the unpacked content of the file or pipe at path, at most a quarter of the memory limit.
func ReadInput(path string) ([]byte, error) {
	f, err := open(path, true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return ReadAll(path, f)
}
