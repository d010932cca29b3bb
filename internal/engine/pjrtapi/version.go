// Package pjrtapi stands between go-xla and a PJRT plugin. It reads the version of the plugin's API. go-xla is built
// for 0.104 and does not check, but newer plugins refuse argument structs that are smaller than their own; this package
// enlarges them. It also takes compiled programs from the cache of package programs, and adds to it.
package pjrtapi

import "fmt"

// Version is a version of the PJRT API.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Header is the version of the header that go-xla is built with.
var Header = Version{0, 104}

var oldest = Version{0, 81}

// getOne is the remedy for a file that is no plugin.
const getOne = "pip install --force-reinstall brings a whole plugin for this machine"

// ShimEnv is the environment variable that forces the shim (1) or forbids it (0).
const ShimEnv = "GFNCP_PJRT_SHIM"

// Plugin describes a loaded plugin.
type Plugin struct {
	Version Version
	Shim    bool // go-xla's arguments are widened
}

// String says it in words, for doctor.
func (p Plugin) String() string {
	text := p.Version.String()
	switch {
	case p.Version.Minor > Header.Minor:
		text += fmt.Sprintf(", newer than go-xla's %v", Header)
	case p.Version.Minor < Header.Minor:
		text += fmt.Sprintf(", older than go-xla's %v", Header)
	}
	if p.Shim {
		text += ": its arguments are widened (" + ShimEnv + "=0 leaves that out)"
	}
	return text
}
