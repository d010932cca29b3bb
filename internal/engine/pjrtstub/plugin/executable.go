//go:build pjrtstub

package main

/*
#include <string.h>

#include "api.h"

static PJRT_Event* done_now(void) { return &done; }
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"slices"
	"time"
	"unsafe"

	"github.com/gfncp/gfncp/internal/engine/pjrtstub/stablehlo"
)

func program(handle C.uintptr_t) *stablehlo.Program {
	return cgo.Handle(handle).Value().(*stablehlo.Program)
}

//export stubClientCompile
func stubClientCompile(a *C.PJRT_Client_Compile_Args) *C.PJRT_Error {
	return guarded(func() error {
		if err := tooSmall("PJRT_Program", a.program.struct_size, C.PJRT_Program_STRUCT_SIZE); err != nil {
			return err
		}
		if format := C.GoStringN(a.program.format, C.int(a.program.format_size)); format != "mlir" {
			return fmt.Errorf("pjrtstub: programs of format %q are not supported", format)
		}
		text := C.GoStringN(a.program.code, C.int(a.program.code_size))
		begin := time.Now()
		p, err := stablehlo.Parse(text)
		recordProgram(p, text, time.Since(begin), err)
		if err != nil {
			return fmt.Errorf("pjrtstub: the program is not valid StableHLO: %w", err)
		}
		a.executable = (*C.PJRT_LoadedExecutable)(C.calloc(1, C.sizeof_PJRT_LoadedExecutable))
		a.executable.object = C.uintptr_t(cgo.NewHandle(p))
		return nil
	})
}

//export stubLoadedExecutableDestroy
func stubLoadedExecutableDestroy(a *C.PJRT_LoadedExecutable_Destroy_Args) *C.PJRT_Error {
	cgo.Handle(a.executable.object).Delete()
	C.free(unsafe.Pointer(a.executable))
	return nil
}

//export stubLoadedExecutableGetExecutable
func stubLoadedExecutableGetExecutable(a *C.PJRT_LoadedExecutable_GetExecutable_Args) *C.PJRT_Error {
	p := program(a.loaded_executable.object)
	a.executable = (*C.PJRT_Executable)(C.calloc(1, C.sizeof_PJRT_Executable))
	a.executable.object = C.uintptr_t(cgo.NewHandle(p))
	a.executable.name = C.CString(p.Name)
	return nil
}

//export stubExecutableDestroy
func stubExecutableDestroy(a *C.PJRT_Executable_Destroy_Args) *C.PJRT_Error {
	cgo.Handle(a.executable.object).Delete()
	C.free(unsafe.Pointer(a.executable.name))
	C.free(unsafe.Pointer(a.executable))
	return nil
}

//export stubExecutableName
func stubExecutableName(a *C.PJRT_Executable_Name_Args) *C.PJRT_Error {
	a.executable_name, a.executable_name_size = a.executable.name, C.strlen(a.executable.name)
	return nil
}

//export stubExecutableNumOutputs
func stubExecutableNumOutputs(a *C.PJRT_Executable_NumOutputs_Args) *C.PJRT_Error {
	a.num_outputs = C.size_t(len(program(a.executable.object).Main().Results))
	return nil
}

// stubLoadedExecutableExecute runs a program on one device, on which all arguments must lie.
//
//export stubLoadedExecutableExecute
func stubLoadedExecutableExecute(a *C.PJRT_LoadedExecutable_Execute_Args) *C.PJRT_Error {
	return guarded(func() error {
		err := tooSmall("PJRT_ExecuteOptions", a.options.struct_size, C.PJRT_ExecuteOptions_STRUCT_SIZE)
		if err != nil {
			return err
		}
		p := program(a.executable.object)
		if a.num_devices != 1 {
			return fmt.Errorf("pjrtstub: %s runs on %d devices at once, which is not supported", p.Name, a.num_devices)
		}
		device := 0
		if a.execute_device != nil {
			device = int(a.execute_device.number)
		}
		args, err := arguments(p, a, device)
		if err != nil {
			return err
		}
		begin := time.Now()
		results, err := run(p, args)
		if err != nil {
			return fmt.Errorf("pjrtstub: %w", err)
		}
		donated := len(args) - int(a.options.num_non_donatable_input_indices)
		record("run\t%s\t%.6f\t%d\t%d\t%d", p.Name, time.Since(begin).Seconds(), len(args), donated, device)
		out := unsafe.Slice(*a.output_lists, len(results))
		for i, t := range results {
			out[i] = handed(&buffer{t, device})
		}
		if a.device_complete_events != nil {
			*a.device_complete_events = C.done_now()
		}
		return nil
	})
}

func arguments(p *stablehlo.Program, a *C.PJRT_LoadedExecutable_Execute_Args, device int) (
	args []*stablehlo.Tensor, err error,
) {
	if a.num_args == 0 {
		return nil, nil
	}
	given := unsafe.Slice(*a.argument_lists, int(a.num_args))
	for i, c := range given {
		if c == nil {
			return nil, fmt.Errorf("pjrtstub: %s: argument %d is missing", p.Name, i)
		}
		b := held(c)
		if b.device != device {
			return nil, fmt.Errorf("pjrtstub: %s: argument %d lies on device %d, not %d", p.Name, i, b.device, device)
		}
		args = append(args, b.tensor)
	}
	return args, checkDonated(p, a, given)
}

// checkDonated refuses a buffer that is given away and given a second time.
func checkDonated(p *stablehlo.Program, a *C.PJRT_LoadedExecutable_Execute_Args, given []*C.PJRT_Buffer) error {
	kept := unsafe.Slice(a.options.non_donatable_input_indices, int(a.options.num_non_donatable_input_indices))
	for i, c := range given {
		if !slices.Contains(kept, C.int64_t(i)) && slices.Index(given, c) != i {
			return fmt.Errorf("pjrtstub: %s: argument %d is donated and given twice", p.Name, i)
		}
	}
	return nil
}
