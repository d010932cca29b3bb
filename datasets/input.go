package datasets

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/gfncp/gfncp/internal/usererr"
)

// maxValues is the largest number of values that a pool may hold: 4 GiB of float32.
const maxValues = 1 << 30

// unpack returns what r holds, unpacked if it starts as gzip data does, whatever its name.
func unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	start, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(start) < 2 || start[0] != 0x1f || start[1] != 0x8b { // RFC 1952, section 2.3.1
		return in, nil
	}
	packed, err := gzip.NewReader(in)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return bufio.NewReaderSize(packed, 1<<16), nil
}

// isPackFault reports whether reading failed because the gzip data is damaged or cut short.
func isPackFault(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}

// readFault explains an error in reading the unpacked file at path.
func readFault(path string, err error) error {
	if isPackFault(err) {
		return &usererr.Error{Path: path, Msg: "the gzip data is damaged or cut short", Hint: "copy or download it anew", Err: err}
	}
	return fmt.Errorf("read %s: %w", path, withoutPath(err))
}

// withoutPath is the fault in an error that repeats the path.
func withoutPath(err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// openFault explains why a file could not be opened.
func openFault(path string, err error) error {
	e := &usererr.Error{Path: path, Msg: "no such file or folder", Hint: "check the path", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
	case errors.Is(err, fs.ErrPermission):
		e.Msg, e.Hint = "no permission to read it", "make it readable"
	default:
		return fmt.Errorf("read %s: %w", path, withoutPath(err))
	}
	return e
}

// withFile calls read with the unpacked content of the file at path.
func withFile(path string, read func(*bufio.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return openFault(path, err)
	}
	defer func() { _ = f.Close() }()
	in, err := unpack(f)
	if err != nil {
		return readFault(path, err)
	}
	return read(in)
}

// product multiplies dimensions; ok is false if one is below 1 or the product exceeds maxValues.
func product(dims []int) (n int, ok bool) {
	n = 1
	for _, d := range dims {
		if d < 1 || d > maxValues/n {
			return 0, false
		}
		n *= d
	}
	return n, true
}
