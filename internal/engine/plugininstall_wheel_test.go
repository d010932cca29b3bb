//go:build cgo && !noxla && linux && amd64

package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
)

const manylinux = "manylinux_2_27_x86_64"

// files lists what lies below a folder.
func files(t *testing.T, folder string) (paths []string) {
	t.Helper()
	must.M(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, strings.TrimPrefix(path, folder+"/"))
		}
		return err
	}))
	return paths
}

// atHome makes a folder the user's, in which no plugin is.
func atHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "")
	t.Setenv("LD_LIBRARY_PATH", "")
	return home
}

// The plugin of a wheel is found under xla:cpu, whatever its name in the wheel.
func TestInstallWheelOfThePlugin(t *testing.T) {
	plugin := must.M1(os.ReadFile(xlatest.Plugin(t)))
	file := testfiles.Wheel(t, manylinux, map[string][]byte{
		"xla_plugins/cpu/any_name.so": plugin, "xla_plugins/cpu/__init__.py": nil,
	})
	home := atHome(t)
	want := filepath.Join(home, ".local/lib/go-xla/pjrt_c_api_cpu_plugin.so")
	done, err := engine.InstallWheel(file)
	if err != nil || done.Path != want || done.Platform != "cpu" || !strings.HasPrefix(done.API, "0.") {
		t.Fatalf("%+v, %v", done, err)
	}
	if choice := must.M1(engine.Choose("xla:cpu")); choice.Plugin() != want || len(files(t, home)) != 1 {
		t.Errorf("%+v; installed are %v", choice, files(t, home))
	}
}

// NVIDIA's tools lie where XLA's CUDA plugin looks for them; a second wheel adds to the first one's, and replaces.
func TestInstallWheelsOfNVIDIA(t *testing.T) {
	home := atHome(t)
	for _, content := range []map[string][]byte{
		{"nvidia/cu13/bin/ptxas": []byte("old")},
		{"nvidia/cu13/nvvm/libdevice.bc": nil},
		{"nvidia/cu13/bin/ptxas": []byte("new")},
	} {
		done, err := engine.InstallWheel(testfiles.Wheel(t, manylinux, content))
		if err != nil || done.Platform != "" || done.Path != filepath.Join(home, ".local/lib/go-xla/wheels/nvidia") {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	folder := filepath.Join(home, ".local/lib/go-xla/wheels/nvidia/cu13")
	if got := files(t, home); len(got) != 2 || string(must.M1(os.ReadFile(folder+"/bin/ptxas"))) != "new" {
		t.Errorf("installed are %v", got)
	}
}

// A wheel without a plugin that can be used is one line with its file and a remedy, and changes nothing.
func TestInstallFaultyWheels(t *testing.T) {
	library := func(getPjrtAPI bool, major, minor int) []byte {
		path := filepath.Join(t.TempDir(), "library.so")
		xlatest.Faulty(t, path, getPjrtAPI, major, minor)
		return must.M1(os.ReadFile(path))
	}
	usable := library(true, 0, 115)
	wheelOf := func(name string, content []byte) string {
		return testfiles.Wheel(t, manylinux, map[string][]byte{name: content})
	}
	home := atHome(t)
	for says, file := range map[string]string{
		"a wheel of another platform": testfiles.Wheel(t, "manylinux_2_27_aarch64",
			map[string][]byte{"cpu.so": usable}),
		"no library in it exports GetPjrtApi": wheelOf("cpu.so", library(false, 0, 0)),
		"cpu.so in it is no whole library":    wheelOf("cpu.so", usable[:len(usable)/2]),
		"take a plugin of API 0.81 or later":  wheelOf("cpu.so", library(true, 0, 12)),
		"API 1.0, and go-xla speaks 0.104":    wheelOf("cpu.so", library(true, 1, 0)),
		"exports GetPjrtApi; take":            wheelOf("module.py", nil),
	} {
		done, err := engine.InstallWheel(file)
		if !usererr.Is(err) || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), "; take ") || strings.Contains(err.Error(), ".unpacked") {
			t.Errorf("%+v, %v; want %q", done, err, says)
		}
	}
	if left := files(t, home); len(left) != 0 || len(must.M1(os.ReadDir(home+"/.local/lib/go-xla"))) != 0 {
		t.Errorf("left are %v", left)
	}
	must.M(os.WriteFile(filepath.Join(home, "file"), nil, 0o600))
	t.Setenv("HOME", filepath.Join(home, "file"))
	if _, err := engine.InstallWheel(wheelOf("cpu.so", usable)); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "go-xla: cannot be written") {
		t.Errorf("no folder to write: %v", err)
	}
}
