package models

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
)

// The graph lists the candidates that the host lists; padded rows may name any point.
func TestListedInputsEqualListCandidates(t *testing.T) {
	f := must.M1(engine.NewFunc(enginetest.Go(), "listing", func(in []*Node) []*Node {
		l := ListedInputs(in)
		return []*Node{l.Labels, l.Next, l.Count, l.Point, l.Prev, l.Taken, l.Slot}
	}))
	coarse, planned := CoarseBuckets, Planned(Law{Least: 2, Most: 50, Alpha: 1})
	coarse.Rows = func(n int) int { return roundUp(CoarseBuckets.Rows(n), listedUnit) }
	for _, size := range [][2]int{{1, 2}, {3, 9}, {2, 32}, {2, 40}, {5, 33}} {
		for name, buckets := range map[string]Buckets{"coarse": coarse, "planned": planned} {
			t.Run(fmt.Sprintf("%s/B=%d,N=%d", name, size[0], size[1]), func(t *testing.T) {
				b, n := size[0], size[1]
				labels := canonicalLabels(rand.New(rand.NewPCG(1, uint64(n))), b, n)
				want := must.M1(ListCandidates(labels, b, n, buckets))
				l := must.M1(ListOnDevice(labels, b, n, buckets))
				sizes := [5]int{b, want.N, n, want.R, want.K}
				if got := [5]int{l.B, l.N, l.Count, l.R, l.K}; got != sizes {
					t.Fatalf("B, N, Count, R, K = %v, want %v", got, sizes)
				}
				in := append([]*tensors.Tensor{l.PadPoints(make([]float32, b*n), 1)}, l.Tensors()...)
				out := must.M1(f.Call(in...))
				for i, tensor := range want.Tensors() {
					compareListed(t, i, int(l.rows), out[i], tensor)
				}
			})
		}
	}
}

// compareListed compares one index vector; of Point and Prev the real rows.
func compareListed(t *testing.T, which, rows int, got, want *tensors.Tensor) {
	t.Helper()
	if !got.Shape().Equal(want.Shape()) {
		t.Fatalf("input %d has shape %s, want %s", which, got.Shape(), want.Shape())
	}
	a, b := tensors.MustCopyFlatData[int32](got), tensors.MustCopyFlatData[int32](want)
	if which == 3 {
		cells := want.Shape().Dimensions[0]
		for _, point := range a[rows:] {
			if point < 0 || int(point) >= cells {
				t.Fatalf("a padded row has point %d", point)
			}
		}
		a, b = a[:rows], b[:rows]
	}
	if !slices.Equal(a, b) {
		t.Errorf("input %d is %v, want %v", which, a, b)
	}
}
