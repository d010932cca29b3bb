package atomicfile

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// staleAge is how long a temporary file has not been written to before it counts as left by a killed process: on a
// shared file system that process may run on another machine, so whether it lives cannot be asked.
const staleAge = time.Hour

// tidied are the directories in which this process has looked for leftovers.
var tidied sync.Map

// tidy removes stale leftovers from dir, once in a process.
func tidy(dir string) {
	if _, done := tidied.LoadOrStore(dir, true); !done {
		RemoveLeftovers(dir, staleAge)
	}
}

// RemoveLeftovers removes the temporary files in dir that nobody has written to for the given time: a process that is
// killed cannot remove its own. With 0 the caller knows that nobody else writes files there, as who holds the lock of a
// run does. What cannot be read or removed stays; it does no harm but take room.
func RemoveLeftovers(dir string, age time.Duration) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if fits, _ := filepath.Match(tempPattern, entry.Name()); !fits {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= age {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}
