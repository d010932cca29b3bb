//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package pjrtapi

import "errors"

// Prepare fails: this binary cannot load plugins.
func Prepare(string) (Plugin, error) {
	return Plugin{}, errors.New("this binary was built without cgo, so it loads no PJRT plugins")
}

// StandIn fails: this binary cannot load plugins.
func StandIn(_, path string) error {
	_, err := Prepare(path)
	return err
}

// Target is a device that is described and need not be there.
type Target struct{}

// OpenTarget fails: this binary cannot load plugins.
func OpenTarget(path, _ string) (Target, error) {
	_, err := Prepare(path)
	return Target{}, err
}

// Close does nothing.
func (Target) Close() {}

// Key is never called, since no target can be opened.
func (Target) Key(Program) (string, error) { return "", errors.New("no target") }

// Compile is never called, since no target can be opened.
func (Target) Compile(Program) (Executable, error) { return Executable{}, errors.New("no target") }
