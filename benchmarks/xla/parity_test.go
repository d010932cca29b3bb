package xla

import (
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/benchmarks/parity"
	_ "github.com/gfncp/gfncp/pretrained"
)

// What `gfncp doctor --parity` computes on a card, it computes here: every case goes through the interface. Peers at
// their published sizes take long to interpret; TestTraining has them smaller.
func TestParity(t *testing.T) {
	for _, c := range parity.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			if c.Name == "train ccp" || c.Name == "train dac" {
				t.Skip("at its published sizes it takes long to interpret; TestTraining has it smaller")
			}
			outcomes := must.M1(parity.Run(plugin(t, ""), parity.InFloat32, []parity.Case{c}, func(parity.Outcome) {}))
			for _, o := range outcomes {
				if !o.Pass {
					t.Errorf("%s differs by %.2g, more than %.2g", o.Quantity, o.Relative, o.Tolerance)
				}
			}
		})
	}
}
