package pjrtapi

import "sync"

// Counts are programs of this process, of all plugins.
type Counts struct {
	Compiled int `json:"compiled"`
	Loaded   int `json:"loaded"` // from the cache of compiled programs, in place of being compiled
}

var (
	counting sync.Mutex
	counts   Counts
)

// Programs returns how many programs have been compiled or loaded so far.
func Programs() Counts {
	counting.Lock()
	defer counting.Unlock()
	return counts
}

func count(add func(*Counts)) {
	counting.Lock()
	defer counting.Unlock()
	add(&counts)
}
