//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package engine

import "github.com/gfncp/gfncp/internal/usererr"

// errNoPlugins says that this binary could not load a plugin.
var errNoPlugins = usererr.New("build with cgo on linux (amd64, arm64) or macOS (arm64)",
	"this binary has the Go backend alone and loads no PJRT plugin")

// InstallWheel refuses: this binary could not load the plugin.
func InstallWheel(string) (Installed, error) { return Installed{}, errNoPlugins }
