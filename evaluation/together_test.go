package evaluation

import (
	"context"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// Batches are decoded together only if their sets have as many points, four at most, each set as by itself; all come in
// their order.
func TestGroups(t *testing.T) {
	net := untrained(t)
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.AlphaMin, c.AlphaMax, c.Stream = 3, 10, 11, 2, 2, "test"
	r := must.M1(newReader(net, must.M1(data.NewMoG(c)), 1, 40))
	step, sets, largest := 0, 0, 0
	for group, err := range r.groups(context.Background(), 1, 40) {
		must.M(err)
		largest = max(largest, len(group))
		found := must.M1(greedyLabels(net, group))
		for _, batch := range group {
			if batch.step != step || batch.N != group[0].N {
				t.Errorf("step %d of %d points in place of step %d of %d", batch.step, batch.N, step, group[0].N)
			}
			own := must.M1(greedyLabels(net, []embedded{batch}))
			if !slices.EqualFunc(own, found[:batch.B], slices.Equal) {
				t.Errorf("step %d: labels %v, alone %v", batch.step, found[:batch.B], own)
			}
			first := must.M1(greedyLabels(net, []embedded{batch.first()}))
			if !slices.Equal(first[0], found[0]) {
				t.Errorf("step %d: the first set's labels %v, alone %v", batch.step, found[0], first[0])
			}
			found, step, sets = found[batch.B:], step+1, sets+batch.B
		}
	}
	if sets != 40 || step != 14 || largest < 2 || largest > decodedTogether {
		t.Errorf("%d sets of %d steps in groups of up to %d", sets, step, largest)
	}
}
