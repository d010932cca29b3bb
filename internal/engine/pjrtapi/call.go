//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// words are an argument of a plugin's function: its size, the extensions, the fields. It is as large as any version's.
type words [C.room / unsafe.Sizeof(uintptr(0))]uintptr

// field is the first word behind size and extensions.
const field = 2

// ask calls a function of a plugin with some fields and returns all of them.
func ask(plugin int, function C.size_t, fields ...uintptr) (words, error) {
	args := words{C.room}
	copy(args[field:], fields)
	if C.has(C.int(plugin), function) == 0 {
		return args, fmt.Errorf("the PJRT plugin has no function %d", function)
	}
	failed := C.call(C.int(plugin), function, (*C.uintptr_t)(unsafe.Pointer(&args[0])))
	return args, fault(plugin, failed)
}

// fault converts a plugin's error, which it frees, to a Go error.
func fault(plugin int, failed unsafe.Pointer) error {
	if failed == nil {
		return nil
	}
	args := words{C.room, 0, uintptr(failed)}
	C.call(C.int(plugin), C.PJRT_Error_Message, (*C.uintptr_t)(unsafe.Pointer(&args[0])))
	text := text(args[field+1], args[field+2])
	args = words{C.room, 0, uintptr(failed)}
	C.call(C.int(plugin), C.PJRT_Error_Destroy, (*C.uintptr_t)(unsafe.Pointer(&args[0])))
	return errors.New(text)
}

// text copies size bytes of a plugin's memory.
func text(at, size uintptr) string {
	if at == 0 || size == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(C.address(C.uintptr_t(at))), size))
}

// lent returns the address and the size of Go bytes as fields. They are valid until the pinner unpins.
func lent(pin *runtime.Pinner, bytes []byte) (at, size uintptr) {
	start := unsafe.SliceData(bytes)
	pin.Pin(start)
	return uintptr(unsafe.Pointer(start)), uintptr(len(bytes))
}
