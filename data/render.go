package data

import (
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/gfncp/gfncp/data/augment"
)

// NetworkUnits maps pixels x in 0..1 to the −1..1 that networks read, in place.
func NetworkUnits(x []float32) {
	for i, v := range x {
		x[i] = 2*v - 1
	}
}

// renderImages fills X of the points from..to−1 from Index and Views.
func (s *PoolSource) renderImages(batch *Batch, from, to int) {
	var renderer augment.Renderer
	for i := from; i < to; i++ {
		dst, src := batch.X[i*batch.D:(i+1)*batch.D], s.pool.Point(int(batch.Index[i]))
		if batch.Views == nil {
			copy(dst, src)
			NetworkUnits(dst)
			continue
		}
		view := batch.Views[i*augment.NumParams : (i+1)*augment.NumParams]
		renderer.Render(dst, src, s.pool.Height, s.pool.Width, view)
	}
}

// renderVectors fills X from Index: centred by set, scaled, and in mode "instance" augmented.
func (s *PoolSource) renderVectors(batch *Batch, rng *rand.Rand) {
	for b := range batch.B {
		set := batch.Slice(b, b+1)
		for i, index := range set.Index {
			copy(set.X[i*set.D:(i+1)*set.D], s.pool.Point(int(index)))
		}
		MedianCenter(set.X, set.N, set.D)
		for i := range set.X {
			set.X[i] *= float32(s.config.Factor)
		}
		if !s.Augments() {
			continue
		}
		for i, isBase := range basePoints(rng, set.Labels) {
			if x := set.X[i*set.D : (i+1)*set.D]; !isBase || s.config.AugmentBase {
				s.config.Vectors.Apply(rng, x, x)
			}
		}
	}
}

// inParts splits 0..n−1 over the cores and waits until work has seen every part.
func inParts(n int, work func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var group sync.WaitGroup
	for part := range parts {
		group.Go(func() { work(part*n/parts, (part+1)*n/parts) })
	}
	group.Wait()
}
