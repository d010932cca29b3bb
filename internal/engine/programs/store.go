// Package programs keeps compiled programs in a folder: entries by the hash of what they were compiled from and for,
// each with a checksum, in a bounded number of bytes. Several processes may use a folder at once. What a program is,
// and how it is loaded, belongs to package pjrtapi.
package programs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
)

// Suffix ends the names of the files of compiled programs.
const Suffix = ".program"

// magic starts each file; a checksum follows.
var magic = []byte("gfncp program 1\n")

// Key names a program by everything that determines the compiled result. Equal parts in equal order give equal keys.
func Key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_ = binary.Write(h, binary.LittleEndian, int64(len(part))) // a hash takes everything
		_, _ = h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Store is a folder of compiled programs.
type Store struct {
	Folder string
	Most   int64 // bytes of all entries; when there are more, the longest unused are removed
}

// Get returns an entry, and whether it is there undamaged. A file that Put did not write, or that has another key,
// counts as missing. The entry is marked as used now.
func (s *Store) Get(key string) (executable []byte, found bool) {
	path := s.path(key)
	file, err := fileio.ReadFile(path)
	if err != nil {
		return nil, false
	}
	executable, found = unsealed(key, file)
	if found {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // an error does not matter: a read-only folder can be read
	}
	return executable, found
}

// Put writes an entry in place of an earlier one of the key, and removes the entries that are too many. It makes the
// folder. Its errors come from os.MkdirAll and package atomicfile.
func (s *Store) Put(key string, executable []byte) error {
	if err := os.MkdirAll(s.Folder, 0o755); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(s.path(key), sealed(key, executable), 0o644); err != nil {
		return err
	}
	return s.bound()
}

func (s *Store) path(key string) string { return filepath.Join(s.Folder, key+Suffix) }

// bound removes entries until the others fit, the longest unused first. Other processes may do the same meanwhile.
func (s *Store) bound() error {
	files, err := s.files()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var total int64
	for _, f := range files {
		if total += f.Size(); total <= s.Most {
			continue
		}
		if err := os.Remove(filepath.Join(s.Folder, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// files returns the entries; a missing folder has no entries.
func (s *Store) files() ([]fs.FileInfo, error) {
	listed, err := os.ReadDir(s.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []fs.FileInfo
	for _, entry := range listed {
		if filepath.Ext(entry.Name()) != Suffix {
			continue
		}
		if info, gone := entry.Info(); gone == nil {
			files = append(files, info)
		}
	}
	return files, err
}

// sealed is the content of a file. Its checksum covers key and executable, so that a renamed file is noticed.
func sealed(key string, executable []byte) []byte {
	sum := checksum(key, executable)
	return slices.Concat(magic, sum[:], executable)
}

// unsealed returns the executable in a file, and whether the file is whole and that key's.
func unsealed(key string, file []byte) (executable []byte, whole bool) {
	rest, known := bytes.CutPrefix(file, magic)
	if !known || len(rest) < sha256.Size {
		return nil, false
	}
	executable = rest[sha256.Size:]
	sum := checksum(key, executable)
	return executable, bytes.Equal(sum[:], rest[:sha256.Size])
}

func checksum(key string, executable []byte) [sha256.Size]byte {
	return sha256.Sum256(slices.Concat([]byte(key), executable))
}
