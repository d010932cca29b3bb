package drawn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// bend changes a point [d] of a standard normal cluster in place.
type bend = func(x []float64)

// drawBend draws one for points of d coordinates.
func drawBend(rng *rand.Rand, d int) bend {
	kind := rng.IntN(4)
	switch {
	case d > 1 && kind < 2:
		return parabola(rng, d)
	case d > 1 && kind == 2:
		return ring(rng, d)
	}
	return smoothMap(rng, d)
}

// parabola moves a coordinate by the square of another.
func parabola(rng *rand.Rand, d int) bend {
	a := rng.IntN(d)
	b := (a + 1 + rng.IntN(d-1)) % d
	height, width, thickness := uniform(rng, 0.4, 1.2), uniform(rng, 1.2, 2.5), uniform(rng, 0.3, 1)
	if chance(rng, 0.5) {
		height = -height
	}
	return func(x []float64) {
		bent := height * (x[a]*x[a] - 1)
		x[a], x[b] = width*x[a], thickness*x[b]+width*bent
	}
}

// ring lays a plane's points on a circle.
func ring(rng *rand.Rand, d int) bend {
	a := rng.IntN(d)
	b := (a + 1 + rng.IntN(d-1)) % d
	radius, thickness := uniform(rng, 2, 5), uniform(rng, 0.1, 0.5)
	return func(x []float64) {
		angle, r := math.Atan2(x[b], x[a]), math.Hypot(x[a], x[b])
		r = radius + thickness*(r-math.Sqrt(math.Pi/2))
		x[a], x[b] = r*math.Cos(angle), r*math.Sin(angle)
	}
}

// smoothMap is x + A·sin(B·x + c) with random matrices.
func smoothMap(rng *rand.Rand, d int) bend {
	a, b, c := normal(rng, d, d), normal(rng, d, d), normal(rng, d, 1)
	size := 1 / math.Sqrt(float64(d))
	a.Scale(size*uniform(rng, 0.3, 1.2), a)
	b.Scale(size*uniform(rng, 0.5, 1.5), b)
	var inner, move mat.VecDense
	return func(x []float64) {
		v := mat.NewVecDense(d, x)
		inner.MulVec(b, v)
		for j := range d {
			inner.SetVec(j, math.Sin(inner.AtVec(j)+c.At(j, 0)))
		}
		move.MulVec(a, &inner)
		v.AddVec(v, &move)
	}
}
