//go:build unix

// Package cputime measures the processor seconds of this process.
package cputime

import (
	"syscall"
	"time"
)

// Process is the processor time of the process so far, in seconds: user and system, of all threads. If the system does
// not report it, it is the wall-clock time.
func Process() float64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return time.Since(start).Seconds()
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
