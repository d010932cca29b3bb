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

// renderImages fills X from Index and Views, split over the cores: the result does not depend on the split.
func (s *PoolSource) renderImages(batch *Batch) {
	total := len(batch.Index)
	parts := min(runtime.GOMAXPROCS(0), total)
	var wg sync.WaitGroup
	for part := range parts {
		from, to := part*total/parts, (part+1)*total/parts
		wg.Go(func() { s.renderRange(batch, from, to) })
	}
	wg.Wait()
}

func (s *PoolSource) renderRange(batch *Batch, from, to int) {
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
		if s.config.Mode == ModeInstance {
			s.augmentVectors(set, rng)
		}
	}
}

// augmentVectors augments all points of a set but, unless AugmentBase, the bases.
func (s *PoolSource) augmentVectors(set *Batch, rng *rand.Rand) {
	for i, isBase := range basePoints(rng, set.Labels) {
		if x := set.X[i*set.D : (i+1)*set.D]; !isBase || s.config.AugmentBase {
			s.config.Vectors.Apply(rng, x, x)
		}
	}
}
