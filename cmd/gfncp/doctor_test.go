package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
	"github.com/gfncp/gfncp/internal/testfiles"
)

// A backend that does not open is reported with everything that helps to find out why, and status 1.
func TestDoctorReportsABackendThatDoesNotOpen(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "site-packages/jax_plugins/xla_cuda13")
	libraries := filepath.Join(folder, "../../nvidia/cu13/lib")
	must.M(os.MkdirAll(libraries, 0o755))
	plugin := testfiles.Write(t, []byte("no library"), folder, "xla_cuda_plugin.so")
	stdout, stderr, status := gfncp("doctor", "--backend", "xla:"+plugin)
	if status == exitUsage {
		t.Skip("no XLA in this build")
	}
	if status != exitFailed || !strings.Contains(stderr, plugin) {
		t.Errorf("status %d, stderr %q; want 1 and the plugin's path", status, stderr)
	}
	contains(t, stdout, "xla:cuda", "tf32=false", "LD_LIBRARY_PATH="+filepath.Clean(libraries), "not checked")
}

// The first line of a report on a plugin has its API's version: the first thing to know where it does not work.
func TestDoctorTellsThePluginsVersion(t *testing.T) {
	plugin := xlatest.Plugin(t)
	stdout := printed(t, "doctor", "--backend", "xla:"+plugin)
	first, _, _ := strings.Cut(stdout, "\n")
	contains(t, first, "PJRT plugin of API 0.")
	contains(t, stdout, "[4 device(s)]")
	d := result[diagnosis](t, "doctor", "--backend", "xla:"+plugin)
	if !strings.Contains(first, "PJRT plugin of API "+d.PluginAPI) || !d.Healthy {
		t.Errorf("%+v", d)
	}
	contains(t, stdout, "\ndevice    0: ", "\ndevice    3: ")
	if level := os.Getenv("TF_CPP_MIN_LOG_LEVEL"); level != "2" && level != "1" && level != "0" {
		t.Errorf("XLA's errors are hidden: level %q", level)
	}
}

// Long compilations alone are worth a line.
func TestCompilationsAreTold(t *testing.T) {
	var out strings.Builder
	program := pjrtapi.Program{Code: "module @gradient_of_data_1 {"}
	writeCompilation(&out, pjrtapi.Made{Program: program, Seconds: 12.34, Compiled: 4})
	writeCompilation(&out, pjrtapi.Made{Program: program, Seconds: 0.9, Compiled: 5})
	if got, want := out.String(), "compiled program 4, gradient of data, in 12.3 s\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// A second clustering on XLA compiles nothing and prints the same.
func TestSecondClusteringCompilesNothing(t *testing.T) {
	for _, plugin := range xlatest.Plugins(t) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		var reports [2]strings.Builder
		var compiled, loaded [2]int
		for i := range reports {
			line := []string{
				"gfncp", "cluster", example("points.csv"), "--model", "mog-gfncp-free", "--scale", "1",
				"--samples", "4", "--quiet", "--backend", "xla:" + plugin,
			}
			forget := pjrtapi.Listen(func(made pjrtapi.Made) {
				if made.Loaded {
					loaded[i]++
				} else {
					compiled[i]++
				}
			})
			if status := run(line, &reports[i], io.Discard); status != exitDone {
				t.Fatalf("%s: status %d", plugin, status)
			}
			forget()
		}
		if compiled[0] == 0 || compiled[1] != 0 || loaded[1] != compiled[0]+loaded[0] {
			t.Errorf("%s: compiled %d, loaded %d", plugin, compiled, loaded)
		}
		if reports[0].String() != reports[1].String() {
			t.Errorf("%s: the second report is another one:\n%s\nfirst:\n%s", plugin, &reports[1], &reports[0])
		}
	}
}
