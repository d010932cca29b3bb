package xla

import (
	"os"
	"os/exec"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// onOlderPlugins has a program of each kind: inference, decoding, gradients. All tests take four minutes a plugin.
const onOlderPlugins = "TestPrecision|TestPeersCluster|TestDecoding/extended|" +
	"TestTraining$/^(gfncp_data|gfncp_explore|ccp)$"

// The other plugins pass the tests of onOlderPlugins, each in a process of its own: two XLAs in one process disturb
// each other.
func TestOtherPlugins(t *testing.T) {
	all := xlatest.Plugins(t)
	for _, path := range all[:len(all)-1] {
		child := exec.CommandContext(t.Context(), must.M1(os.Executable()), "-test.timeout=20m",
			"-test.run="+onOlderPlugins)
		child.Env = append(os.Environ(), xlatest.PluginsEnv+"="+path)
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
