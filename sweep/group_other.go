//go:build !unix

package sweep

import (
	"os"
	"syscall"
)

// ownGroup changes nothing where there are no process groups.
func ownGroup() *syscall.SysProcAttr { return nil }

// terminate ends a child where it cannot be asked to stop: it continues from its last checkpoint.
func terminate(p *os.Process) error { return p.Kill() }
