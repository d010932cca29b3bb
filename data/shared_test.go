package data

import (
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// Sets that share a labelling have it alone in common, another one at each step, in a random order.
func TestSharedLabelling(t *testing.T) {
	shared := func(c *Config) { c.Shared, c.Batch, c.NMin, c.NMax = true, 4, 40, 40 }
	pool := vectorPool(60, 60, 60, 60)
	sources := map[string]Source{
		"mixtures": mustMoG(shared),
		"classes":  mustPool(pool, func(c *Config) { generative(c); shared(c) }),
		"instances": mustPool(pool, func(c *Config) {
			shared(c)
			c.MaxK = 8
		}),
	}
	for name, source := range sources {
		first, second := must.M1(source.Batch(1, 0)), must.M1(source.Batch(1, 1))
		for i, set := range setsOf(first) {
			wantCanonical(t, set)
			if !slices.Equal(set.Labels, first.Labels[:40]) {
				t.Errorf("%s: set %d has labels %v, the first %v", name, i, set.Labels, first.Labels[:40])
			}
			if i > 0 && slices.Equal(set.X, first.Slice(0, 1).X) {
				t.Errorf("%s: set %d has the points of the first", name, i)
			}
		}
		if slices.Equal(first.Labels, second.Labels) {
			t.Errorf("%s: both steps have one labelling", name)
		}
		if opened := slices.Compact(slices.Clone(first.Labels[:40])); len(opened) < 5 {
			t.Errorf("%s: points are not in random order: %v", name, first.Labels[:40])
		}
	}
}
