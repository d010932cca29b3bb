package mixture

import (
	"context"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/mixture/tables"
)

// manyGroups is a table on which chains disagree at first, so that some begin anew.
func manyGroups() tables.Table { return tableOf(blobs(1, 600, 5, 15, 3).columns) }

// A deadline that does not end the sampling changes nothing.
func TestDeadlineChangesNothing(t *testing.T) {
	late, stop := context.WithTimeout(context.Background(), time.Hour)
	defer stop()
	o := Options{Seed: 1, Work: 3e5}
	a, b := must.M1(Sample(context.Background(), manyGroups(), o)), must.M1(Sample(late, manyGroups(), o))
	if a.Restarts == 0 || !reflect.DeepEqual(a.Draws, b.Draws) {
		t.Errorf("%d restarts, and %d with a deadline; other draws", a.Restarts, b.Restarts)
	}
}

// A deadline just after chains began anew leaves the draws before.
func TestDeadlineAfterRestart(t *testing.T) {
	short.Skip(t, "samples until chains begin anew")
	ctx := &deadlineAfter{Context: context.Background()}
	ctx.checks.Store(math.MaxInt64)
	o := Options{Seed: 1, Progress: func(int, int) { ctx.checks.Store(0) }}
	p := must.M1(Sample(ctx, manyGroups(), o))
	if p.Ending != Deadline || p.Sweeps != firstSweeps || p.Restarts != 0 || len(p.Draws) == 0 {
		t.Errorf("%s after %d sweeps, %d restarts, %d draws", p.Ending, p.Sweeps, p.Restarts, len(p.Draws))
	}
}
