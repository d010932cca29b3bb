package drawn

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	mostLatent     = 8   // columns that all others are combinations of
	distanceLow    = 2.5 // between the means of two clusters, in units of their width
	distanceHigh   = 14
	tailsLow       = 3 // degrees of freedom
	tailsHigh      = 10
	bentShare      = 0.7 // of the clusters of a table with bent ones
	mostEccentric  = 1.2 // standard deviation of the logarithms of a cluster's widths
	mostUneven     = 0.8 // standard deviation of the logarithms of the clusters' widths
	mostMixedNoise = 0.3
)

// clusters draws the rows [N,columns] of clusters: their means lie about as far apart as a distance that is drawn for
// the table, in units of their widths, and farther in few columns, where many clusters have little room.
func (c Config) clusters(rng *rand.Rand, labels []int32, columns int) *mat.Dense {
	latent, mixed := columns, columns > 1 && chance(rng, c.Mixed)
	if mixed {
		latent = 1 + rng.IntN(min(columns, mostLatent))
	}
	k := int(slices.Max(labels)) + 1
	distance := logUniform(rng, distanceLow, distanceHigh)
	distance *= max(1, math.Pow(float64(k), 1/float64(latent))/2)
	means := normal(rng, k, latent)
	means.Scale(distance/math.Sqrt(2*float64(latent)), means)

	x := c.around(rng, labels, k, latent)
	for i, label := range labels {
		for j := range latent {
			x.Set(i, j, x.At(i, j)+means.At(int(label), j))
		}
	}
	if !mixed {
		return x
	}
	n := len(labels)
	var y mat.Dense
	y.Mul(x, normal(rng, latent, columns))
	off := normal(rng, n, columns)
	off.Scale(uniform(rng, 0, mostMixedNoise)*math.Sqrt(float64(latent)), off)
	y.Add(&y, off)
	return &y
}

// around draws the rows [N,d] of k clusters with mean 0.
func (c Config) around(rng *rand.Rand, labels []int32, k, d int) *mat.Dense {
	x := normal(rng, len(labels), d)
	if chance(rng, c.Tails) {
		freedom := logUniform(rng, tailsLow, tailsHigh)
		square := distuv.ChiSquared{K: freedom, Src: rng}
		for i := range labels {
			row := x.RawRowView(i)
			for j, factor := 0, math.Sqrt(freedom/square.Rand()); j < d; j++ {
				row[j] *= factor
			}
		}
	}
	bend := func(*rand.Rand, int) bend { return nil }
	if chance(rng, c.Curved) {
		bend = drawBend
	}
	maps := c.covariances(rng, k, d)
	bends := make([]func([]float64), k)
	for i := range bends {
		if chance(rng, bentShare) {
			bends[i] = bend(rng, d)
		}
	}
	y := mat.NewVecDense(d, nil)
	for i, label := range labels {
		row := x.RawRowView(i)
		if bends[label] != nil {
			bends[label](row)
		}
		y.MulVec(maps[label], mat.NewVecDense(d, slices.Clone(row)))
		copy(row, y.RawVector().Data)
	}
	return x
}

// covariances draws the maps [d,d] of k clusters from the unit sphere: rotated ellipsoids, or as Config says.
func (c Config) covariances(rng *rand.Rand, k, d int) []*mat.Dense {
	tied, round, aligned := chance(rng, c.Tied), chance(rng, c.Round), chance(rng, c.Aligned)
	eccentric, uneven := uniform(rng, 0, mostEccentric), uniform(rng, 0, mostUneven)
	one := func() *mat.Dense {
		widths := make([]float64, d)
		size := uneven * rng.NormFloat64()
		for j := range widths {
			widths[j] = size
			if !round {
				widths[j] += eccentric * rng.NormFloat64()
			}
			widths[j] = math.Exp(widths[j])
		}
		m := mat.DenseCopyOf(mat.NewDiagDense(d, widths))
		if !round && !aligned && d > 1 {
			m.Mul(rotation(rng, d), m)
		}
		return m
	}
	maps := make([]*mat.Dense, k)
	for i := range maps {
		if i > 0 && tied {
			maps[i] = maps[0]
		} else {
			maps[i] = one()
		}
	}
	return maps
}

// rotation draws an orthogonal matrix [d,d].
func rotation(rng *rand.Rand, d int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(normal(rng, d, d))
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

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
