//go:build !js

package fileio

import "syscall"

// nonBlock opens a file without waiting, should it have become a pipe.
const nonBlock = syscall.O_NONBLOCK
