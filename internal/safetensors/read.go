package safetensors

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// give is the remedy for a path that holds no usable file.
const give = "give a checkpoint written by gfncp train or gfncp export"

// ReadFile reads the safetensors file at path. A file that is missing, unreadable, no regular file, cut short or of
// another format is a *usererr.Error; a foreign file is refused by its first bytes, however large it is.
func ReadFile(path string) (*File, error) {
	f, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fileio.OpenFault(path, err)
	}
	data, err := readAll(f, info.Size())
	if err != nil {
		return nil, contentFault(path, "is not a safetensors file", err)
	}
	file, err := Decode(data)
	if err != nil {
		return nil, contentFault(path, "is a damaged or unsupported safetensors file", err)
	}
	return file, nil
}

// readAll reads the size bytes of r after a look at the first ones.
func readAll(r io.Reader, size int64) ([]byte, error) {
	start := make([]byte, min(size, prefixLen+1))
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, err
	}
	if _, err := headerLen(start, size); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	data := make([]byte, size)
	copy(data, start)
	_, err := io.ReadFull(r, data[len(start):])
	return data, err
}

// contentFault explains why the content of path could not be used; what says what path is.
func contentFault(path, what string, err error) error {
	if !errors.Is(err, ErrFormat) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	hint := give
	if errors.Is(err, ErrTruncated) {
		what, hint = "is a safetensors file that is cut short", "copy it again, or "+give
	}
	detail := strings.TrimPrefix(err.Error(), ErrFormat.Error()+": ")
	detail = strings.TrimPrefix(detail, ErrTruncated.Error()+": ")
	return usererr.File(path, 0, hint, "%s (%s)", what, detail).Because(err)
}
