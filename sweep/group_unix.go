//go:build unix

package sweep

import (
	"os"
	"syscall"
)

// ownGroup keeps a child out of the terminal's foreground group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a child to stop. One that has ended already is no fault.
func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// terminateGroup asks a child and all that it has started to stop.
func terminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup ends what is left of a child's group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
