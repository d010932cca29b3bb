package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/engine/pjrtstub"
)

// Flags are tried in processes of their own, since a plugin ends its process at one that it does not know: what it
// knows is printed, behind what was set, and the others are told with their reason.
func TestDoctorXLAFlags(t *testing.T) {
	plugin := pjrtstub.Plugin(t)
	t.Setenv(asProgram, "1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(xlaFlagsEnv, "--xla_set=1")
	t.Setenv("PJRTSTUB_FLAGS", "--xla_set --xla_gpu_per_fusion_autotune_cache_dir --xla_gpu_enable_command_buffer")
	stdout, stderr, status := gfncp("doctor", "--xla-flags", "--backend", "xla:"+plugin)
	want := "--xla_set=1 --xla_gpu_per_fusion_autotune_cache_dir=" + os.Getenv("XDG_CACHE_HOME") +
		"/gfncp/xla/autotune --xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL\n"
	if status != exitDone || stdout != want || strings.Count(stderr, "accepted ") != 2 ||
		!strings.Contains(stderr, "refused   --xla_gpu_enable_cublaslt=true: ") ||
		!strings.Contains(stderr, "Unknown flag in XLA_FLAGS: --xla_gpu_kernel_cache_file=") {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	t.Setenv(xlaFlagsEnv, "--xla_other")
	if _, stderr, status = gfncp("doctor", "--xla-flags", "--backend", "xla:"+plugin); status != exitFailed ||
		!strings.Contains(stderr, "--xla_other") {
		t.Errorf("a flag that is set and not known: status %d, %s", status, stderr)
	}
	for _, args := range [][]string{{"--backend", "go"}, {"--json"}, {"--parity"}} {
		if _, stderr, status := gfncp(append([]string{"doctor", "--xla-flags"}, args...)...); status != exitUsage {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}
