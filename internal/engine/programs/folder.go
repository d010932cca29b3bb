package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gfncp/gfncp/internal/usererr"
)

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
	warned.Do(func() { fmt.Fprintln(os.Stderr, "gfncp: warning:", err) })
}
