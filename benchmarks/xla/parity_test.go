package xla

import (
	"os"
	"os/exec"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/benchmarks/parity"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
	_ "github.com/gfncp/gfncp/pretrained"
)

// What `gfncp doctor --parity` computes on a card, it computes here.
func TestParity(t *testing.T) {
	outcomes := must.M1(parity.Run(plugin(t, ""), parity.InFloat32, parity.Cases(), func(parity.Outcome) {}))
	for _, o := range outcomes {
		if !o.Pass {
			t.Errorf("%s: %s differs by %.2g, more than %.2g", o.Case, o.Quantity, o.Relative, o.Tolerance)
		}
	}
	if len(outcomes) < 54 {
		t.Errorf("%d quantities were compared, want 54", len(outcomes))
	}
}

// onOlderPlugins has a program of each kind: inference, decoding, gradients. All tests take four minutes a plugin.
const onOlderPlugins = "TestParity|TestPrecision|TestPeersCluster|TestDecoding/additive|" +
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
