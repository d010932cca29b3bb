package engine

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"
)

const noAsyncPreempt = "asyncpreemptoff=1"

// Prepare makes the process safe for numerical work and must be the first call of main: in a GOEXPERIMENT=simd build
// without GODEBUG=asyncpreemptoff=1 it starts the same program again, in the same process, with that setting.
//
// Go 1.26 leaves the upper halves of the AVX registers dirty after an asynchronous preemption, and math.Exp, which
// mixes SSE and AVX code, then runs up to 140 times slower. The setting cannot be changed while the program runs, and a
// //go:debug line for it is refused. Where a process cannot replace itself (Windows), Prepare does nothing.
func Prepare() error {
	if !simdBuild || preemptionSafe(os.Getenv("GODEBUG")) {
		return nil
	}
	if err := os.Setenv("GODEBUG", strings.TrimPrefix(os.Getenv("GODEBUG")+","+noAsyncPreempt, ",")); err != nil {
		return err
	}
	return restart()
}

// simdBuild tells whether this binary was built with GOEXPERIMENT=simd: its version of Go then names the experiment.
var simdBuild = strings.Contains(runtime.Version(), "simd")

// SIMD reports whether this binary was built with GOEXPERIMENT=simd.
func SIMD() bool { return simdBuild }

// usedGo is true once the Go backend was opened.
var usedGo atomic.Bool

// Faster returns advice on how a program that has used the Go backend would compute faster, or "".
func Faster() string {
	if simdBuild || runtime.GOARCH != "amd64" || !usedGo.Load() {
		return ""
	}
	return "built without GOEXPERIMENT=simd: the Go backend is 10 to 18 times slower; build or run with it, as just " +
		"does, or take a release"
}

// preemptionSafe reports whether a GODEBUG value decides asyncpreemptoff already, either way: the user's choice is
// kept.
func preemptionSafe(godebug string) bool { return strings.Contains(","+godebug, ",asyncpreemptoff=") }
