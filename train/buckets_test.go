package train

import (
	"fmt"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/models"
)

// In 200 steps of the paper's sets a device compiles few programs: the shapes of the gradient, the encoder and the loop
// are four, one and one; the weights' folding, the optimizer, its first values and a validation's objective are
// four more.
func TestFewProgramsOfThePaper(t *testing.T) {
	t.Parallel()
	c := Default(GFNCP)
	buckets := c.planned()
	source := must.M1(sources.Source(c.Data))
	programs := map[string]bool{}
	for step := range 200 {
		batch := must.M1(source.Batch(c.Seed, step))
		l := must.M1(models.ListOnDevice(batch.Labels, batch.B, batch.N, buckets))
		programs[fmt.Sprintf("gradient N=%d, %d rows a point, %d slots", l.N, l.Width, l.K)] = true
		side, points := buckets.SideBySide(batch.B), buckets.InLoop(batch.N)
		programs[fmt.Sprintf("encoder %d×%d", side, points)] = true
		programs[fmt.Sprintf("loop %d×%d, %d slots", side, points, buckets.Slots(buckets.First))] = true
	}
	if len(programs) > 6 {
		t.Errorf("%d programs: %v", len(programs), programs)
	}
}
