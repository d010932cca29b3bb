package data

import (
	"testing"

	"github.com/janpfeifer/must"
)

// Blobs are equally large, up to one point, and their centres lie apart.
func TestBlobs(t *testing.T) {
	c := DefaultMoG().HeldOut(1, 50, 4)
	c.Balanced, c.Separation, c.SigmaX = true, 8, 0.01
	batch := must.M1(must.M1(NewMoG(c)).Batch(1, 0))
	for b := range batch.B {
		x, labels := batch.Set(b)
		sizes := clusterSizes(labels)
		if len(sizes) != 4 {
			t.Fatalf("set %d has %d clusters", b, len(sizes))
		}
		for _, size := range sizes {
			if size != 12 && size != 13 {
				t.Errorf("set %d has sizes %v", b, sizes)
			}
		}
		for i := range labels {
			for k := range i {
				dx, dy := x[2*i]-x[2*k], x[2*i+1]-x[2*k+1]
				if apart := dx*dx+dy*dy > 7.5*7.5; apart != (labels[i] != labels[k]) {
					t.Fatalf("set %d: points %d and %d: far apart %v, clusters %d and %d",
						b, i, k, apart, labels[i], labels[k])
				}
			}
		}
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.FixedK = 0 }, func(c *Config) { c.Separation = -1 }, func(c *Config) { c.Separation = 11 },
		func(c *Config) { c.FixedK = 11 },
	} {
		bad := c
		if change(&bad); bad.Validate() == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
