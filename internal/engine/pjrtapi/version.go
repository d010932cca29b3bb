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

// isNewer reports whether a plugin of this version expects longer arguments than go-xla's.
func (v Version) isNewer() bool { return v.Minor > Header.Minor }
