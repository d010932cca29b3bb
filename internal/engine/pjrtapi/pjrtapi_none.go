//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package pjrtapi

import "errors"

// Prepare fails: this binary cannot load plugins.
func Prepare(string) (Version, error) {
	return Version{}, errors.New("this binary was built without cgo, so it loads no PJRT plugins")
}
