package programs

import (
	"fmt"
	"os"
	"sync"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Unwritable is the fault of a cache folder that cannot be written.
func Unwritable(folder string, err error) error {
	return &usererr.Error{
		Path: folder, Msg: "the cache of compiled programs cannot be written (" + err.Error() + ")",
		Hint: Remedy + "; until then each run compiles its programs", Err: err,
	}
}

var warned sync.Once

// Warn prints a fault of the cache on stderr, the first one of the process: work goes on without the cache.
func Warn(err error) {
	warned.Do(func() { fmt.Fprintln(os.Stderr, "gfncp: warning:", err) })
}
