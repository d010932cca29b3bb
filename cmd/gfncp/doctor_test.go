package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// The comparison is made with one case of each kind; that it is right, and for all cases, benchmarks/parity proves.
func TestDoctorParity(t *testing.T) {
	t.Parallel()
	for name, quantities := range map[string]int{
		"energy table": 1, "decode given labels": 4, "train st": 4, "augmentation": 1,
	} {
		stdout, stderr, status := gfncp("doctor", "--parity", "--backend", "go", "--case", name)
		if status != exitDone || stderr != "" || strings.Contains(stdout, "FAIL") ||
			strings.Count(stdout, "\n") != 2+quantities || strings.Count(stdout, "\n"+name+": ") != quantities ||
			!strings.HasPrefix(stdout, "go (go:ops_sequential), exact float32, ") {
			t.Errorf("status %d, %s\n%s", status, stderr, stdout)
		}
	}
}

// A backend that does not open is reported with everything that helps to find out why, and status 1.
func TestDoctorReportsABackendThatDoesNotOpen(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "site-packages/jax_plugins/xla_cuda13")
	must.M(os.MkdirAll(folder, 0o755))
	libraries := filepath.Join(folder, "../../nvidia/cu13/lib")
	must.M(os.MkdirAll(libraries, 0o755))
	plugin := filepath.Join(folder, "xla_cuda_plugin.so")
	must.M(os.WriteFile(plugin, []byte("no library"), 0o644))
	stdout, stderr, status := gfncp("doctor", "--backend", "xla:"+plugin)
	if status == exitUsage {
		t.Skip("no XLA in this build")
	}
	if status != exitFailed || !strings.Contains(stderr, plugin) {
		t.Errorf("status %d, stderr %q; want 1 and the plugin's path", status, stderr)
	}
	for _, want := range []string{
		"xla:cuda", "tf32=false", "LD_LIBRARY_PATH=" + filepath.Clean(libraries),
		"not checked",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
}

func TestDoctorFlagsThatExclude(t *testing.T) {
	for _, args := range [][]string{
		{"doctor", "--case", "encoder mlp"},
		{"doctor", "--parity", "--json"},
	} {
		if stdout, stderr, status := gfncp(args...); status != exitUsage ||
			stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp %q: status %d, %q %q; want one line and status 2", args, status, stdout, stderr)
		}
	}
}

// The first line of a report on a plugin has its API's version: the first thing to know where it does not work.
func TestDoctorTellsThePluginsVersion(t *testing.T) {
	plugin := xlatest.Plugin(t)
	stdout, stderr, status := gfncp("doctor", "--backend", "xla:"+plugin)
	first, _, _ := strings.Cut(stdout, "\n")
	if status != exitDone || stderr != "" || !strings.Contains(first, "PJRT plugin of API 0.") ||
		!strings.Contains(stdout, "[4 device(s)]") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	stdout, _, _ = gfncp("doctor", "--backend", "xla:"+plugin, "--json")
	var d diagnosis
	must.M(json.Unmarshal([]byte(stdout), &d))
	if !strings.Contains(first, "PJRT plugin of API "+d.PluginAPI) || !d.Healthy {
		t.Errorf("%+v", d)
	}
	stdout, stderr, status = gfncp("doctor", "--backend", "xla:"+plugin+",devices=2")
	if status != exitDone || !strings.Contains(stdout, "\ndevice    0, used: ") ||
		!strings.Contains(stdout, "\ndevice    1, used: ") || !strings.Contains(stdout, "\ndevice    2: ") {
		t.Errorf("devices: status %d, %s\n%s", status, stderr, stdout)
	}
	for _, count := range []string{"5", "0", "x", ""} {
		_, stderr, status = gfncp("doctor", "--backend", "xla:"+plugin+",devices="+count)
		if status != exitUsage || !strings.Contains(stderr, "devices="+count) {
			t.Errorf("devices=%s: status %d, %s", count, status, stderr)
		}
	}
	if level := os.Getenv("TF_CPP_MIN_LOG_LEVEL"); level != "2" && level != "1" && level != "0" {
		t.Errorf("XLA's errors are hidden: level %q", level)
	}
}
