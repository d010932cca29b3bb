// Go 1.27.3 and 1.27.4, GOEXPERIMENT=simd: archsimd.LoadFloat32x8Part reads 32 bytes whatever the slice's length is
// (LoadFloat32x8Array, then Masked), and LoadFloat32x16Part 64. Expected: "ok". Seen: a fault at the unmapped page.
//
//	GOEXPERIMENT=simd go run .
package main

import (
	"fmt"
	"simd/archsimd"
	"syscall"
	"unsafe"
)

func main() {
	const page = 4096
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		panic(err)
	}
	floats := unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), page/4)
	last := floats[page/4-3:] // the last three numbers of the page
	v, n := archsimd.LoadFloat32x8Part(last)
	fmt.Println("ok", n, v)
}
