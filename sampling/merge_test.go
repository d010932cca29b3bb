package sampling

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// ofShapes is a network whose clusters are Gaussians of any shape.
var ofShapes = models.Config{
	Dim: 2, Hidden: 16, Embed: 16, Global: 24, Moments: true, MeanShift: true, Additive: true, Shapes: true,
}

func shaped(seed uint64) *models.Network {
	return must.M1(models.NewNetwork(goBackend(), ofShapes, ofShapes.Init(rand.New(rand.NewPCG(seed, 0)))))
}

// finalOf is E[c_{1:N}] of labels by the energy table.
func finalOf(net *models.Network, x []float32, set int, labels []int32) float64 {
	table, canon := tableOf(net, x, Sequence{Set: set}, labels)
	last := len(canon) - 1
	return table[last][canon[last]]
}

// cheapest is the way of Merged by brute force: at each step all unions of two clusters, each by its energy table.
// It returns the least energy on the way.
func cheapest(net *models.Network, x []float32, set int, labels []int32) float64 {
	labels = canonical(labels)
	least := finalOf(net, x, set, labels)
	for k := clusters(labels); k > 1; k-- {
		best, bestEnergy := []int32(nil), math.Inf(1)
		for a := range int32(k) {
			for b := range a {
				merged := slices.Clone(labels)
				for i, l := range merged {
					if l == a {
						merged[i] = b
					}
				}
				if e := finalOf(net, x, set, merged); e < bestEnergy {
					best, bestEnergy = merged, e
				}
			}
		}
		labels, least = canonical(best), min(least, bestEnergy)
	}
	return least
}

// Merged goes the way of brute force: its energy is the table's of the labels that it returns, and the least on the
// way.
func TestMergedAgainstBruteForce(t *testing.T) {
	moments, _, _ := withMoments(5)
	wide := shaped(6)
	for name, net := range map[string]*models.Network{"moments": moments, "shapes": wide} {
		const n = 14
		x := newPoints(6, 2, n)
		for i := range x { // far apart, so that few clusters and many both cost
			x[i] *= 4
		}
		sets := must.M1(Encode(net, x, 2, n))
		starts := randomLabels(10, 4, n, 6)
		sequences := []Sequence{{Set: 1}, {}, {}, {Set: 1}}
		labels, energies, err := sets.Merged(sequences, starts)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range labels {
			set := sequences[i].Set
			assertNear(t, name+": energy", energies[i], finalOf(net, x, set, l), 1e-4)
			assertNear(t, name+": least energy", energies[i], cheapest(net, x, set, starts[i]), 1e-4)
			if !slices.Equal(l, canonical(l)) || !coarser(l, starts[i]) {
				t.Errorf("%s: %v is no merging of %v", name, l, starts[i])
			}
		}
	}
}

// coarser reports whether points that share a cluster of fine share one of coarse.
func coarser(coarse, fine []int32) bool {
	of := map[int32]int32{}
	for i, l := range fine {
		if c, ok := of[l]; ok && c != coarse[i] {
			return false
		}
		of[l] = coarse[i]
	}
	return true
}

func TestMergedFaults(t *testing.T) {
	net := shaped(6)
	const n = 6
	ctx, cancel := context.WithCancel(t.Context())
	sets := must.M1(EncodeContext(ctx, net, newPoints(1, 1, n), 1, n))
	if l, e := must.M2(sets.Merged(nil, nil)); len(l) != 0 || len(e) != 0 {
		t.Errorf("nothing merges to %v", l)
	}
	if _, _, err := sets.Merged([]Sequence{{}}, nil); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("error %v", err)
	}
	if _, _, err := sets.Merged([]Sequence{{Set: 1}}, randomLabels(1, 1, n, 2)); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("error %v", err)
	}
	cancel()
	if _, _, err := sets.Merged([]Sequence{{}}, [][]int32{{0, 1, 2, 3, 4, 5}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// With no point ahead ScoreLast gives the energies of Score and the clusters' own channels; what only looks ahead,
// hidden columns and one channel of additive networks, is 0.
func TestScoreLastIsScore(t *testing.T) {
	moments, _, _ := withMoments(5)
	wide := shaped(6)
	round := must.M1(models.NewNetwork(goBackend(), additive, additive.Init(rand.New(rand.NewPCG(2, 0))))).GivenAlpha(3)
	for name, net := range map[string]*models.Network{"moments": moments, "additive": round, "shapes": wide} {
		const n = 12
		x := newPoints(3, 1, n)
		h, _ := must.M2(net.Encode(x, n))
		w, v, hidden := net.Config.Width(), net.Config.StateWidth(), net.Config.Hidden
		foresight := v - 1 // the channel of what only looks ahead
		if net.Config.Alpha {
			foresight -= 2
		}
		rows := net.Buckets.Rows(3)
		sums, rest := make([]float32, rows*w), make([]float32, rows*v)
		for i := range n { // clusters of the points 0, 3, 6 …, of 1, 4 … and of 2, 5 …
			for j := range w {
				sums[i%3*w+j] += h[i*w+j]
			}
		}
		score := func(of func(sums, rest []float32, rows int, cluster, energy []float32) error) (g, e []float32) {
			g, e = make([]float32, rows*v), make([]float32, rows)
			must.M(of(sums, rest, rows, g, e))
			return g, e
		}
		clusters, _ := score(net.Score)
		for r := range 3 { // each with the two others
			for j := range v {
				rest[r*v+j] = clusters[(r+1)%3*v+j] + clusters[(r+2)%3*v+j]
			}
		}
		_, want := score(net.Score)
		last, got := score(net.ScoreLast)
		for r := range 3 {
			assertNear(t, name+": energy", float64(got[r]), float64(want[r]), 1e-4)
			for j := range v {
				expected := clusters[r*v+j]
				if net.Config.Additive && (j < hidden || j == foresight) {
					expected = 0
				}
				assertNear(t, name+": channel", float64(last[r*v+j]), float64(expected), 1e-4)
			}
		}
	}
}

// A further point of a network of shapes is seen in the units of the set before it; its decision is then that of the
// full energies, with the hidden layers that Predictor leaves out.
func TestPredictWithShapes(t *testing.T) {
	const n = 20
	net := shaped(6)
	x, labels := newPoints(3, 1, n+1), randomLabels(4, 1, n, 3)
	set, further := x[:2*n], x[2*n:]
	got := predicted(t, must.M1(NewPredictor(t.Context(), net, set, labels)), further)[0][0]
	canon, k := metrics.Canonical(labels[0])
	h, _ := must.M2(net.Encode(set, n))
	own, _ := must.M2(net.EncodeSome(further, set))
	w, v := net.Config.Width(), net.Config.StateWidth()
	rows := net.Buckets.Rows(k + 1)
	sums, rest := make([]float32, rows*w), make([]float32, rows*v)
	for i, l := range canon {
		for j := range w {
			sums[int(l)*w+j] += h[i*w+j]
		}
	}
	clusters, energy := make([]float32, rows*v), make([]float32, rows)
	must.M(net.Score(sums, rest, rows, clusters, energy))
	for r := range k + 1 { // candidate r: the other clusters as they are
		for j := range w {
			sums[r*w+j] += own[j]
		}
		for other := range k {
			for j := 0; other != r && j < v; j++ {
				rest[r*v+j] += clusters[other*v+j]
			}
		}
	}
	must.M(net.Score(sums, rest, rows, make([]float32, rows*v), energy))
	for j, want := range softmaxNeg(energy[:k+1], nil) {
		assertNear(t, "probability", got[j], want, 1e-4)
	}
}
