package models_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/models"
)

// shiftNet is a small network that sees points of the plane among the others of their set.
func shiftNet() *models.Network {
	c := models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4, Extended: true}
	return must.M1(models.NewNetwork(enginetest.Go(), c, c.Init(rand.New(rand.NewPCG(1, 0)))))
}

// Columns of a point's embedding with shiftNet: its channels stand behind the hidden ones, the coordinates behind t and
// the number of points, and the views behind these: the rests at the three bandwidths 4, 2, 1, the log-variances there,
// log c⁰, log c², 1/c².
const (
	shiftRest   = 8 + 2 + 2
	shiftHere   = shiftRest + 12
	shiftThere  = shiftHere + 3
	shiftShares = shiftThere + 3
)

// blob is n points around a centre, drawn with width 1.
func blob(rng *rand.Rand, n int, at ...float64) []float32 {
	var x []float32
	for range n {
		for _, v := range at {
			x = append(x, float32(v+rng.NormFloat64()))
		}
	}
	return x
}

// embedded are the rows of h' of a set.
func embedded(net *models.Network, h []float32) [][]float32 {
	return slices.Collect(slices.Chunk(h, net.Config.Width()))
}

func assertNear(t *testing.T, what string, got float32, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= tolerance) {
		t.Errorf("%s is %g, want %g ± %g", what, got, want, tolerance)
	}
}

// Points of a blob come to rest near its mean, where a Gaussian of width s sees s²/(1+s²) of them in the plane; a point
// far from all others rests where it is, and counts itself.
func TestMeanShiftFindsBlobs(t *testing.T) {
	const n = 400
	net := shiftNet()
	rng := rand.New(rand.NewPCG(2, 0))
	x := slices.Concat(blob(rng, n, 20, -10), []float32{-30, 30})
	h, _ := must.M2(net.Encode(context.Background(), x, n+1))
	rows := embedded(net, h)
	for i, s := range []float64{4, 2, 1} {
		count := n * s * s / (1 + s*s)
		for _, row := range rows[:n] {
			x0, x1 := float64(row[9])-20, float64(row[10])+10
			left := math.Pow(1+s*s, -3) // of the way to the mean after three steps
			if math.Hypot(x0, x1) > 2 {
				continue // the density of so few points is rough in the tails
			}
			assertNear(t, "rest", row[shiftRest+2*i], 20+left*x0, 0.3)
			assertNear(t, "rest", row[shiftRest+2*i+1], -10+left*x1, 0.3)
			assertNear(t, "log count", row[shiftThere+i], math.Log(count), 0.25)
			assertNear(t, "share", row[shiftShares+i], 1/count, 0.25/count)
		}
		alone := rows[n]
		for j, want := range map[int]float64{
			shiftRest + 2*i: -30, shiftRest + 2*i + 1: 30, shiftHere + i: 0, shiftThere + i: 0, shiftShares + i: 1,
		} {
			assertNear(t, "the lonely point's view", alone[j], want, 1e-3)
		}
	}
}

// What a point sees does not depend on the order of the others (but for
// rounding), nor on how many are embedded at once.
func TestViewsDependOnTheSetAlone(t *testing.T) {
	const n, d = 150, 2
	net := shiftNet()
	rng := rand.New(rand.NewPCG(4, 0))
	x := slices.Concat(blob(rng, 100, 3, 4), blob(rng, 50, -3, 0))
	h, u := must.M2(net.Encode(context.Background(), x, n))
	order := rng.Perm(n)
	var moved []float32
	for _, i := range order {
		moved = append(moved, x[i*d:(i+1)*d]...)
	}
	movedH, movedU := must.M2(net.Encode(context.Background(), moved, n))
	someH, someU := must.M2(net.EncodeSome(context.Background(), x[10*d:40*d], x))
	twoH, _ := must.M2(net.Encode(context.Background(), slices.Concat(moved, x), n))
	row := func(rows []float32, i int) []float32 { return rows[i*net.Config.Width():][:net.Config.Width()] }
	rowU := func(rows []float32, i int) []float32 {
		return rows[i*net.Config.StateWidth():][:net.Config.StateWidth()]
	}
	for at, i := range order {
		assertRowsClose(t, row(movedH, at), row(h, i))
		assertRowsClose(t, rowU(movedU, at), rowU(u, i))
		assertRowsClose(t, row(twoH, n+at), row(h, at))
	}
	for i := range 30 {
		assertRowsClose(t, row(someH, i), row(h, 10+i))
		assertRowsClose(t, rowU(someU, i), rowU(u, 10+i))
	}
}

func assertRowsClose(t *testing.T, got, want []float32) {
	t.Helper()
	for j, v := range want {
		if !(math.Abs(float64(got[j]-v)) <= 5e-3*math.Max(1, math.Abs(float64(v)))) {
			t.Fatalf("number %d is %g, want %g", j, got[j], v)
		}
	}
}

// Of a large set a point sees a sample, whatever the period of its rows, and counts it up.
func TestLargeSetsAreSampled(t *testing.T) {
	short.Skip(t, "embeds 4,500 points")
	const n = 4500
	net := shiftNet()
	rng := rand.New(rand.NewPCG(5, 0))
	centres := [][]float64{{-20, 0}, {20, 0}, {0, 20}}
	var x []float32
	for i := range n {
		x = append(x, blob(rng, 1, centres[i%3]...)...)
	}
	h, _ := must.M2(net.Encode(context.Background(), x, n))
	someH, _ := must.M2(net.EncodeSome(context.Background(), x[:600], x))
	assertRowsClose(t, someH, h[:300*net.Config.Width()])
	for i, row := range embedded(net, h)[:300] {
		assertNear(t, "log count", row[shiftThere], math.Log(n/3*16.0/17), 0.15)
		assertNear(t, "rest", row[shiftRest], centres[i%3][0], 0.3)
		assertNear(t, "rest", row[shiftRest+1], centres[i%3][1], 0.3)
	}
}
