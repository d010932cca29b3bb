package pjrtapi

import "sync/atomic"

// Counts are programs of this process, of all plugins.
type Counts struct {
	Compiled int `json:"compiled"`
	Loaded   int `json:"loaded"` // from the cache of compiled programs, in place of being compiled
	Ahead    int `json:"ahead"`  // loaded from a folder of programs that were compiled ahead (gfncp gpu compile)
}

var compiled, loaded, ahead atomic.Int64

// Programs returns how many programs have been compiled or loaded so far.
func Programs() Counts {
	return Counts{Compiled: int(compiled.Load()), Loaded: int(loaded.Load()), Ahead: int(ahead.Load())}
}
