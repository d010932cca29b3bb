//go:build !unix

// Package cputime measures the processor seconds of this process.
package cputime

import "time"

// Process is the wall-clock time of the process so far, in seconds: this system does not report processor time.
func Process() float64 { return time.Since(start).Seconds() }
