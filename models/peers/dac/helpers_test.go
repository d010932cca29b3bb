package dac

import (
	"math/rand/v2"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// noPadding keeps every size as it is.
var noPadding = models.Buckets{
	Points: func(n int) int { return n }, Rows: func(n int) int { return n }, Slots: func(n int) int { return n },
}

// tiny is a small network for points of two coordinates.
func tiny(variant string, likelihood bool) *Method {
	c := peers.Default(likelihood)
	c.Width, c.Heads, c.Inducing, c.Variant = 16, 2, 4, variant
	return New(models.Default(2), c)
}

// newRand is a generator of a fixed seed.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// newBatch draws b sets of n points in k clusters from a mixture of Gaussians, at a tenth of the default scale.
func newBatch(seed uint64, b, n, k int) *data.Batch {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK = b, n, n, k
	batch := must.M1(must.M1(data.NewMoG(c)).Batch(seed, 0))
	for i := range batch.X {
		batch.X[i] /= 10
	}
	return batch
}
