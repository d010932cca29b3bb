package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// The comparison is made once for all cases, as JSON; that it is right, benchmarks/parity proves. Its lines are tried
// with one case.
func TestDoctorParity(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := gfncp("doctor", "--parity", "--backend", "go", "--json")
	var r parityReport
	must.M(json.Unmarshal([]byte(stdout), &r))
	if status != exitDone || !r.Pass || r.TF32 || r.Backend != "go" || len(r.Outcomes) < 20 || stderr != "" {
		t.Errorf("doctor --parity --json: status %d, pass %v, %d outcomes, %s", status, r.Pass, len(r.Outcomes), stderr)
	}
	stdout, _, status = gfncp("doctor", "--parity", "--backend", "go", "--case", "decode given labels")
	if status != exitDone || !strings.Contains(stdout, "decode given labels: log-probability") ||
		strings.Contains(stdout, "FAIL") || strings.Count(stdout, "\n") >= len(r.Outcomes) {
		t.Errorf("doctor --parity: status %d\n%s", status, stdout)
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
		{"doctor", "--install-pjrt", "cpu", "--parity"},
		{"doctor", "--install-pjrt", "tpu"},
		{"doctor", "--install-pjrt", "cpu", "--json"},
	} {
		if stdout, stderr, status := gfncp(args...); status != exitUsage ||
			stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp %q: status %d, %q %q; want one line and status 2", args, status, stdout, stderr)
		}
	}
}
