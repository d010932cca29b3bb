package st

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// Inputs leaves the batch alone and pads with invalid points.
func TestInputs(t *testing.T) {
	batch := data.NewBatch(2, 3, 2)
	copy(batch.X, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	before := slices.Clone(batch.X)
	m := New(models.Default(2), peers.Config{Clusters: 2})
	in := must.M1(m.Inputs(nil, batch, models.Buckets{Points: func(int) int { return 4 }}))
	if len(in) != 2 {
		t.Fatalf("%d inputs, want 2", len(in))
	}
	want := slices.Concat(before[:6], []float32{0, 0}, before[6:], []float32{0, 0})
	if x := must.M1(engine.Float32s(in[0])); !slices.Equal(x, want) || !slices.Equal(batch.X, before) {
		t.Errorf("points %v, want %v", x, want)
	}
	valid := must.M1(tensors.CopyFlatData[bool](in[1]))
	if want := []bool{true, true, true, false, true, true, true, false}; !slices.Equal(valid, want) {
		t.Errorf("mask %v, want %v", valid, want)
	}
}

// Sets of images cannot have more clusters than components.
func TestTooManyClusters(t *testing.T) {
	batch := data.NewBatch(1, 4, models.ImageSide*models.ImageSide)
	copy(batch.Labels, []int32{0, 1, 2, 0})
	m := New(models.DefaultImages(), peers.Config{Clusters: 2})
	if _, err := m.Inputs(nil, batch, models.FineBuckets); !usererr.Is(err) {
		t.Errorf("a set of three clusters for two components: %v", err)
	}
}
