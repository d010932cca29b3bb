//go:build unix

package sweep

import (
	"os"
	"syscall"
)

// StopSignals ask a worker to stop. Every command has its own signals, too. Slurm sends SIGUSR1 before the time is up.
var StopSignals = []os.Signal{syscall.SIGUSR1}

// ownGroup keeps a child out of the terminal's foreground group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a child to stop.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
