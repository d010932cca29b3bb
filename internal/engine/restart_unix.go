//go:build unix

package engine

import (
	"fmt"
	"os"
	"syscall"
)

// restart replaces the process image by the same program with the environment of now. It returns only on failure.
func restart() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("restart with %s: %w", noAsyncPreempt, err)
	}
	if err := syscall.Exec(self, os.Args, os.Environ()); err != nil {
		return fmt.Errorf("restart %s with %s: %w", self, noAsyncPreempt, err)
	}
	return nil
}
