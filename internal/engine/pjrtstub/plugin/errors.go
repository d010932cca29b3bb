//go:build pjrtstub

package main

/*
#include <string.h>

#include "api.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// failure makes an error that the caller destroys; none for nil.
func failure(err error) *C.PJRT_Error {
	if err == nil {
		return nil
	}
	e := (*C.PJRT_Error)(C.calloc(1, C.sizeof_PJRT_Error))
	e.message = C.CString(err.Error())
	return e
}

// guarded turns a panic of the interpreter into an error: nothing may unwind into C.
func guarded(work func() error) (e *C.PJRT_Error) {
	defer func() {
		if caught := recover(); caught != nil {
			e = failure(fmt.Errorf("pjrtstub: %v", caught))
		}
	}()
	return failure(work())
}

// tooSmall refuses an argument that is smaller than what a newer plugin than go-xla's header would expect, as XLA's
// plugins do: PJRTSTUB_VERSION makes this one newer.
func tooSmall(name string, given, header C.size_t) error {
	want := header
	if _, minor := version(); minor > C.PJRT_API_MINOR {
		want += 16
	}
	if given < want {
		return fmt.Errorf("pjrtstub: unexpected %s struct_size: %d, expected %d", name, given, want)
	}
	return nil
}

//export stubMissing
func stubMissing() *C.PJRT_Error {
	return failure(fmt.Errorf("pjrtstub: this function of PJRT is missing in internal/engine/pjrtstub/plugin"))
}

//export stubErrorDestroy
func stubErrorDestroy(a *C.PJRT_Error_Destroy_Args) {
	if a.error != nil {
		C.free(unsafe.Pointer(a.error.message))
		C.free(unsafe.Pointer(a.error))
	}
}

//export stubErrorMessage
func stubErrorMessage(a *C.PJRT_Error_Message_Args) {
	a.message, a.message_size = a.error.message, C.strlen(a.error.message)
}

//export stubErrorGetCode
func stubErrorGetCode(a *C.PJRT_Error_GetCode_Args) *C.PJRT_Error {
	a.code = C.PJRT_Error_Code_INVALID_ARGUMENT
	return nil
}
