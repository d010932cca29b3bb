package engine

import (
	"sync"
	"time"

	"github.com/gomlx/compute"
)

// Compilation is a program that a backend has compiled.
type Compilation struct {
	Program string  // its name, with the number of the shapes it is compiled for
	Seconds float64 // that the compiler took
	Number  int     // of the backend's programs so far, this one included
}

// watched is a backend that counts and times what it compiles.
type watched struct {
	compute.Backend
	mu    sync.Mutex
	count int
	hear  func(Compilation)
}

// OnCompile tells hear of each program that a backend of Choice.Open compiles from now on, one at a time. The Go
// backend compiles in milliseconds and tells nothing.
func OnCompile(backend compute.Backend, hear func(Compilation)) {
	if w, ok := backend.(*watched); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.hear = hear
	}
}

// Builder returns the backend's own, whose Compile is watched.
func (w *watched) Builder(name string) compute.Builder { return watchedBuilder{w.Backend.Builder(name), w} }

type watchedBuilder struct {
	compute.Builder
	backend *watched
}

// Compile compiles the program and tells of it.
func (b watchedBuilder) Compile() (compute.Executable, error) {
	start := time.Now()
	executable, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	w := b.backend
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count++; w.hear != nil {
		w.hear(Compilation{Program: b.Name(), Seconds: time.Since(start).Seconds(), Number: w.count})
	}
	return executable, nil
}
