//go:build unix

package main

import (
	"os"
	"syscall"
)

// warnings are the signals beside those of every command that ask a worker to stop: Slurm sends SIGUSR1 before the time
// is up.
func warnings() []os.Signal { return []os.Signal{syscall.SIGUSR1} }
