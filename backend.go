package gfncp

import (
	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/train"
)

// Option is a setting of Open and Train.
type Option func(*settings)

type settings struct {
	name    string
	backend compute.Backend
	hear    train.Listener
}

// On chooses the backend by name: "auto" (the default: CUDA where a plugin and a card are found, else an installed XLA
// CPU plugin, else the Go backend), "go", "xla:cpu", "xla:cuda", or a configuration of GoMLX.
func On(name string) Option { return func(s *settings) { s.name = name } }

// OnBackend takes a backend that is open already (OpenBackend); the caller closes it after the last use.
func OnBackend(backend compute.Backend) Option { return func(s *settings) { s.backend = backend } }

// Listen hears what Train does, step by step.
func Listen(hear Listener) Option { return func(s *settings) { s.hear = hear } }

// OpenBackend opens a backend by a name that On knows, for several models and trainings, or for package train. Finalize
// closes it. A backend that is not there is an *Error.
func OpenBackend(name string) (compute.Backend, error) {
	choice, err := engine.Choose(name)
	if err != nil {
		return nil, err
	}
	return choice.Open()
}

// Prepare makes the process safe for numerical work and must be the first call of main in a program that is built with
// GOEXPERIMENT=simd: it starts the program once more, in the same process, with GODEBUG=asyncpreemptoff=1. Without that
// setting math.Exp is at random up to 140 times slower there. In other programs it does nothing.
func Prepare() error { return engine.Prepare() }

// open applies the options and returns the backend, and what frees it if it belongs to nobody else.
func open(options []Option) (s settings, done func(), err error) {
	for _, option := range options {
		option(&s)
	}
	if s.backend != nil {
		return s, func() {}, nil
	}
	if s.backend, err = OpenBackend(s.name); err != nil {
		return s, nil, err
	}
	return s, s.backend.Finalize, nil
}
