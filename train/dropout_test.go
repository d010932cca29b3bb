package train

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// imageGradients returns the gradient functions of a small image network, and a batch of three sets with negative samples.
func imageGradients(t *testing.T, shards int) (*gradients, *data.Batch, [][]int32) {
	t.Helper()
	c := DefaultImages(GFNCP, data.SourceFile)
	c.Net.Hidden, c.Net.Embed, c.Net.Global, c.Train.Shards = 8, 8, 8, shards
	store := must.M1(c.Net.Init(data.Rand(c.Seed, "init", 0)).Store())
	batch := must.M1(imageSource(data.ModeInstance, 0, noisePool(9)).Batch(1, 0))
	var negative [][]int32
	for range batch.B {
		negative = append(negative, make([]int32, batch.N)) // all points in one cluster
	}
	return must.M1(newGradients(openGo(t), store, c)), batch, negative
}

// flat joins tensors.
func flat(ts []*tensors.Tensor) (all []float32) {
	for _, t := range ts {
		all = append(all, tensors.MustCopyFlatData[float32](t)...)
	}
	return all
}

// TestDropoutOfImages: a training step drops units by (seed, step, shard) alone, and an evaluation drops none.
func TestDropoutOfImages(t *testing.T) {
	g, batch, negative := imageGradients(t, 2)
	gradient := func(step int) (Terms, []float32) {
		terms, grads, err := g.gradient(dataStep, batch, negative, step)
		if err != nil {
			t.Fatal(err)
		}
		return terms, flat(grads)
	}
	terms, first := gradient(4)
	again, second := gradient(4)
	other, third := gradient(5)
	if terms != again || !slices.Equal(first, second) {
		t.Error("the same step gives another gradient")
	}
	if terms == other || slices.Equal(first, third) {
		t.Error("another step gives the same gradient")
	}
	g.seed++
	if reseeded, _ := gradient(4); reseeded == terms {
		t.Error("another seed gives the same gradient")
	}
	value := must.M1(g.value(dataStep, batch, negative))
	g.seed += 7
	if value != must.M1(g.value(dataStep, batch, negative)) || value == terms || value == other {
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
	g, batch, _ := imageGradients(t, 2)
	twice, one := batch.Slice(0, 2), batch.Slice(0, 1)
	copy(twice.X[len(one.X):], one.X)
	copy(twice.Labels[len(one.Labels):], one.Labels)
	gradient := func(b *data.Batch) []float32 {
		_, grads, err := g.gradient(likelihoodStep, b, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return flat(grads)
	}
	// The gradient is a mean over sets: with the same dropout in both shards it would be that of one, but for rounding.
	if d := distance(gradient(twice), gradient(one)); d < 0.01 {
		t.Errorf("the gradient of two equal sets differs by %g of its size from that of one", d)
	}
	both, single := must.M1(g.value(likelihoodStep, twice, nil)), must.M1(g.value(likelihoodStep, one, nil))
	if !(math.Abs(both.Loss-single.Loss) <= 1e-5*math.Abs(single.Loss)) {
		t.Errorf("without dropout: loss %g of two equal sets, %g of one", both.Loss, single.Loss)
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

// TestVectorsDropNothing: the encoder of vectors has no dropout, and its gradient takes no random state.
func TestVectorsDropNothing(t *testing.T) {
	if (&gradients{net: models.Default(2)}).drops() || !(&gradients{net: models.DefaultImages()}).drops() {
		t.Error("vectors drop units, or images do not")
	}
}
