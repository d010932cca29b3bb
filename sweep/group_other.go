//go:build !unix

package sweep

import (
	"os"
	"syscall"
)

// StopSignals ask a worker to stop.
var StopSignals = []os.Signal{os.Interrupt}

// ownGroup changes nothing where there are no process groups.
func ownGroup() *syscall.SysProcAttr { return nil }

// terminate kills a child, because it cannot be asked to stop; its job continues from the last checkpoint later.
func terminate(p *os.Process) error { return p.Kill() }
