//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"
)

// Target is a device that is described and need not be there.
type Target struct {
	plugin   int
	topology uintptr
	kind     string // of device, as a client of a real one tells it
}

const wordBytes = unsafe.Sizeof(uintptr(0))

// OpenTarget makes a target of the CUDA plugin in a file: one device, described by a GpuTargetConfigProto in text
// format. The plugin reads XLA_FLAGS when it is loaded.
func OpenTarget(path, description string) (Target, error) {
	if _, err := Prepare(path); err != nil {
		return Target{}, err
	}
	preparing.Lock()
	plugin := slices.Index(opened, path)
	preparing.Unlock()
	var pin runtime.Pinner
	defer pin.Unpin()
	var values []uintptr
	for _, option := range [][2]string{{"target_config", description}, {"topology", "1x1x1"}} {
		name, nameSize := lent(&pin, []byte(option[0]))
		value, size := lent(&pin, []byte(option[1]))
		// size, extensions, the name and its size, the type (0: a string), the value and its size
		values = append(values, 7*wordBytes, 0, name, nameSize, 0, value, size)
	}
	pin.Pin(&values[0])
	out, err := ask(plugin, C.PJRT_TopologyDescription_Create, 0, 0, uintptr(unsafe.Pointer(&values[0])), 2)
	if err != nil {
		return Target{}, fmt.Errorf("describe a GPU to PJRT plugin %s: %w", path, err)
	}
	t := Target{plugin: plugin, topology: out[field+4]}
	devices, err := ask(plugin, C.PJRT_TopologyDescription_GetDeviceDescriptions, t.topology)
	if err == nil && devices[field+2] > 0 {
		t.kind, err = kindOf(plugin, *(*uintptr)(C.address(C.uintptr_t(devices[field+1]))))
	}
	if err != nil {
		t.Close()
		return Target{}, fmt.Errorf("ask PJRT plugin %s for the GPU's name: %w", path, err)
	}
	return t, nil
}

// Key names a program's executable in the folder programs.AheadEnv, where a run on such a device looks for it.
func (t Target) Key(p Program) (string, error) {
	identity, err := identityOf(t.plugin)
	return aheadKey(p, identity, t.kind), err
}

// Close frees the target.
func (t Target) Close() { _, _ = ask(t.plugin, C.PJRT_TopologyDescription_Destroy, t.topology) }

// Compile compiles a program for the target. Several calls may run at once.
func (t Target) Compile(p Program) (Executable, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	code, codeSize := lent(&pin, []byte(p.Code))
	format, formatSize := lent(&pin, []byte(p.Format))
	options, optionsSize := lent(&pin, []byte(p.Options))
	program := words{C.room, 0, code, codeSize, format, formatSize}
	pin.Pin(&program)
	out, err := ask(t.plugin, C.PJRT_Compile, t.topology, uintptr(unsafe.Pointer(&program)), options, optionsSize, 0)
	if err != nil {
		return Executable{}, err
	}
	executable := out[field+5]
	defer func() { _, _ = ask(t.plugin, C.PJRT_Executable_Destroy, executable) }()
	e := Executable{}
	stats, err := ask(t.plugin, C.PJRT_Executable_GetCompiledMemoryStats, executable)
	if err != nil {
		return e, fmt.Errorf("ask for the memory of a compiled program: %w", err)
	}
	e.Temporary, e.Peak = int64(stats[field+5]), int64(stats[field+11])
	if e.Bytes, err = serialize(t.plugin, executable); err != nil {
		return e, fmt.Errorf("serialize a compiled program: %w", err)
	}
	if e.Optimized, err = optimized(t.plugin, executable); err != nil {
		return e, fmt.Errorf("ask for the optimized program: %w", err)
	}
	return e, nil
}

// optimized returns an executable's program as the compiler left it. The plugin is asked twice: for the size, and for
// the bytes.
func optimized(plugin int, executable uintptr) ([]byte, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	program := words{C.room} // size, extensions, code, its size, format, its size
	pin.Pin(&program)
	place := uintptr(unsafe.Pointer(&program))
	if _, err := ask(plugin, C.PJRT_Executable_OptimizedProgram, executable, place); err != nil {
		return nil, err
	}
	code := make([]byte, program[field+1])
	program[field], _ = lent(&pin, code)
	_, err := ask(plugin, C.PJRT_Executable_OptimizedProgram, executable, place)
	return code, err
}

// compileHollow compiles a hollow program in place of the one in the arguments of PJRT_Client_Compile.
func compileHollow(plugin int, a []C.uintptr_t, code, first string) unsafe.Pointer {
	empty, err := hollow(code, first)
	if err != nil {
		empty = code // the plugin says what is wrong with it
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	at, size := lent(&pin, []byte(empty))
	p := unsafe.Slice((*C.uintptr_t)(C.address(a[3])), 6) // size, extensions, code, its size, format, its size
	was, wasSize := p[2], p[3]
	p[2], p[3] = C.uintptr_t(at), C.uintptr_t(size)
	failed := C.call(C.int(plugin), C.PJRT_Client_Compile, (*C.uintptr_t)(unsafe.Pointer(&a[0])))
	p[2], p[3] = was, wasSize
	return failed
}
