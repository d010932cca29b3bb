//go:build unix

package sweep

import (
	"os"
	"syscall"
)

// ownGroup keeps a child out of the terminal's foreground group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a child to stop.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
