//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

/*
#cgo linux LDFLAGS: -ldl
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/gfncp/gfncp/internal/engine/programs"
)

var (
	preparing sync.Mutex
	prepared  = map[string]Version{}
	opened    []plugin // by their numbers in the process
)

// plugin is one that this process has opened.
type plugin struct {
	path     string
	identity func() (string, error) // of the file
}

// Prepare loads the plugin in a file, once, and returns its version. From then on programs come from the cache if it
// has them. For a plugin that is newer than go-xla's header, go-xla's arguments become 1 KiB long, so that the plugin
// finds all fields that it expects; the new fields are zero.
func Prepare(path string) (Version, error) {
	preparing.Lock()
	defer preparing.Unlock()
	if version, found := prepared[path]; found {
		return version, nil
	}
	if err := whole(path); err != nil {
		return Version{}, fmt.Errorf("load PJRT plugin %s: %w; %s", path, err, getOne)
	}
	file := append([]byte(path), 0)
	var fault *C.char
	api := C.open_plugin((*C.char)(unsafe.Pointer(unsafe.SliceData(file))), &fault)
	if api == nil {
		return Version{}, fmt.Errorf("load PJRT plugin %s: %s; %s", path, C.GoString(fault), getOne)
	}
	var major, minor C.int
	C.api_version(api, &major, &minor)
	version := Version{int(major), int(minor)}
	if version.Major != Header.Major {
		return version, fmt.Errorf("PJRT plugin %s has API %v, and go-xla speaks %v: "+
			"take a plugin of the same first number", path, version, Header)
	}
	if C.complete(api) == 0 {
		return version, fmt.Errorf("PJRT plugin %s has API %v, which lacks functions that are called: "+
			"take a plugin of API %v or later", path, version, oldest)
	}
	var widen C.int
	if version.isNewer() {
		widen = 1
	}
	if len(opened) == C.most_plugins {
		return version, fmt.Errorf("PJRT plugin %s is one too many: a process can have %d", path, C.most_plugins)
	}
	number := len(opened)
	identity := sync.OnceValues(func() (string, error) { return programs.FileIdentity(path) })
	opened = append(opened, plugin{path, identity})
	table := C.shimmed(C.int(number), api, widen)
	if err := pjrt.RegisterPreloadedPlugin(path, uintptr(table)); err != nil {
		return version, fmt.Errorf("start PJRT plugin %s of API %v: %w", path, version, err)
	}
	prepared[path] = version
	return version, nil
}
