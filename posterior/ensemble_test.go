package posterior

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/gfncp/gfncp/metrics"
)

func streams(n int) (rngs []*rand.Rand) {
	for i := range n {
		rngs = append(rngs, rand.New(rand.NewPCG(21, uint64(i))))
	}
	return rngs
}

func newEnsemble(t *testing.T, x []float64, starts ...[]int32) *Ensemble {
	t.Helper()
	return must[*Ensemble](t)(NewEnsemble(
		Gaussian{Dim: 2, Tau: 10, Sigma: 1}, CRP{Alpha: 0.7, AlphaMax: 7, MinK: 2}, Frame{Centred: true, Shape: 2},
		x, starts, streams(len(starts))))
}

// Chains from singletons and from halves agree after some sweeps; draws have the promised number, and are the same on
// one core.
func TestEnsemble(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 23))
	x := drawPoints(rng, Gaussian{Dim: 2, Tau: 10, Sigma: 1}, drawCRP(rng, 60, 2))
	halves := make([]int32, 60)
	for i := range 30 {
		halves[i] = 1
	}
	run := func() (*Draws, *Draws) {
		e := newEnsemble(t, x, Singletons(60), halves, Singletons(60))
		first := must[*Draws](t)(e.Run(t.Context(), 200, 0))
		return first, must[*Draws](t)(e.Run(t.Context(), 500, 100))
	}
	first, draws := run()
	if len(first.Samples) != 0 || len(draws.Samples) != 100 || len(draws.K) != 3 || len(draws.Factor[2]) != 500 {
		t.Fatalf("%d and %d samples of %d chains", len(first.Samples), len(draws.Samples), len(draws.K))
	}
	c := must[Convergence](t)(draws.Convergence())
	if !c.Converged(100) || c.Converged(1e4) {
		t.Errorf("%+v", c)
	}
	law := draws.KPosterior()
	mean, mass := 0.0, 0.0
	for i := range draws.K {
		for _, k := range draws.K[i] {
			mean += k / 1500
		}
	}
	for _, k := range law {
		mass += k.P
	}
	near(t, "expected K", ExpectedK(law), mean, 1e-9)
	near(t, "mass", mass, 1, 1e-9)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, again := run(); !reflect.DeepEqual(again, draws) {
		t.Error("draws depend on the number of cores")
	}
}

// Two chains that have not moved are found apart.
func TestConvergenceOfStuckChains(t *testing.T) {
	d := &Draws{
		K:            [][]float64{{2, 2, 2, 2}, {3, 3, 3, 3}},
		LogPosterior: [][]float64{{-1, -1, -1, -1}, {-1, -1, -1, -1}},
	}
	c := must[Convergence](t)(d.Convergence())
	if !math.IsInf(c.RHatK, 1) || c.RHatLogPosterior != 1 || c.Converged(0) {
		t.Errorf("%+v", c)
	}
}

func TestEnsembleErrors(t *testing.T) {
	x := []float64{0, 0, 1, 1, 2, 2}
	g, crp := Gaussian{Dim: 2, Tau: 10, Sigma: 1}, CRP{Alpha: 1}
	if _, err := NewEnsemble(g, crp, Frame{}, x, nil, nil); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("no starts: %v", err)
	}
	if _, err := NewEnsemble(g, crp, Frame{}, x, [][]int32{{0}}, streams(1)); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("a start of another length: %v", err)
	}
	if _, err := NewEnsemble(g, crp, Frame{Shape: -1}, x, [][]int32{{0, 0, 1}}, streams(1)); err == nil {
		t.Error("a negative shape is accepted")
	}
	e := newEnsemble(t, x, []int32{0, 0, 1})
	if _, err := e.Run(t.Context(), 0, 0); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no sweeps: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Run(ctx, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkEnsemble100x250(b *testing.B) {
	rng := rand.New(rand.NewPCG(24, 25))
	g := Gaussian{Dim: 2, Tau: 10, Sigma: 1}
	x := drawPoints(rng, g, drawCRP(rng, 100, 6))
	for b.Loop() {
		e, err := NewEnsemble(g, CRP{Alpha: 0.7, AlphaMax: 7}, Frame{Centred: true, Shape: 2}, x,
			[][]int32{Singletons(100)}, streams(1))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Run(b.Context(), 250, 0); err != nil {
			b.Fatal(err)
		}
	}
}
