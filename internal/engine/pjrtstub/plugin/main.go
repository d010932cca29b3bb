//go:build pjrtstub

// Command plugin is a PJRT plugin without a device: a shared library (-buildmode=c-shared) that go-xla loads as it
// loads XLA's. It checks and interprets StableHLO programs on the host (package stablehlo) and writes down what was
// asked of it. pjrtstub.Build makes it, for the header that it needs is a file of go-xla's module, which a cgo
// directive cannot name; hence the build tag.
//
// Environment, read at each call (so that a test may change it):
//
//	PJRTSTUB_LOG       a file that gets a line for each compilation, transfer and execution (log.go)
//	PJRTSTUB_PROGRAMS  a folder that gets every program
//	PJRTSTUB_ZERO      1: executions return zeros at once, which leaves the host's own time
//	PJRTSTUB_OUTPUTS   what stands in place of zeros, where a host would wait for it (zero.go)
//	PJRTSTUB_DEVICES   how many devices there are, 1 to 8; 1 if it is not set
//	PJRTSTUB_FLAGS     the flags of XLA_FLAGS that are known, separated by blanks: like XLA, the plugin ends the
//	                   process when it starts with another one; all are known if it is not set
//	PJRTSTUB_VERSION   the version of the API that the plugin says it has, such as 0.120; a newer one than go-xla's
//	                   header wants larger arguments than that has
package main

/*
#include "api.h"
*/
import "C"

import (
	"fmt"
	"strconv"
	"unsafe"
)

func main() {} // a shared library has none, but Go wants one

// getenv reads the process's environment, which is not what Go's runtime in this library saw when it was loaded.
func getenv(name string) string {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.GoString(C.getenv(c))
}

//export stubVersion
func stubVersion(major, minor *C.int) {
	a, b := version()
	*major, *minor = C.int(a), C.int(b)
}

// version is the header's, or the one that is asked for.
func version() (major, minor int) {
	if n, _ := fmt.Sscanf(getenv("PJRTSTUB_VERSION"), "%d.%d", &major, &minor); n == 2 {
		return major, minor
	}
	return C.PJRT_API_MAJOR, C.PJRT_API_MINOR
}

// deviceCount is the number of devices.
func deviceCount() int {
	n, err := strconv.Atoi(getenv("PJRTSTUB_DEVICES"))
	if err != nil {
		return 1
	}
	return min(max(n, 1), C.most_devices)
}
