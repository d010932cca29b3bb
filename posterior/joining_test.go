package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/metrics"
)

// arcs are two half rings, 0 and 1, one beside the other, that are cut into four pieces each: 0..3 and 4..7.
func arcs(rng *rand.Rand, n int, width float64) (x []float64, pieces []int32) {
	for i := range n {
		at, arc := rng.Float64(), float64(i%2)
		s, c := math.Sincos(math.Pi * at)
		x = append(x, 10*c+width*rng.NormFloat64(), (1-2*arc)*10*s+20*arc+width*rng.NormFloat64()+8*arc)
		pieces = append(pieces, int32(4*(i%2))+int32(4*at))
	}
	return x, pieces
}

// Pieces of a bent group are linked with those beside them, so all of them are one; groups that are apart stay apart.
// Neither the names of pieces nor linear maps of the points change anything.
func TestPiecesOfBentGroupsAreJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(181, 182))
	x, pieces := arcs(rng, 600, 1)
	canonical, _ := metrics.Canonical(pieces)
	var want []int32
	for k := range 8 {
		want = append(want, pieces[slices.Index(canonical, int32(k))]/4)
	}
	want, _ = metrics.Canonical(want)
	if got := must[*Crowding](t)(NewCrowding(x, 2, pieces)).Join(pieces); !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	var mapped []float64
	for i := 0; i < len(x); i += 2 {
		mapped = append(mapped, 3*x[i]-x[i+1], 50*x[i+1]+7)
	}
	c := must[*Crowding](t)(NewCrowding(mapped, 2, pieces))
	if got := c.Join(pieces); !slices.Equal(got, want) {
		t.Errorf("groups of mapped points %v, want %v", got, want)
	}
	if got := c.Join(OneCluster(600)); !slices.Equal(got, []int32{0}) {
		t.Errorf("groups of one cluster: %v", got)
	}
	if got := c.Join(Singletons(600)); len(got) != 600 || int(slices.Max(got)) != 599 {
		t.Errorf("%d groups of singletons, but they have not three points that lead anywhere", slices.Max(got)+1)
	}
}

// A gap that is wide for the denser cluster, or two points that bridge it, do not link clusters; a third point does.
func TestLinksNeedThreePoints(t *testing.T) {
	// a lattice of two blocks of columns and rows, and points between these
	lattice := func(bridge int) (x []float64, labels []int32) {
		for i := range 60 {
			for side := range 2 {
				x = append(x, float64(i%6)+float64(side)*9, float64(i/6))
				labels = append(labels, int32(side))
			}
		}
		for i := range bridge {
			for side := range 2 {
				x = append(x, 6.3+float64(side)*1.4, float64(2*i)+3)
				labels = append(labels, int32(side))
			}
		}
		return x, labels
	}
	for bridge, want := range map[int]int{0: 2, 2: 2, 3: 1} {
		x, labels := lattice(bridge)
		groups := must[*Crowding](t)(NewCrowding(x, 2, labels)).Join(labels)
		if got := metrics.Clusters(groups); got != want {
			t.Errorf("%d points on either side of the gap: %d groups, want %d", bridge, got, want)
		}
	}
}

// Points without width in some direction, or all at one place, have neighbours, too.
func TestCrowdingOfFlatPoints(t *testing.T) {
	labels := make([]int32, 40)
	x := make([]float64, 80)
	for i := range labels {
		labels[i] = int32(i / 20)
		x[2*i] = float64(i/20) * 100
	}
	if got := must[*Crowding](t)(NewCrowding(x, 2, labels)).Join(labels); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("groups %v of two heaps", got)
	}
	if _, err := NewCrowding(x, 2, labels[1:]); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("39 labels of 40 points: error %v", err)
	}
	if _, err := NewCrowding(nil, 2, nil); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no points: error %v", err)
	}
	if _, err := NewCrowding([]float64{math.NaN()}, 1, []int32{0}); !errors.Is(err, metrics.ErrNotFinite) {
		t.Errorf("a point that is none: error %v", err)
	}
}
