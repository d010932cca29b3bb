package pjrtapi

import "sync"

// Counts are programs of this process, of all plugins.
type Counts struct {
	Compiled int `json:"compiled"`
	Loaded   int `json:"loaded"` // from the cache of compiled programs, in place of being compiled
}

// Made is a program that a plugin has made ready to run.
type Made struct {
	Program Program
	Seconds float64 // that this took
	Counts  Counts  // of the process so far, this one included
}

var told = struct {
	sync.Mutex
	counts Counts
	hear   map[*func(Made)]bool
}{hear: map[*func(Made)]bool{}}

// Programs returns how many programs have been compiled or loaded so far.
func Programs() Counts {
	told.Lock()
	defer told.Unlock()
	return told.counts
}

// Listen calls hear with each program of this process that is compiled or loaded from now on, one at a time, until
// forget is called. A program is made once for each combination of shapes and client.
func Listen(hear func(Made)) (forget func()) {
	told.Lock()
	defer told.Unlock()
	told.hear[&hear] = true
	return func() {
		told.Lock()
		defer told.Unlock()
		delete(told.hear, &hear)
	}
}

func tell(p Program, seconds float64, count func(*Counts)) {
	told.Lock()
	defer told.Unlock()
	count(&told.counts)
	for hear := range told.hear {
		(*hear)(Made{Program: p, Seconds: seconds, Counts: told.counts})
	}
}
