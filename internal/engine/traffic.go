package engine

import "sync/atomic"

// Traffic is what this process has moved so far, in bytes: from the host to devices, from devices to the host, and from
// one device to another.
type Traffic struct{ Up, Down, Across int64 }

var up, down, across atomic.Int64

// Moved returns the traffic so far. On a backend whose device is the host it is what would pass if it were not.
func Moved() Traffic { return Traffic{Up: up.Load(), Down: down.Load(), Across: across.Load()} }

// Since is the traffic after an earlier state of it.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{Up: t.Up - earlier.Up, Down: t.Down - earlier.Down, Across: t.Across - earlier.Across}
}
