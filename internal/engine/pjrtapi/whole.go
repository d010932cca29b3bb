package pjrtapi

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
)

// whole returns an error if a file is no shared library, or a part of one: loading that would end the process. A
// missing file is not an error here: the loader reports it.
func whole(path string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	library, err := elf.Open(path) // its section headers are at the end
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("no whole shared library (%w)", err)
	}
	return library.Close()
}
