//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"github.com/gfncp/gfncp/internal/engine/programs"
)

// gfncpCompile replaces PJRT_Client_Compile: it takes the executable from the cache, or else lets the plugin compile
// the program and keeps the result in the cache. It returns the plugin's error.
//
//export gfncpCompile
func gfncpCompile(number C.int, args *C.uintptr_t) unsafe.Pointer {
	a := unsafe.Slice(args, 7) // size, extensions, client, program, options, their size, the executable
	plugin, client, p := int(number), uintptr(a[2]), given(a)
	start := time.Now()
	key, noKey := keyOf(plugin, client, p)
	cache, err := programs.Cache()
	err = errors.Join(noKey, err)
	programs.Warn(err)
	if err == nil {
		if executable, found := cache.Get(key); found {
			if taken, err := load(plugin, client, executable); err == nil {
				a[6] = C.uintptr_t(taken)
				tell(p, time.Since(start).Seconds(), true)
				return nil
			}
		}
	}
	failed := C.call(number, C.PJRT_Client_Compile, args)
	if failed != nil {
		return failed
	}
	tell(p, time.Since(start).Seconds(), false)
	if err == nil {
		if executable, err := serialized(plugin, uintptr(a[6])); err == nil { // else the plugin cannot serialize
			programs.Warn(cache.Put(key, executable))
		}
	}
	return nil
}

func given(a []C.uintptr_t) Program {
	p := unsafe.Slice((*C.uintptr_t)(C.address(a[3])), 6) // size, extensions, code, its size, format, its size
	return Program{
		Format: text(uintptr(p[4]), uintptr(p[5])), Code: text(uintptr(p[2]), uintptr(p[3])),
		Options: text(uintptr(a[4]), uintptr(a[5])),
	}
}

// keyOf returns the cache key of a program that a plugin compiles for a client. It covers program and options, the
// plugin's build, XLA's flags, the device, and the processor, for which parts of every program are compiled.
func keyOf(plugin int, client uintptr, p Program) (string, error) {
	identity, err := opened[plugin].identity()
	if err != nil {
		return "", fmt.Errorf("tell builds of a PJRT plugin apart: %w", err)
	}
	device, err := deviceOf(plugin, client)
	if err != nil {
		return "", fmt.Errorf("ask the PJRT plugin %s for its device: %w", opened[plugin].path, err)
	}
	flags := os.Getenv("XLA_FLAGS")
	return programs.Key(p.Format, p.body(), p.Options, identity, device, flags, programs.Host()), nil
}

// deviceOf identifies a client's devices: the platform's version, their number, the first one's kind.
func deviceOf(plugin int, client uintptr) (string, error) {
	platform, err := ask(plugin, C.PJRT_Client_PlatformVersion, client)
	if err != nil {
		return "", err
	}
	devices, err := ask(plugin, C.PJRT_Client_AddressableDevices, client)
	if err != nil {
		return "", err
	}
	kind, count := "", devices[field+2]
	if count > 0 {
		first := *(*uintptr)(C.address(C.uintptr_t(devices[field+1])))
		if kind, err = kindOf(plugin, first); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s\n%d\n%s", text(platform[field+1], platform[field+2]), count, kind), nil
}

func kindOf(plugin int, device uintptr) (string, error) {
	description, err := ask(plugin, C.PJRT_Device_GetDescription, device)
	if err != nil {
		return "", err
	}
	kind, err := ask(plugin, C.PJRT_DeviceDescription_Kind, description[field+1])
	return text(kind[field+1], kind[field+2]), err
}

// load gives a serialized executable to a client and returns the loaded one.
func load(plugin int, client uintptr, executable []byte) (uintptr, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	at, size := lent(&pin, executable)
	out, err := ask(plugin, C.PJRT_Executable_DeserializeAndLoad, client, at, size)
	return out[field+3], err
}

// serialized returns a loaded executable as bytes.
func serialized(plugin int, loaded uintptr) ([]byte, error) {
	out, err := ask(plugin, C.PJRT_LoadedExecutable_GetExecutable, loaded)
	if err != nil {
		return nil, err
	}
	executable := out[field+1]
	defer func() { _, _ = ask(plugin, C.PJRT_Executable_Destroy, executable) }()
	if out, err = ask(plugin, C.PJRT_Executable_Serialize, executable); err != nil {
		return nil, err
	}
	defer C.release(C.uintptr_t(out[field+4]), C.uintptr_t(out[field+3]))
	return []byte(text(out[field+1], out[field+2])), nil
}
