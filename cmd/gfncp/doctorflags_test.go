package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// Flags are tried in processes of their own, since a plugin ends its process at one that it does not know: what it
// knows is printed, behind what was set, and the others are told with their reason.
func TestDoctorXLAFlags(t *testing.T) {
	plugin := xlatest.Plugin(t)
	t.Setenv(asProgram, "1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const set = "--xla_cpu_multi_thread_eigen=true"
	t.Setenv(xlaFlagsEnv, set)
	stdout, stderr, status := gfncp("doctor", "--xla-flags", "--backend", "xla:"+plugin)
	accepted, refused := strings.Count(stderr, "accepted "), strings.Count(stderr, "refused ")
	if status != exitDone || accepted+refused != 4 || accepted < 2 || !strings.HasPrefix(stdout, set+" ") {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	for _, f := range usefulFlags(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "gfncp", "xla")) {
		taken := strings.Contains(stdout, " "+f.flags)
		if taken != strings.Contains(stderr, "accepted  "+f.flags+": "+f.why) ||
			taken == strings.Contains(stderr, "refused   "+f.flags+": ") {
			t.Errorf("%s: taken %v\n%s", f.flags, taken, stderr)
		}
	}
	t.Setenv(xlaFlagsEnv, "--xla_other=1")
	if _, stderr, status = gfncp("doctor", "--xla-flags", "--backend", "xla:"+plugin); status != exitFailed ||
		!strings.Contains(stderr, "Unknown flag in XLA_FLAGS: --xla_other") {
		t.Errorf("a flag that is set and not known: status %d, %s", status, stderr)
	}
	for _, args := range [][]string{{"--backend", "go"}, {"--json"}, {"--parity"}} {
		if _, stderr, status := gfncp(append([]string{"doctor", "--xla-flags"}, args...)...); status != exitUsage {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}
