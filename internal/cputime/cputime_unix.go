//go:build unix

// Package cputime measures the processor seconds of this process, on Unix.
package cputime

import (
	"syscall"
	"time"
)

// Process is the processor time of the process so far, in seconds: user and system, of all threads.
func Process() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the call cannot fail for this process
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
