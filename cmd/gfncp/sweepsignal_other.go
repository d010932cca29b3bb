//go:build !unix

package main

import "os"

// warnings are the signals beside those of every command that ask a worker to stop; there are none here.
func warnings() []os.Signal { return []os.Signal{os.Interrupt} }
