package mixture

import (
	"fmt"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/tables"
)

// The estimate has the most probable K whose clusters are at one place in the draws; its rows are where the draws have
// them most often, but for rows that must be together.
func TestPointEstimate(t *testing.T) {
	two := []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	draws := func(moved ...int) (all [][]int32) { // three rows that move form the third cluster of each draw
		for _, from := range moved {
			draw := slices.Clone(two)
			for i := range 3 {
				draw[(from+i)%len(draw)] = 2
			}
			draw, _ = metrics.Canonical(draw)
			all = append(all, draw)
		}
		return all
	}
	tests := []struct {
		name  string
		draws [][]int32
		known knowledge
		want  string
	}{
		{"one place", slices.Concat(draws(3, 3, 3), [][]int32{two, two}), knowledge{}, "[0 0 0 1 1 1 2 2 2 2 2 2]"},
		{
			"many places", slices.Concat(draws(0, 2, 4, 6, 8), slices.Repeat([][]int32{two}, 4)),
			knowledge{},
			fmt.Sprint(two),
		},
		{
			"a noisy row",
			[][]int32{{0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1}, {0, 0, 1, 0, 1, 1, 1}},
			knowledge{},
			"[0 0 0 0 1 1 1]",
		},
		{
			"rows together",
			[][]int32{{0, 0, 0, 1, 1, 1, 1}},
			knowledge{unitOf: []int32{-1, -1, -1, 0, 0, -1, -1}, units: []unit{{rows: []int32{3, 4}}}},
			"[0 0 0 1 1 1 1]",
		},
	}
	for _, test := range tests {
		p := &Posterior{Draws: test.draws, NumberProbs: make([]float64, MostClusters+1)}
		for _, draw := range test.draws {
			_, number := test.known.counted(draw)
			p.NumberProbs[number] += 1 / float64(len(test.draws))
		}
		if got := fmt.Sprint(p.pointEstimate(&test.known)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Chains that are alike from the start go on for 800 sweeps, or an eighth of the budget. More groups than the sampler
// knows are told, and rows that are equal to rows of other clusters.
func TestDoubtIsTold(t *testing.T) {
	short.Skip(t, "takes seconds")
	p := must.M1(Sample(t.Context(), tableOf(blobs(1, 100, 2, 2, 20).columns), Options{Seed: 1}))
	if p.Ending != Agreement || p.Sweeps < agreedSweeps || p.Full != 0 || p.Parted != 0 {
		t.Errorf("%s after %d sweeps, full %g, parted %g", p.Ending, p.Sweeps, p.Full, p.Parted)
	}
	p = must.M1(Sample(t.Context(), tableOf(blobs(1, 800, 2, 80, 60).columns), Options{Seed: 1, Work: 2e6}))
	if p.Full < 0.5 {
		t.Errorf("80 groups: K %d, full %g", p.Number, p.Full)
	}
	equal := tables.Table{Rows: 4, Numbers: []float64{1, 1, 2, 3}}
	if share := equal.SplitShare([]int32{0, 1, 0, 1}); share != 0.5 {
		t.Errorf("a share of %g is parted, want 0.5", share)
	}
}

// Rows move to the cluster in which most draws put them, unless that changes which clusters count in K.
func TestSmooth(t *testing.T) {
	draw := []int32{0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2}
	most := []int32{0, 0, 0, 0, 0, 2, 1, 1, 1, 2, 2, 2} // cluster 1 has three rows, and would count
	p := &Posterior{Draws: [][]int32{draw, most, most, most}}
	labels, whole := p.smooth(draw, &knowledge{})
	if want := []int32{0, 0, 0, 0, 0, 1, 0, 2, 2, 1, 1, 1}; whole || !slices.Equal(labels, want) {
		t.Errorf("%d, whole %v, want %d", labels, whole, want)
	}
}
