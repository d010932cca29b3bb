//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

/*
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/gomlx/go-xla/pjrt"
)

var (
	preparing sync.Mutex
	prepared  = map[string]Plugin{}
	shimOf    string // the plugin that has the process's one shim
)

// Prepare loads the plugin in a file and tells its version. One that is newer than go-xla's header gets a shim, unless
// ShimEnv forbids or asks for it: go-xla then calls it with arguments of 1 KiB, so that it finds all fields that it
// expects, the new ones zero. What is done stays so; a second call returns what the first one found.
func Prepare(path string) (Plugin, error) {
	preparing.Lock()
	defer preparing.Unlock()
	if p, found := prepared[path]; found {
		return p, nil
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var fault *C.char
	api := C.open_plugin(name, &fault)
	if api == nil {
		return Plugin{}, fmt.Errorf("load PJRT plugin %s: %s", path, C.GoString(fault))
	}
	var major, minor C.int
	C.api_version(api, &major, &minor)
	p := Plugin{Version: Version{int(major), int(minor)}}
	if p.Version.Major != Header.Major {
		return p, fmt.Errorf("PJRT plugin %s has API %v, and go-xla speaks %v: take a plugin of the same first number",
			path, p.Version, Header)
	}
	if p.Shim = wantsShim(p.Version, os.Getenv(ShimEnv)); p.Shim {
		if shimOf != "" {
			return p, fmt.Errorf("PJRT plugin %s has API %v and needs the shim that %s has", path, p.Version, shimOf)
		}
		if err := pjrt.RegisterPreloadedPlugin(path, uintptr(C.shimmed(api))); err != nil {
			return p, fmt.Errorf("start PJRT plugin %s of API %v with a shim: %w", path, p.Version, err)
		}
		shimOf = path
	}
	prepared[path] = p
	return p, nil
}
