package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomlx/compute"
)

// Compilation is a program that a backend has compiled.
type Compilation struct {
	Program string
	Seconds float64 // of its first call, most of which the compiler took, or of the compiler alone
	Number  int     // of the backend's programs so far, this one included
}

// watchers are those of OnCompile.
var watchers sync.Map // compute.Backend → *watcher

type watcher struct {
	mu    sync.Mutex
	count int
	hear  func(Compilation)
}

// OnCompile tells hear of each program that is compiled for a backend from now on, once for each combination of shapes,
// one at a time, until forget is called.
func OnCompile(backend compute.Backend, hear func(Compilation)) (forget func()) {
	w := &watcher{hear: hear}
	watchers.Store(backend, w)
	return func() { watchers.CompareAndDelete(backend, w) }
}

// FirstCalls times the first calls of a program, one for each combination of shapes: Begin stands where its graph is
// built, and End behind each call.
type FirstCalls struct {
	Backend compute.Backend
	Program string
	began   atomic.Pointer[time.Time]
	ahead   atomic.Int32 // compilations under way that are no calls
}

// Begin notes that a graph is built.
func (f *FirstCalls) Begin() {
	if f.ahead.Load() == 0 {
		now := time.Now()
		f.began.Store(&now)
	}
}

// Ahead runs a compilation that is no call, and tells of it.
func (f *FirstCalls) Ahead(compile func() error) error {
	start := time.Now()
	f.ahead.Add(1)
	defer f.ahead.Add(-1)
	if err := compile(); err != nil {
		return err
	}
	f.tell(start)
	return nil
}

// End tells of the call, if a graph was built in it.
func (f *FirstCalls) End() {
	began := f.began.Swap(nil)
	if began != nil {
		f.tell(*began)
	}
}

func (f *FirstCalls) tell(began time.Time) {
	known, ok := watchers.Load(f.Backend)
	if !ok {
		return
	}
	w := known.(*watcher)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	w.hear(Compilation{Program: f.Program, Seconds: time.Since(began).Seconds(), Number: w.count})
}
