package dac

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// Two sets of three points on a line, padded to 8 points and 4 clusters; means and variances by hand.
func TestInputs(t *testing.T) {
	net := models.Default(1)
	c := peers.Default(true)
	c.Variant = peers.Anchored
	batch := &data.Batch{B: 2, N: 3, D: 1, X: []float32{1, 2, 5, 4, 6, 8}, Labels: []int32{0, 1, 0, 0, 0, 0}}
	in := must.M1(New(net, c).Inputs(nil, batch, models.FineBuckets))
	for i, want := range [][]int{{2, 8, 1}, {2, 8}, {2, 8, 4}, {2, 4, 1}, {2, 4, 1}, {2, 8}} {
		if got := in[i].Shape().Dimensions; !slices.Equal(got, want) {
			t.Errorf("input %d has shape %v, want %v", i, got, want)
		}
	}
	valid := []bool{true, true, true, false, false, false, false, false}
	if got := tensors.MustCopyFlatData[bool](in[1]); !slices.Equal(got, slices.Concat(valid, valid)) {
		t.Errorf("valid is %v", got)
	}
	members := make([]float32, 2*8*4)
	for _, cell := range []int{0*4 + 0, 1*4 + 1, 2*4 + 0, 8 * 4, 9 * 4, 10 * 4} {
		members[cell] = 1
	}
	anchor := make([]float32, 16)
	anchor[0], anchor[8] = 1, 1
	for i, want := range map[int][]float32{
		0: {1, 2, 5, 0, 0, 0, 0, 0, 4, 6, 8, 0, 0, 0, 0, 0},
		2: members,
		3: {3, 2, 0, 0, 6, 0, 0, 0},                // (1+5)/2, 2; (4+6+8)/3
		4: {4, 0, 0, 0, float32(8.0 / 3), 0, 0, 0}, // (2²+2²)/2, 0; (2²+0+2²)/3
		5: anchor,
	} {
		if got := tensors.MustCopyFlatData[float32](in[i]); !slices.Equal(got, want) {
			t.Errorf("input %d is %v, want %v", i, got, want)
		}
	}
}

// With Removal 1, r of 4 clusters are removed, r = 0..3 with the same probability: of 4·400 sets about 400 each,
// standard deviation √(1600·¼·¾) = 17. Clusters go as a whole, and anchors are points that stay.
func TestRemoval(t *testing.T) {
	m := tiny(peers.Anchored, false)
	m.Removal = 1
	rng, batch := newRand(1), newBatch(1, 4, 12, 4)
	var removed [5]int
	for range 400 {
		in := must.M1(m.Inputs(rng, batch, noPadding))
		valid, anchor := tensors.MustCopyFlatData[bool](in[1]), tensors.MustCopyFlatData[float32](in[3])
		for set := range batch.B {
			isThere := make(map[int32]bool)
			for i := set * batch.N; i < (set+1)*batch.N; i++ {
				j := batch.Labels[i]
				if there, seen := isThere[j]; seen && there != valid[i] {
					t.Fatalf("set %d lost a part of cluster %d", set, j)
				}
				isThere[j] = valid[i]
				if anchor[i] == 1 && !valid[i] {
					t.Fatalf("the anchor of set %d was removed", set)
				}
			}
			gone := 0
			for _, there := range isThere {
				if !there {
					gone++
				}
			}
			removed[gone]++
		}
	}
	for r, count := range removed[:4] {
		if math.Abs(float64(count)-400) > 4*17 {
			t.Errorf("%d clusters were removed from %d sets of 1600, want 400 ± 68", r, count)
		}
	}
	if removed[4] != 0 {
		t.Errorf("%d sets lost all clusters", removed[4])
	}
}

func TestInputsRefuse(t *testing.T) {
	m := tiny(peers.MinFilter, false)
	for name, spoil := range map[string]func(batch *data.Batch){
		"another dimension": func(batch *data.Batch) { batch.D = 1 },
		"missing points":    func(batch *data.Batch) { batch.X = batch.X[2:] },
		"missing labels":    func(batch *data.Batch) { batch.Labels = batch.Labels[1:] },
		"a negative label":  func(batch *data.Batch) { batch.Labels[3] = -1 },
		"a label too large": func(batch *data.Batch) { batch.Labels[3] = int32(batch.N) },
	} {
		batch := newBatch(1, 2, 5, 2)
		spoil(batch)
		if _, err := m.Inputs(nil, batch, noPadding); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
