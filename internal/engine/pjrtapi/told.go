package pjrtapi

import "sync"

// Made is a program that a plugin has made ready to run.
type Made struct {
	Program  Program
	Seconds  float64 // that this took
	Loaded   bool    // from the cache of compiled programs, in place of being compiled
	Compiled int     // programs that this process has compiled so far
}

var told struct {
	sync.Mutex
	compiled int
	hear     func(Made) // nil: nobody listens
}

// Listen calls hear, in place of an earlier listener, with each program of this process that is compiled or loaded from
// now on, one at a time, until forget is called. A program is made once for each combination of shapes and client.
func Listen(hear func(Made)) (forget func()) {
	set := func(hear func(Made)) {
		told.Lock()
		defer told.Unlock()
		told.hear = hear
	}
	set(hear)
	return func() { set(nil) }
}

func tell(p Program, seconds float64, loaded bool) {
	told.Lock()
	defer told.Unlock()
	if !loaded {
		told.compiled++
	}
	if told.hear != nil {
		told.hear(Made{p, seconds, loaded, told.compiled})
	}
}
