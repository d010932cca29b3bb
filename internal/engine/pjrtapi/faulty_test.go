//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// What is no plugin that can be used is one line that names the file and the remedy.
func TestFaultyPlugins(t *testing.T) {
	for says, build := range map[string]func(path string){
		"take a plugin of API 0.81 or later":     func(path string) { faulty(t, path, true, 0, 12) },
		"take a plugin of the same first number": func(path string) { faulty(t, path, true, 1, 0) },
		"it has no function GetPjrtApi; pip install --force-reinstall": func(path string) {
			faulty(t, path, false, 0, 0)
		},
		"no whole shared library (cannot read ELF": func(path string) {
			must.M(os.WriteFile(path, []byte("\x7fELF"), 0o600))
		},
		"no whole shared library (EOF); pip install --force-reinstall brings": func(path string) {
			faulty(t, path, true, 0, 115)
			must.M(os.Truncate(path, must.M1(os.Stat(path)).Size()/2))
		},
		"No such file or directory; pip install --force-reinstall": func(string) {},
	} {
		path := filepath.Join(t.TempDir(), "cpu.so")
		build(path)
		out, err := child(path)
		if err == nil || strings.Count(out, "\n") > 0 || !strings.Contains(out, says) || !strings.Contains(out, path) {
			t.Errorf("%v, %q; want %q", err, out, says)
		}
	}
}
