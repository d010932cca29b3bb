package train

import (
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// A training on the paper's sets compiles at most 16 programs on XLA, with data and exploration steps, sets of all
// sizes, and a validation. It runs beside no other test, whose programs would count. The network is narrow: a wide one
// has as many programs.
func TestFewProgramsOnXLA(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("xla:" + xlatest.Plugin(t))).Open())
	c := Default(GFNCP)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 4, 4, 4
	c.Train.Steps, c.Train.ValidEvery, c.Loss.Beta = 12, 12, 0.75
	compiled, programs := map[string]int{}, 0
	defer pjrtapi.Listen(func(made pjrtapi.Made) {
		compiled[made.Program.Name()]++
		programs++
		t.Logf("%d: %s in %.1f s", programs, made.Program.Name(), made.Seconds)
	})()
	kinds := map[string]int{}
	must.M1(Run(t.Context(), backend, sources.Source, c, t.TempDir(), Listener{
		Step: func(r StepReport, _ int) { kinds[r.Kind]++ },
	}))
	if programs > 16 || len(kinds) != 2 || compiled["gradient of data"] < 5 || compiled["gradient of explore"] < 1 {
		t.Errorf("%d programs for steps of the kinds %v: %v", programs, kinds, compiled)
	}
}
