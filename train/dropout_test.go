package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
)

// imageGradients returns the evaluator of a small image network, its objective, and a task of three sets with negative
// samples.
func imageGradients(t *testing.T, shards int) (*evaluator, *energyObjective, Task) {
	t.Helper()
	c := DefaultOn(GFNCP, data.SourceFile)
	c.Net.Hidden, c.Net.Embed, c.Net.Global, c.Train.Shards = 8, 8, 8, shards
	batch := must.M1(imageSource().Batch(1, 0))
	var negative [][]int32
	for range batch.B {
		negative = append(negative, make([]int32, batch.N)) // all points in one cluster
	}
	weights := newWeights(openGo(t), c.Net.Init(data.Rand(c.Seed, "init", 0)))
	o := must.M1(newEnergyObjective(weights, c))
	return newEvaluator(weights, o, shards), o, Task{Kind: losses.DataStep, Batch: batch, Negative: negative}
}

func valuesOf(g gradient) []float32 {
	if g == nil {
		return nil
	}
	return flat(g[1:])
}

func flat(ts []*tensors.Tensor) (all []float32) {
	for _, t := range ts {
		all = append(all, tensors.MustCopyFlatData[float32](t)...)
	}
	return all
}

// TestDropoutOfImages: a training step drops units by (seed, step, shard) alone, and an evaluation drops none.
func TestDropoutOfImages(t *testing.T) {
	t.Parallel()
	e, o, task := imageGradients(t, 2)
	compute := func(at Moment) (string, []float32) {
		values, grads, err := e.compute(t.Context(), at, task)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(values), valuesOf(grads)
	}
	gradient := func(step int) (string, []float32) { return compute(Moment{Index: step}) }
	terms, first := gradient(4)
	again, second := gradient(4)
	other, third := gradient(5)
	if terms != again || !slices.Equal(first, second) {
		t.Error("the same step gives another gradient")
	}
	if terms == other || slices.Equal(first, third) {
		t.Error("another step gives the same gradient")
	}
	o.config.Seed++
	if reseeded, _ := gradient(4); reseeded == terms {
		t.Error("another seed gives the same gradient")
	}
	value, none := compute(Moment{4, true})
	o.config.Seed += 7
	if again, _ := compute(Moment{4, true}); value != again || value == terms || value == other || none != nil {
		t.Errorf("the value without dropout is %+v; with dropout %+v and %+v", value, terms, other)
	}
	for _, v := range first {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			t.Fatalf("a gradient is %g", v)
		}
	}
}

// TestDropoutDiffersByShard: two shards with the same points drop different units.
func TestDropoutDiffersByShard(t *testing.T) {
	t.Parallel()
	e, _, task := imageGradients(t, 2)
	batch := task.Batch
	twice, one := batch.Slice(0, 2), batch.Slice(0, 1)
	copy(twice.X[len(one.X):], one.X)
	copy(twice.Labels[len(one.Labels):], one.Labels)
	compute := func(held bool, b *data.Batch) (float64, []float32) {
		values, grads, err := e.compute(t.Context(), Moment{Held: held}, Task{Kind: losses.LikelihoodStep, Batch: b})
		if err != nil {
			t.Fatal(err)
		}
		return values.Loss, valuesOf(grads)
	}
	gradient := func(b *data.Batch) []float32 { _, g := compute(false, b); return g }
	// The gradient is a mean over sets: with the same dropout in both shards it would be that of one, but for rounding.
	if d := distance(gradient(twice), gradient(one)); d < 0.01 {
		t.Errorf("the gradient of two equal sets differs by %g of its size from that of one", d)
	}
	both, _ := compute(true, twice)
	single, _ := compute(true, one)
	if !(math.Abs(both-single) <= 1e-5*math.Abs(single)) {
		t.Errorf("without dropout: loss %g of two equal sets, %g of one", both, single)
	}
}

// distance is |a − b| / |b|.
func distance(a, b []float32) float64 {
	var off, size float64
	for i, v := range b {
		off += float64((a[i] - v) * (a[i] - v))
		size += float64(v * v)
	}
	return math.Sqrt(off / size)
}
