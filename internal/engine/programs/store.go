// Package programs keeps compiled programs in a folder: entries by the hash of what they were compiled from and for,
// each with a checksum, in a bounded number of bytes. Several processes may use a folder at once. What a program is,
// and how it is loaded, belongs to package pjrtapi.
package programs

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Suffix ends the names of the files of compiled programs.
const Suffix = ".program"

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
	if err != nil || len(file) < sha256.Size {
		return nil, false
	}
	executable = file[sha256.Size:]
	if !bytes.Equal(checksum(key, executable), file[:sha256.Size]) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // an error does not matter: a read-only folder can be read
	return executable, true
}

// Put writes an entry in place of an earlier one of the key, and removes the entries that are too many. It makes the
// folder. A folder that cannot be written is a *usererr.Error.
func (s *Store) Put(key string, executable []byte) error {
	err := os.MkdirAll(s.Folder, 0o755)
	if err == nil {
		err = atomicfile.WriteFile(s.path(key), append(checksum(key, executable), executable...))
	}
	if err == nil {
		err = s.bound()
	}
	if err != nil {
		return usererr.File(s.Folder, 0, Remedy+"; until then each run compiles its programs",
			"the cache of compiled programs cannot be written (%v)", err).Because(err)
	}
	return nil
}

func (s *Store) path(key string) string { return filepath.Join(s.Folder, key+Suffix) }

// bound removes entries until the others fit, the longest unused first. Other processes may do the same meanwhile.
func (s *Store) bound() error {
	used := map[string]fs.FileInfo{}
	for _, path := range fileio.Matching(s.Folder, "*"+Suffix) {
		if info, err := os.Stat(path); err == nil {
			used[path] = info
		}
	}
	newest := func(a, b string) int { return used[b].ModTime().Compare(used[a].ModTime()) }
	var total int64
	for _, path := range slices.SortedFunc(maps.Keys(used), newest) {
		if total += used[path].Size(); total <= s.Most {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checksum is the start of a file. It covers key and executable, so that a renamed file is noticed.
func checksum(key string, executable []byte) []byte {
	sum := sha256.Sum256(slices.Concat([]byte(key), executable))
	return sum[:]
}

// MostBytes bounds the cache of compiled programs.
const MostBytes = 512 << 20

// Remedy is the advice to a user whose cache folder cannot be written.
const Remedy = "set XDG_CACHE_HOME to a folder that can be written"

// Cache returns the store that all runs of this user share, or a *usererr.Error where no cache folder is known. Its
// folder need not exist.
func Cache() (*Store, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return nil, usererr.New(Remedy, "no cache folder is known (%v)", err).Because(err)
	}
	return &Store{Folder: filepath.Join(root, "gfncp", "xla", "programs"), Most: MostBytes}, nil
}

var warned sync.Once

// Warn prints the first fault of the cache in the process on stderr. Work continues without the cache.
func Warn(err error) {
	if err != nil {
		warned.Do(func() { fmt.Fprintln(os.Stderr, "gfncp: warning:", err) })
	}
}
