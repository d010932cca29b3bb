// Package xlatest finds real XLA CPU plugins for tests.
package xlatest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gfncp/gfncp/internal/engine"
)

// PluginsEnv lists the plugin files that tests run on, separated as in PATH. CI names an older and a newer one.
const PluginsEnv = "GFNCP_TEST_PLUGINS"

// Plugins returns the absolute paths of the XLA CPU plugins to test: the plugins in PluginsEnv, or else the installed
// one. It skips the test without a plugin, and with -short.
func Plugins(t testing.TB) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("XLA compiles for minutes")
	}
	if list := filepath.SplitList(os.Getenv(PluginsEnv)); len(list) > 0 {
		return list
	}
	path, found := engine.Plugins()["cpu"]
	if !found {
		t.Skip("no XLA CPU plugin: eval \"$(.ci/plugins.sh)\" fetches one")
	}
	return []string{path}
}

// Plugin returns the last of Plugins, the newest in CI.
func Plugin(t testing.TB) string {
	t.Helper()
	all := Plugins(t)
	return all[len(all)-1]
}
