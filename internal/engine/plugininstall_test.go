//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Without a network the installer fails with a remedy and what is installed stays. Port 1 on this machine refuses.
func TestInstallPluginWithoutNetwork(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("NO_PROXY", "")
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", filepath.Join(home, ".local/lib/go-xla/nvidia"))
	t.Setenv("PATH", "")
	// any file in that folder
	old := jaxPlugin(t, filepath.Join(home, ".local/lib/go-xla/nvidia"), "python3.12", "cuda13")
	for _, platform := range []string{"cpu", "cuda"} {
		if platform == "cuda" && installCUDA == nil {
			continue
		}
		path, err := InstallPlugin(platform, false)
		if err == nil || usererr.Is(err) || path != "" || !strings.Contains(err.Error(), "needs the network") {
			t.Errorf("InstallPlugin(%s) = %q, %v; want an error that speaks of the network", platform, path, err)
		}
		if found := findPlugin(platform); found != "" {
			t.Errorf("a failed installation left %s", found)
		}
	}
	if left, _ := filepath.Glob(old); len(left) != 1 {
		t.Error("a failed installation removed what was there")
	}
	if _, err := InstallPlugin("tpu", false); !usererr.Is(err) {
		t.Errorf("InstallPlugin(tpu): %v, want a usererr.Error", err)
	}
}
