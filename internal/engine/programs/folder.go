package programs

import (
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/usererr"
)

// MostBytes bounds the cache of compiled programs.
const MostBytes = 512 << 20

// Remedy is what to do about a cache folder that cannot be written.
const Remedy = "set XDG_CACHE_HOME to a folder that can be written"

// CacheFolder returns the folder of all that is kept for XLA, gfncp/xla in the user's cache folder, or a *usererr.Error
// where no cache folder is known. It need not exist.
func CacheFolder() (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", &usererr.Error{Msg: "no cache folder is known (" + err.Error() + ")", Hint: Remedy, Err: err}
	}
	return filepath.Join(root, "gfncp", "xla"), nil
}

// Cache returns the store that all runs of this user share. It fails as CacheFolder does.
func Cache() (*Store, error) {
	folder, err := CacheFolder()
	if err != nil {
		return nil, err
	}
	return &Store{Folder: filepath.Join(folder, "programs"), Most: MostBytes}, nil
}
